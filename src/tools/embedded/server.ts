import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { claim, hold, release } from './lease.ts'
import type { Problem } from './problem.ts'
import { startProcess } from './process.ts'
import { untilReady } from './readiness.ts'

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
