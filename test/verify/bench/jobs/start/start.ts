import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { botReplies } from '../../../../../contracts/topics.ts'
import { findRunning, type Running } from '../../../../../src/app/running.ts'
import { anyFree } from '../../../../../src/tools/embedded/port.ts'
import { eventually } from '../../../../support/eventually.ts'
import type { Bench, Findings, Job } from '../../bench.ts'
import { gatherFindings } from '../../findings.ts'
import { family } from '../../proc.ts'
import { inTurns } from '../../turns.ts'
import { serversOf, startBare } from './servers.ts'

const root = fileURLToPath(new URL('../../../../..', import.meta.url))

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** `npm start` as a user types it, until it is ready; `leave` is Ctrl-C, and waits until none of its processes runs. */
const npmStart = async (bench: Bench, dataDir: string, port: number) => {
  const { PATH, HOME } = process.env
  const began = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { PATH, HOME, DATA_DIR: dataDir, HTTP_PORT: String(port), ADMIN_PORT: '0' },
    stdio: 'ignore',
    detached: true,
  })
  const pid = child.pid ?? 0
  const leave = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    // npm may end before the processes that it has started.
    const all = family(pid)
    const ended = once(child, 'exit')
    process.kill(-pid, 'SIGINT')
    await ended
    await eventually('all of it to be gone', () => !all.some((each) => isAlive(each.pid)) || undefined)
  }
  bench.afterwards(leave)
  const running = await eventually<Running>(
    'npm start to be ready',
    () => {
      if (child.exitCode !== null) throw new Error('npm start ended')
      return findRunning(dataDir)
    },
    120_000,
  )
  return { took: performance.now() - began, running, leave }
}

const run = async (bench: Bench): Promise<Findings> => {
  const { add, check, findings } = gatherFindings()
  const dataDir = join(bench.dataDir, 'npm-start')
  mkdirSync(dataDir)
  symlinkSync(resolve(bench.cacheDir), join(dataDir, 'cache'))
  const port = await anyFree()
  const first = await npmStart(bench, dataDir, port)
  const { running } = first
  const servers = serversOf(running.pid)
  check('servers of npm start', 2, servers.length)
  const addresses = { broker: running.brokers?.[0] ?? '', mongoUrl: running.mongoUrl ?? '' }
  await first.leave()
  const participants = [
    {
      who: 'bridge: second npm start',
      take: async () => {
        const { took, leave } = await npmStart(bench, dataDir, port)
        await leave()
        return took
      },
    },
    { who: 'bare broker and mongod', take: () => startBare(servers, addresses, bench.afterwards) },
    {
      who: 'bare broker and mongod, until partitions have leaders',
      take: () => startBare(servers, addresses, bench.afterwards, `livechat.${botReplies.name}`),
    },
  ]
  await inTurns(bench.size.start.rounds, participants, async ({ who, take }, round) => {
    const took = await take()
    add({ case: 'to ready', who, metric: 'time', unit: 's' }, took / 1000)
    bench.say(`round ${round + 1}, ${who}: ${(took / 1000).toFixed(2)} s`)
  })
  return findings()
}

export const start: Job = { name: 'start', what: 'a second npm start until it is ready', run }
