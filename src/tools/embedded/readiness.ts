import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type Problem, problem } from './problem.ts'
import type { ServerProcess } from './process.ts'

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
    if (server.hasEnded()) return problem(`${name} ended while it started: ${await server.lastWords()}; ${advice}`)
    if (await isReady()) return E.right(undefined)
    await sleep(20)
  }
  return problem(`${name} was not ready within ${withinMs / 1000} s: ${await server.lastWords()}; ${advice}`)
}
