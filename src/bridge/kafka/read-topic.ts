import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../contracts/topics.ts'
import type { Consume } from '../domain/log/consumer.ts'
import type { OffsetRange, Ranges } from '../domain/log/positions.ts'
import type { Failure, IncomingRecord, Slice } from '../domain/log/record.ts'
import { kafkaReasonOf } from './errors.ts'

type OrderedReplay = {
  /** Accepts a slice of any partition at any time, also repeatedly. Resolves when it was read or will never be read. */
  readonly take: (slice: Slice) => Promise<void>
  /** The next offset to read from a partition. Undefined if the partition is not read. */
  readonly position: (partition: number) => number | undefined
  /** Resolves when all is read, or after `end` when `read` has finished. Rejects with the error that `read` throws. */
  readonly over: Promise<void>
  readonly end: () => void
}

/** Reads parts of partitions, one partition after the other, so that every run reads in the same order. */
export const orderedReplay = (
  parts: ReadonlyMap<number, OffsetRange>,
  read: (records: ReadonlyArray<IncomingRecord>) => Promise<void>,
): OrderedReplay => {
  const { promise: over, resolve, reject } = Promise.withResolvers<void>()
  const order = [...parts.keys()].sort((a, b) => a - b)
  const position = new Map([...parts].map(([partition, { low }]) => [partition, low]))
  const begins = new Map(order.map((partition) => [partition, Promise.withResolvers<void>()]))
  let ended = false
  let running = Promise.resolve()

  const end = () => {
    ended = true
    for (const begin of begins.values()) begin.resolve()
    running.then(resolve, reject)
  }
  const beginNext = () => {
    const next = order.find((partition) => (position.get(partition) ?? 0) < (parts.get(partition)?.high ?? 0))
    if (next === undefined) end()
    else begins.get(next)?.resolve()
  }
  beginNext()

  return {
    take: async ({ partition, records }) => {
      await begins.get(partition)?.promise
      const from = position.get(partition)
      const last = records.at(-1)
      if (ended || from === undefined || last === undefined) return
      const fresh = records.filter(({ offset }) => offset >= from && offset < (parts.get(partition)?.high ?? 0))
      if (fresh.length > 0) running = read(fresh)
      await running.catch(end)
      position.set(partition, Math.max(from, last.offset + 1))
      beginNext()
    },
    position: (partition) => position.get(partition),
    over,
    end,
  }
}

/** Which part of a partition to read, from `low` to before `high`. `whole` is the partition's full range. */
export type PartOf = (partition: number, whole: OffsetRange) => OffsetRange

/**
 * Reads the current content of a topic, partition after partition, in slices of bounded size. It awaits each slice
 * before the next: the memory is bounded and the order is the same each time. Resolves when all is read or the signal
 * has aborted. Left if the topic's offsets cannot be read, or if Kafka sends nothing for 30 s. Rejects with the error
 * that `onSlice` throws.
 */
export type ReadTopic = (
  topic: TopicName,
  onSlice: (records: ReadonlyArray<IncomingRecord>) => Promise<void>,
  options?: { readonly part?: PartOf; readonly signal?: AbortSignal },
) => Promise<E.Either<Failure, void>>

/** Reads a topic. Throws if it cannot be read. */
export const readOrThrow = async (readTopic: ReadTopic, ...asked: Parameters<ReadTopic>): Promise<void> => {
  const read = await readTopic(...asked)
  if (E.isLeft(read)) throw new Error(`${asked[0]} cannot be read: ${read.left.reason}`)
}

const silenceMs = 30_000
const checkEveryMs = 500

const whole: PartOf = (_, range) => range

/** The part with at most so many of the newest records of each partition. */
export const newestRecords =
  (count: number): PartOf =>
  (_, { low, high }) => ({ low: Math.max(low, high - count), high })

const transient = (reason: string) => E.left({ kind: 'transient' as const, reason })

export const readTopicWith =
  ({
    ranges,
    consume,
    clock,
  }: {
    readonly ranges: Ranges
    readonly consume: Consume
    /** Milliseconds of a monotonic clock. */
    readonly clock: () => number
  }): ReadTopic =>
  async (topic, onSlice, { part = whole, signal } = {}) => {
    const known = await ranges(topic).catch(kafkaReasonOf)
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
    const checking = setInterval(async () => {
      const { reason } = await consumer.health()
      if (!busy && clock() - heardAt > silenceMs) silence.resolve(transient(`Kafka sends nothing: ${reason}`))
    }, checkEveryMs)
    signal?.addEventListener('abort', reading.end, { once: true })
    if (signal?.aborted) reading.end()
    try {
      return await Promise.race([reading.over.then(() => E.right(undefined)), silence.promise])
    } finally {
      clearInterval(checking)
      signal?.removeEventListener('abort', reading.end)
      reading.end()
      await consumer.stop()
    }
  }
