import type { Either } from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../../contracts/events/index.ts'
import type { Instant } from '../../../../contracts/primitives.ts'
import type { TopicName } from '../../../../contracts/topics.ts'

/**
 * Why an operation failed. A retry may succeed after a `transient` failure, and never after a `permanent` one.
 * `too-large` is a permanent failure of a record that Kafka would accept if it were smaller.
 */
export type Failure = { readonly kind: 'transient' | 'permanent' | 'too-large'; readonly reason: string }

export type Headers = Readonly<Record<string, Buffer | string>>

/** A record to be appended; `topic` is the name after TOPIC_PREFIX. */
export type OutgoingRecord = {
  readonly topic: TopicName
  readonly key: string | Buffer | null
  readonly value: string | Buffer | null
  readonly headers: Headers
  /** The target partition. Default: the partition of the key. */
  readonly partition?: number
}

/**
 * Appends a record, acknowledged by all in-sync replicas. Left means 'not known to be durable within `withinMs`': the
 * record may still be appended later. So a caller that retries must use the same record id.
 */
export type Append = (record: OutgoingRecord, withinMs: number) => Promise<Either<Failure, void>>

/** Appends a domain event to its topic under its key, as a CloudEvent. */
export type Publish = (event: DomainEvent, withinMs: number) => Promise<Either<Failure, void>>

/** Where a record is durable: in Kafka, or only in the journal, which sends it to Kafka later. */
export type DurableIn = 'kafka' | 'journal'

/** A record as it was read; `offset` and `timestamp` (ms since 1970) are exact up to 2^53. */
export type IncomingRecord = {
  readonly topic: TopicName
  readonly partition: number
  readonly offset: number
  /** The leader epoch in which it was appended. Absent if it is not known. */
  readonly epoch?: number
  readonly timestamp: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: Readonly<Record<string, Buffer>>
  /** The bridge received the event before its person was erased, and nothing personal may be kept of it. */
  readonly erased?: true
}

const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** When a record was appended. A producer's clock may be wrong: a time outside of the calendar is moved to its edge. */
export const recordTime = ({ timestamp }: Pick<IncomingRecord, 'timestamp'>): Instant =>
  new Date(Number.isNaN(timestamp) ? 0 : Math.min(Math.max(timestamp, 0), latest)).toISOString() as Instant

/** `chats/3`: a partition in `applied` of a document, in maps, logs and messages. */
export const partitionName = ({ topic, partition }: { readonly topic: string; readonly partition: number }): string =>
  `${topic}/${partition}`

/** Records of one partition in their order. */
export type Slice = {
  readonly topic: TopicName
  readonly partition: number
  readonly records: ReadonlyArray<IncomingRecord>
}

/** Keeps a record that cannot be processed because of its content, with the cause. Resolves when that is durable. */
export type DeadLetter = (record: IncomingRecord, cause: string, detail: string) => Promise<void>
