import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { Instant } from '../../../../contracts/primitives.ts'
import type { TopicName } from '../../../../contracts/topics.ts'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { toDeadLetter } from '../../../../src/bridge/kafka/dead-letters.ts'
import type { ReadTopic } from '../../../../src/bridge/kafka/read-topic.ts'
import type { Redrives } from '../../../../src/bridge/mongo/redrives.ts'
import { originTopics, type StoredDeadLetter } from '../../../../src/bridge/operations/redrive/dead-letters.ts'
import { chunks } from '../../../../src/bridge/shared/slices.ts'

const hour = 3_600_000
const midnight = Date.UTC(2026, 0, 31)

export const instant = fc.nat(48).map((hours) => new Date(midnight + hours * hour).toISOString() as Instant)
export const place = fc.record({ partition: fc.nat(3), offset: fc.nat(20) })
const few = fc.constantFrom('one', 'two')

/** Dead letters that have many values in common, so that a filter matches some of them. */
export const deadLetters: fc.Arbitrary<StoredDeadLetter> = fc
  .record({
    origin: fc.record({ topic: fc.constantFrom(...originTopics), partition: fc.nat(3), offset: fc.nat() }),
    at: place,
    appendedAt: instant,
    consumer: few,
    cause: few,
    detail: fc.string(),
    failedAt: instant,
    firstFailedAt: instant,
    redriven: fc.nat(6),
    account: few,
    key: few,
    bytes: fc.nat(9),
  })
  .map(({ at: { partition, offset }, ...deadLetter }) => ({ id: `${partition}/${offset}`, ...deadLetter }))

const bytes = fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array))

/** A record as a consumer reads it, with headers of any client. */
export const records: fc.Arbitrary<IncomingRecord> = fc.record({
  topic: fc.constantFrom<TopicName>(...originTopics),
  partition: fc.nat(11),
  offset: fc.nat(),
  timestamp: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  key: fc.option(bytes),
  value: fc.option(bytes),
  headers: fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom('ce_id', 'dl_redriven', 'dl_first_failed_at', 'dl_topic', '__proto__')),
    bytes,
    { maxKeys: 5, noNullPrototype: true },
  ),
})

/** The record in dead-letters after a consumer has given up on `record`. */
export const letterOf = (record: IncomingRecord, failedAt: Instant): IncomingRecord => {
  const why = { consumer: 'projector', cause: 'contract', detail: 'id: expected text', failedAt }
  return asRead(toDeadLetter(record, why))
}

/** A written record as a consumer reads it, at its own place. */
export const asRead = ({ topic, key, value, headers }: ReturnType<typeof toDeadLetter>): IncomingRecord => ({
  topic,
  partition: 1,
  offset: 7,
  timestamp: midnight,
  key: typeof key === 'string' ? Buffer.from(key) : key,
  value: typeof value === 'string' ? Buffer.from(value) : value,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [name, Buffer.from([header].flat().at(-1) ?? '')]),
  ),
})

/** A topic in memory with one partition, read in slices of this size. */
export const topicOf =
  (records: ReadonlyArray<IncomingRecord>, sliceSize = 1): ReadTopic =>
  async (_, onSlice, { part, signal } = {}) => {
    const range = { low: 0, high: records.length }
    const { low, high } = part?.(0, range) ?? range
    for (const slice of chunks(records.slice(low, high), sliceSize)) if (!signal?.aborted) await onSlice(slice)
    return E.right(undefined)
  }

/** MongoDB in memory: what was sent back in `memory`, and in `erased` when a key was erased. No view has a state. */
export const memoryRedrives = () => {
  const memory = new Map<string, ReadonlyArray<Instant>>()
  const erased = new Map<string, Date>()
  let owner: object | undefined
  const redrives: Redrives = {
    find: async (ids) => new Map(ids.flatMap((id) => (memory.has(id) ? [[id, memory.get(id) ?? []]] : []))),
    remember: async (ids, at) => {
      for (const id of ids) memory.set(id, [...new Set(memory.get(id)).add(at)].sort())
    },
    states: async () => new Map(),
    erasedAt: async () => new Map(erased),
    lease: async () => {
      if (owner !== undefined) return undefined
      const me = {}
      owner = me
      return {
        renew: async () => owner === me,
        release: async () => {
          if (owner === me) owner = undefined
        },
      }
    },
  }
  return { memory, erased, redrives }
}
