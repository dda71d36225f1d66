import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { answersRequest, isListening } from '../../../../../src/tools/embedded/server.ts'
import { endsOf } from '../../../../support/plain-consumer.ts'
import { commandLine, family } from '../../proc.ts'

/** The command and folder with which a server was started. */
export type Started = { readonly command: ReadonlyArray<string>; readonly cwd: string }

/** How the broker and mongod among a process's descendants were started, to start them again without that process. */
export const serversOf = (pid: number): ReadonlyArray<Started> =>
  family(pid)
    .map((each) => ({ pid: each.pid, command: commandLine(each.pid) }))
    .filter(({ command: [program = ''] }) => program === 'java' || program.endsWith('mongod'))
    .map((each) => ({ command: each.command, cwd: readlinkSync(`/proc/${each.pid}/cwd`) }))

const untilIt = async (ask: () => Promise<boolean>) => {
  while (!(await ask().catch(() => false))) await wait(10)
}

// ApiVersions v0, correlation id 1, no client id: the first request that a broker answers.
const apiVersions = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff])

const brokerAnswers = (address: string) => untilIt(() => answersRequest(Number(address.split(':')[1]), apiVersions))

/** Waits until mongod has its primary. */
const mongodIsReady = async (url: string) => {
  const port = Number(new URL(url).port)
  await untilIt(() => isListening(port))
  await using client = new MongoClient(url, { serverSelectionTimeoutMS: 60_000 })
  await client.db().command({ ping: 1 }, { readPreference: 'primary' })
}

export type Addresses = { readonly broker: string; readonly mongoUrl: string }

/**
 * Milliseconds until both servers, started in parallel without the bridge, can be used: until the broker answers, or until
 * the partitions of `topic` have leaders.
 */
export const startBare = async (
  servers: ReadonlyArray<Started>,
  { broker, mongoUrl }: Addresses,
  afterwards: (leave: () => Promise<void>) => void,
  topic?: string,
): Promise<number> => {
  const began = performance.now()
  const children = servers.map(({ command: [program = '', ...args], cwd }) =>
    spawn(program, args, { cwd, stdio: 'ignore' }),
  )
  const stop = async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
  }
  afterwards(stop)
  const brokerIsReady = async () => {
    await brokerAnswers(broker)
    if (topic !== undefined) await endsOf([broker], [topic])
  }
  await Promise.all([brokerIsReady(), mongodIsReady(mongoUrl)])
  const took = performance.now() - began
  await stop()
  return took
}
