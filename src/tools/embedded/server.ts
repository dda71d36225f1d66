import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { claim, hold, release } from './lease.ts'
import { type Problem, problem } from './problem.ts'
import { type ServerProcess, startProcess } from './process.ts'

const isReached = (port: number, request: Buffer | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    const socket = connect(port, '127.0.0.1', () => (request === undefined ? end(true) : socket.write(request)))
    socket.setTimeout(1_000, () => end(false))
    socket
      .on('data', () => end(true))
      .on('error', () => end(false))
      .on('close', () => end(false))
  })

/** True if a server on 127.0.0.1 accepts a connection. */
export const isListening = (port: number): Promise<boolean> => isReached(port, undefined)

/** True if a server on 127.0.0.1 sends any response to the request. Kafka accepts connections before it can answer. */
export const answersRequest = (port: number, request: Buffer): Promise<boolean> => isReached(port, request)

/** Right as soon as `isReady` holds. Left, with the last log line and the advice, if the server ends or is too late. */
export const untilReady = async (
  name: string,
  server: ServerProcess,
  isReady: () => Promise<boolean>,
  withinMs: number,
  advice: string,
): Promise<E.Either<Problem, void>> => {
  const deadline = Date.now() + withinMs
  while (Date.now() < deadline) {
    if (server.hasEnded()) return problem(`${name} ended while it started: ${await server.stderrTail()}; ${advice}`)
    if (await isReady()) return E.right(undefined)
    await sleep(20)
  }
  return problem(`${name} was not ready within ${withinMs / 1000} s: ${await server.stderrTail()}; ${advice}`)
}

/** A server that is ready. Its address is `127.0.0.1:port`. */
export type Running = {
  readonly address: string
  readonly stop: () => Promise<void>
}

type Prepared = {
  readonly port: number
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly isReady: () => Promise<boolean>
}

type Server = {
  readonly name: string
  /** What the user can do instead if the server does not start. */
  readonly instead: string
  readonly directory: string
  readonly logFile: string
  /** As for `startProcess`. */
  readonly nice?: number
  /** Called when no other process uses the directory. */
  readonly prepare: () => Promise<E.Either<Problem, Prepared>>
}

// On the slowest machines a broker that must recover its logs takes half a minute.
const readyWithinMs = 90_000
const stopWithinMs = 15_000

/** Starts the only server on a directory, and waits until it is ready. */
export const runServer = async ({
  name,
  instead,
  directory,
  logFile,
  nice,
  prepare,
}: Server): Promise<E.Either<Problem, Running>> => {
  const leaseFile = join(directory, 'lease.json')
  const claimed = await claim(leaseFile)
  if (E.isLeft(claimed)) return claimed
  const prepared = await prepare()
  if (E.isLeft(prepared)) return prepared
  const { port, command, args, isReady } = prepared.right
  const server = startProcess({ command, args, cwd: directory, logFile, nice })
  const stop = async () => {
    await server.stop(stopWithinMs)
    await release(leaseFile)
  }
  await hold(leaseFile, server.pid)
  const ready = await untilReady(name, server, isReady, readyWithinMs, `see ${logFile}, or ${instead}`)
  if (E.isRight(ready)) return E.right({ address: `127.0.0.1:${port}`, stop })
  await stop()
  return ready
}
