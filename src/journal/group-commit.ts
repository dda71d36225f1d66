import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/ports.ts'
import { frameSize } from './frame.ts'
import type { Written } from './segment-writer.ts'

type Waiting = { readonly body: Buffer; readonly settle: (outcome: E.Either<Failure, void>) => void }

type Write = (bodies: ReadonlyArray<Buffer>) => Promise<Written>

/**
 * While one group is being written the next one gathers; each record is acknowledged with its group, in order.
 * `bytes` is the size of what is not settled yet.
 */
export const groupCommit = (write: Write) => {
  let waiting: Waiting[] = []
  let bytes = 0
  let running: Promise<void> | undefined

  const run = async () => {
    while (waiting.length > 0) {
      const { taken, outcome } = await write(waiting.map(({ body }) => body))
      const group = waiting.slice(0, taken)
      waiting = waiting.slice(taken)
      for (const { body, settle } of group) {
        bytes -= frameSize(body)
        settle(outcome)
      }
    }
    running = undefined
  }

  const append = (body: Buffer): Promise<E.Either<Failure, void>> =>
    new Promise((settle) => {
      waiting.push({ body, settle })
      bytes += frameSize(body)
      // Begun a turn later, so that what arrives together is written together.
      running ??= Promise.resolve().then(run)
    })

  return { append, bytes: () => bytes, settled: async () => running }
}
