import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../../contracts/topics.ts'
import type { Failure } from '../../domain/log/record.ts'
import type { Log } from '../../shared/log.ts'
import type { Header, WireRecord } from '../wire-record.ts'
import type { Bounds, Entry } from './partition-queue.ts'

const lengthOf = (part: Header | null) => (part === null ? 0 : Buffer.byteLength(part))
const perHeader = 8
const perRecord = 32

/** The estimated size of a record in a batch, in bytes. It may be too large, but not too small. */
export const sizeOf = (record: WireRecord): number => {
  const { key, value, headers } = record
  let size = lengthOf(key) + lengthOf(value) + perRecord
  for (const name in headers) {
    const header = headers[name]
    if (header === undefined) continue
    if (typeof header === 'string' || Buffer.isBuffer(header)) size += name.length + lengthOf(header) + perHeader
    else for (const one of header) size += name.length + lengthOf(one) + perHeader
  }
  return size
}

/** The records that are not settled yet. `failing`: topics with records that cannot be sent now, and why. */
export type Waiting = {
  readonly records: number
  readonly bytes: number
  readonly oldestMs: number
  readonly failing: ReadonlyArray<{ readonly topic: TopicName; readonly reason: string }>
}

type Outcome = E.Either<Failure, void>
type Topic = {
  readonly entries: Set<Entry>
  bytes: number
  isRefusing: boolean
  failure: string | undefined
}
export type Backlog = ReturnType<typeof backlogOf>

/** All records that are not settled, by topic. Limits their number and size, measures their age, settles each once. */
export const backlogOf = ({
  limits,
  clock,
  log,
}: {
  /** Limits for each topic: a topic whose records cannot be sent leaves room for the others. */
  readonly limits: Bounds
  readonly clock: () => number
  readonly log: Log
}) => {
  const topics = new Map<TopicName, Topic>()
  let number = 0
  let onEmpty: (() => void) | undefined

  const topicOf = (name: TopicName): Topic => {
    const topic = topics.get(name) ?? {
      entries: new Set<Entry>(),
      bytes: 0,
      isRefusing: false,
      failure: undefined,
    }
    topics.set(name, topic)
    return topic
  }
  /** Before the caller knows of a refusal, a smaller later record must not be accepted: the order would be lost. */
  const refuseThisTurn = (topic: Topic): Outcome => {
    topic.isRefusing = true
    setImmediate(() => {
      topic.isRefusing = false
    })
    return E.left({ kind: 'transient', reason: "the producer's buffer for this topic is full" })
  }
  const isEmpty = () => [...topics.values()].every(({ entries }) => entries.size === 0)
  const settle = (entries: ReadonlyArray<Entry>, outcome: Outcome): void => {
    for (const entry of entries) {
      const topic = topicOf(entry.record.topic)
      if (!topic.entries.delete(entry)) continue
      topic.bytes -= entry.bytes
      entry.settle(outcome)
    }
    if (onEmpty !== undefined && isEmpty()) onEmpty()
  }

  return {
    /** Accepts a record and resolves when it is settled. Above the limits it resolves at once with a transient Left. */
    take: (record: WireRecord, bytes: number, onTaken: (entry: Entry) => void): Promise<Outcome> => {
      const topic = topicOf(record.topic)
      const { entries, isRefusing } = topic
      if (isRefusing || entries.size >= limits.records || (entries.size > 0 && topic.bytes + bytes > limits.bytes))
        return Promise.resolve(refuseThisTurn(topic))
      return new Promise((resolve) => {
        const { key } = record
        const entry: Entry = {
          record: { ...record, key: typeof key === 'string' ? Buffer.from(key) : key },
          bytes,
          number: number++,
          since: clock(),
          settle: resolve,
        }
        entries.add(entry)
        topic.bytes += bytes
        onTaken(entry)
      })
    },
    settle,
    settleAll: (outcome: Outcome): void => {
      for (const { entries } of topics.values()) settle([...entries], outcome)
    },
    failed: (name: TopicName, reason: string): void => {
      const topic = topicOf(name)
      if (topic.failure === undefined)
        log.warn({ topic: name, records: topic.entries.size, reason }, 'kafka: sending to a topic fails and is retried')
      topic.failure = reason
    },
    recovered: (name: TopicName): void => {
      const topic = topicOf(name)
      if (topic.failure !== undefined) log.info({ topic: name }, 'kafka: sending to a topic works again')
      topic.failure = undefined
    },
    whenEmpty: (then: () => void): void => {
      onEmpty = then
      if (isEmpty()) then()
    },
    waiting: (): Waiting => {
      const all = [...topics]
      const oldest = all.flatMap(([, { entries }]) => [...entries].slice(0, 1))
      return {
        records: all.reduce((sum, [, { entries }]) => sum + entries.size, 0),
        bytes: all.reduce((sum, [, { bytes }]) => sum + bytes, 0),
        oldestMs: oldest.reduce((longest, { since }) => Math.max(longest, clock() - since), 0),
        failing: all.flatMap(([topic, { failure }]) => (failure === undefined ? [] : [{ topic, reason: failure }])),
      }
    },
  }
}
