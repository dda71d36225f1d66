import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../contracts/topics.ts'
import type { Consume, Failure, IncomingRecord } from '../domain/ports.ts'
import { reasonOf } from './errors.ts'
import type { Range, Ranges } from './offsets.ts'
import { orderedReplay } from './ordered-replay.ts'

/** What is read of a partition, from `low` up to and without `high`, given what there is of it. */
export type PartOf = (partition: number, whole: Range) => Range

/**
 * Reads what a topic holds now, partition after partition, in slices of bounded size, each awaited before the next: in bounded
 * memory, and in the same order each time. Resolves when all is read or the signal has aborted; Left where Kafka gives nothing
 * for half a minute; rejects with what `onSlice` throws.
 */
export type ReadTopic = (
  topic: TopicName,
  onSlice: (records: ReadonlyArray<IncomingRecord>) => Promise<void>,
  options?: { readonly part?: PartOf; readonly signal?: AbortSignal },
) => Promise<E.Either<Failure, void>>

type Deps = {
  readonly ranges: Ranges
  readonly consume: Consume
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
}

const silenceMs = 30_000
const lookEveryMs = 500

const whole: PartOf = (_, range) => range
const transient = (reason: string) => E.left({ kind: 'transient' as const, reason })

export const readTopicWith =
  ({ ranges, consume, clock }: Deps): ReadTopic =>
  async (topic, onSlice, { part = whole, signal } = {}) => {
    const known = await ranges(topic).catch(reasonOf)
    if (typeof known === 'string') return transient(known)
    const parts = new Map([...known].map(([partition, range]) => [partition, part(partition, range)]))
    if ([...parts.values()].every(({ low, high }) => low >= high) || signal?.aborted) return E.right(undefined)

    let heardAt = clock()
    let busy = false
    const reading = orderedReplay(parts, async (records) => {
      busy = true
      await onSlice(records)
      busy = false
      heardAt = clock()
    })
    const consumer = await consume({
      group: `read-${topic}`,
      alone: true,
      topics: [topic],
      commit: 'by-handler',
      startAt: async (_, partition) => reading.position(partition),
      handle: reading.take,
    })
    const silence = Promise.withResolvers<E.Either<Failure, void>>()
    const looking = setInterval(async () => {
      const { reason } = await consumer.health()
      if (!busy && clock() - heardAt > silenceMs) silence.resolve(transient(`Kafka sends nothing: ${reason}`))
    }, lookEveryMs)
    signal?.addEventListener('abort', reading.end, { once: true })
    try {
      return await Promise.race([reading.over.then(() => E.right(undefined)), silence.promise])
    } finally {
      clearInterval(looking)
      signal?.removeEventListener('abort', reading.end)
      reading.end()
      await consumer.stop()
    }
  }
