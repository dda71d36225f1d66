import type { Either } from 'fp-ts/lib/Either.js'
import type { Because, DomainEvent } from '../../contracts/events/index.ts'
import type { Instant } from '../../contracts/primitives.ts'
import type { TopicName } from '../../contracts/topics.ts'
import type { Dated } from '../../contracts/views/dated.ts'
import type { ViewName, Views } from '../../contracts/views.ts'
import type { Account } from './accounts.ts'

/**
 * Why something did not happen: `transient` may succeed when it is tried again, `permanent` never will. `too-large` is a
 * permanent failure of a record that Kafka would take if it were smaller.
 */
export type Failure = { readonly kind: 'transient' | 'permanent' | 'too-large'; readonly reason: string }

export type Now = () => Instant
export type { Sleep } from '../shared/time.ts'

export type Headers = Readonly<Record<string, Buffer | string>>

/** A record to be appended; `topic` is the name after TOPIC_PREFIX. */
export type OutgoingRecord = {
  readonly topic: TopicName
  readonly key: string | Buffer | null
  readonly value: string | Buffer | null
  readonly headers: Headers
  /** Where it goes; without it, where its key belongs. */
  readonly partition?: number
}

/**
 * Appends a record, acknowledged by all in-sync replicas. Left is 'not known to be durable within `withinMs`': the
 * record may still be appended later, so whoever repeats it repeats its id as well.
 */
export type Append = (record: OutgoingRecord, withinMs: number) => Promise<Either<Failure, void>>

/** Appends a domain event to its topic under its key, as a CloudEvent. */
export type Publish = (event: DomainEvent, withinMs: number) => Promise<Either<Failure, void>>

/** Where a record is durable: in Kafka, or in the journal alone, from where it goes to Kafka later. */
export type Place = 'kafka' | 'journal'

/** The same, but while Kafka is away the event goes to the journal. */
export type PublishWithFallback = (event: DomainEvent, withinMs: number) => Promise<Either<Failure, Place>>

/** A record as it was read; `offset` and `timestamp` (ms since 1970) are exact up to 2^53. */
export type IncomingRecord = {
  readonly topic: TopicName
  readonly partition: number
  readonly offset: number
  readonly timestamp: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: Readonly<Record<string, Buffer>>
}

/** Records of one partition in their order. */
export type Slice = {
  readonly topic: TopicName
  readonly partition: number
  readonly records: ReadonlyArray<IncomingRecord>
}

/** Keeps a record that cannot be processed through its own fault, with the cause; resolves when it is durable. */
export type DeadLetter = (record: IncomingRecord, cause: string, detail: string) => Promise<void>

/** A dependency's state for /readyz: the reason says what is wrong, or what is known to be right. */
export type Health = { readonly ok: boolean; readonly reason: string }
export type CheckHealth = () => Health | Promise<Health>

/** A structured log: fields first, then a fixed sentence. Fields never hold secrets or personal data. */
export type Log = {
  readonly debug: (fields: object, message: string) => void
  readonly info: (fields: object, message: string) => void
  readonly warn: (fields: object, message: string) => void
  readonly error: (fields: object, message: string) => void
}

/** What a consumer may do about a partition that it owns. */
export type OwnedPartition = {
  /** False once the partition has been given to another consumer: its work must have no effect any more. */
  readonly isCurrent: () => boolean
  /** Everything up to and including this offset is finished and shall be committed (consumers that commit by handler). */
  readonly done: (offset: number) => void
  /** Stops fetching from this partition until the returned function is called. */
  readonly pause: () => () => void
}

/** Handles a slice; it is called again with the same slice until it resolves. A throw means 'redeliver'. */
export type HandleSlice = (slice: Slice, partition: OwnedPartition) => Promise<void>

/** The ids of topics: one that is deleted and created again has another. Missing where the broker has none. */
export type TopicIds = ReadonlyMap<TopicName, string>

export type ConsumerSpec = {
  /** The consumer group, after TOPIC_PREFIX. */
  readonly group: string
  /** All partitions for this consumer: its group has that name and a random end, and is forgotten when it stops. */
  readonly alone?: true
  readonly topics: ReadonlyArray<TopicName>
  readonly handle: HandleSlice
  /** A fetch waits until there are so many bytes, or for so long; without it, for 1 byte or 100 ms. */
  readonly fetchWaitsFor?: { readonly bytes: number; readonly ms: number }
  /** Partitions that are far behind are handled in slices of up to so many records of 1.4 kB, instead of 500; three such at once. */
  readonly catchUpRecords?: number
  /** `when-handled`: a slice is committed when `handle` resolves. `by-handler`: when the handler says `done`. */
  readonly commit: 'when-handled' | 'by-handler'
  /** Called when partitions are given to this consumer, before the first slice of them. */
  readonly onAssigned?: (partitions: ReadonlyArray<number>) => void
  /** Why these topics must not be read, and what an operator has to do; until then the consumer is not ready, and asks again. */
  readonly refuseTopics?: (ids: TopicIds) => Promise<string | undefined>
  /** Where reading begins instead of the group's own committed offset. */
  readonly startAt?: (topic: TopicName, partition: number) => Promise<number | undefined>
}

export type RunningConsumer = { readonly health: CheckHealth; readonly stop: () => Promise<void> }
export type Consume = (spec: ConsumerSpec) => Promise<RunningConsumer>

/** The offset after the last record of each partition of a topic. */
export type EndOffsets = (topic: TopicName) => Promise<ReadonlyMap<number, number>>
/** What a group has committed for each partition of a topic; partitions without a commit are missing. */
export type CommittedOffsets = (group: string, topic: TopicName) => Promise<ReadonlyMap<number, number>>

/** An event as it stands in the log, with dates in place of its times. */
export type Recorded<E extends DomainEvent = DomainEvent> = {
  readonly event: Dated<E>
  readonly topic: TopicName
  readonly partition: number
  readonly offset: number
  /** The size of the record's value, where it is known. */
  readonly bytes?: number
}

/**
 * A change of one document of a view, or of the newest of a chain of them (`sessions`): the new document from the present one, and
 * after it the next one of the chain where it begins. Pure, and the same when done twice.
 */
export type Change<V extends ViewName = ViewName> = {
  readonly view: V
  /** The document's `_id`; of a chain its name, which the newest document has as `latestOf`. */
  readonly id: string
  readonly evolve: (current: Views[V] | undefined) => ReadonlyArray<Views[V]>
  /** Then it is a change of every document that has these fields, and of no other; `id` is the chat's or the client's. */
  readonly where?: Readonly<Record<string, string>>
  /** The change that is made in its place where it would make a document and the account has no room for one (`drift`). */
  readonly instead?: Change
  /** Then it is a change of the first record of an event only: not where timeline's entry of this id names another record. */
  readonly firstOf?: { readonly _id: string } & Pick<Recorded, 'topic' | 'partition' | 'offset'>
}

/** Applies changes in their order and resolves when they are durable on a majority. A throw means 'not known, do it again'. */
export type ApplyChanges = (changes: ReadonlyArray<Change>) => Promise<void>

/** Reads one document of a view. */
export type ReadDocument = <V extends ViewName>(view: V, id: string) => Promise<Views[V] | undefined>

/** The access token of Interface B for an account, and for how many seconds it is valid. */
export type IssueToken = (account: Account) => Promise<{ readonly token: string; readonly expiresIn: number }>
/** Whether the account's own, unexpired token was given. */
export type VerifyToken = (account: Account, token: string) => Promise<boolean>

/** A record's place in the log. `generation` is its topic's id: a topic that is created again begins anew. */
export type LogPlace = { readonly generation: string; readonly partition: number; readonly offset: number }

/**
 * The data key that encrypts what one record key of a topic says of persons, wrapped by a key of ARCHIVE_KEY_FILE; `id` is
 * `<topic>/<record key>`. After an erasure its earlier keys are gone, by `kid`, and what stands before `erased` has none. So are
 * those whose loss an operator has accepted.
 */
export type ArchiveKey = {
  readonly id: string
  readonly kid?: string
  readonly wrapped?: string
  readonly erased?: LogPlace
  readonly erasedKids: ReadonlyArray<string>
}
export type NewArchiveKey = { readonly id: string; readonly kid: string; readonly wrapped: string }

/** All of it throws 'not known', and what it has written is durable on a majority. */
export type ArchiveKeys = {
  readonly find: (ids: ReadonlyArray<string>) => Promise<ReadonlyMap<string, ArchiveKey>>
  /** Keeps each key where there is none yet: whoever is first stays. */
  readonly add: (keys: ReadonlyArray<NewArchiveKey>) => Promise<void>
  /** Destroys the key of what stands before the place, unless that was done before. */
  readonly destroy: (id: string, place: LogPlace) => Promise<void>
  /** From now on these keys, which are not there, count as erased. */
  readonly acceptLoss: (lost: ReadonlyArray<{ readonly id: string; readonly kids: Iterable<string> }>) => Promise<void>
  /** One wrapped key of each wrapping key. */
  readonly examples: () => Promise<ReadonlyArray<string>>
  /** Every key that is not destroyed. */
  readonly all: () => AsyncIterable<NewArchiveKey>
  /** Keeps the same key in another wrapping, unless it was destroyed meanwhile. */
  readonly rewrap: (keys: ReadonlyArray<NewArchiveKey>) => Promise<void>
}

/** Measurements, one function for each; labels are never personal data. Durations are in seconds. */
export type Measure = {
  readonly request: (api: 'webhooks' | 'bot' | 'oauth', status: number, seconds: number) => void
  readonly published: (type: DomainEvent['type']) => void
  readonly produced: (records: number, bytes: number, seconds: number) => void
  readonly produceFailed: () => void
  readonly consumed: (group: string, topic: TopicName, partition: number, records: number, lag: number) => void
  /** The partition is no longer this process's: its lag is for another to tell. */
  readonly partitionLeft: (group: string, topic: TopicName, partition: number) => void
  readonly consumerRestarted: (group: string) => void
  readonly projected: (records: number, seconds: number) => void
  /** An event is in the views, so long after it was taken in. */
  readonly viewed: (source: string, seconds: number) => void
  readonly delivery: (accountId: string, outcome: 'delivered' | 'failed' | 'suppressed', because?: Because) => void
  readonly attempt: (accountId: string, result: string, seconds: number) => void
  /** The service took the bot's answer to a client, so long after the client's message was taken in. */
  readonly answered: (accountId: string, seconds: number) => void
  /** A command was not sent: another one of its chat had the same id. Whether that asked for the same may not be known any more. */
  readonly duplicateCommand: (accountId: string, content: 'other' | 'unknown') => void
  readonly deadLetter: (consumer: string, cause: string) => void
  /** Records of a topic that are older than they may be, and stay since they are not in the archive and the views. */
  readonly overdue: (topic: string, records: number) => void
  readonly quarantined: (api: 'webhooks' | 'bot', reason: string) => void
}
