import type { Either } from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { History } from '../../../contracts/http.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import type { TopicName } from '../../../contracts/topics.ts'
import type { ConversationDocument, conversations } from '../../../contracts/views/conversation.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import type { DeliveryDocument, deliveries } from '../../../contracts/views/delivery.ts'
import type { Account } from './accounts.ts'

/**
 * Why an operation failed. A retry may succeed after a `transient` failure, and never after a `permanent` one.
 * `too-large` is a permanent failure of a record that Kafka would accept if it were smaller.
 */
export type Failure = { readonly kind: 'transient' | 'permanent' | 'too-large'; readonly reason: string }

export type Now = () => Instant
export type { Sleep } from '../shared/time.ts'
export type { Measure } from './metrics.ts'

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
export type Place = 'kafka' | 'journal'

/**
 * As `Publish`, but the event goes to the journal while Kafka is unavailable. `dataJson` is the JSON of the data, if
 * the caller has it already.
 */
export type PublishWithFallback = (
  event: DomainEvent,
  withinMs: number,
  dataJson?: string,
) => Promise<Either<Failure, Place>>

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

/** Records of one partition in their order. */
export type Slice = {
  readonly topic: TopicName
  readonly partition: number
  readonly records: ReadonlyArray<IncomingRecord>
}

/** Keeps a record that cannot be processed because of its content, with the cause. Resolves when that is durable. */
export type DeadLetter = (record: IncomingRecord, cause: string, detail: string) => Promise<void>

/**
 * A dependency's state for /readyz. `reason` says what is wrong, or what is known to work. `isLimited`: the check
 * passes, so that the process gets requests, but something does not work, and `reason` says what. `isOff`: the part does
 * not run at all.
 */
export type Health = {
  readonly ok: boolean
  readonly reason: string
  readonly isLimited?: true
  readonly isOff?: true
}
export type CheckHealth = () => Health | Promise<Health>

/** A structured log: fields first, then a fixed sentence. Fields never hold secrets or personal data. */
export type Log = {
  readonly debug: (fields: object, message: string) => void
  readonly info: (fields: object, message: string) => void
  readonly warn: (fields: object, message: string) => void
  readonly error: (fields: object, message: string) => void
}

/** What a handler may do with a partition that its consumer owns. */
export type OwnedPartition = {
  /** False once the partition belongs to another consumer. Then work for it must have no effect any more. */
  readonly isCurrent: () => boolean
  /** Everything up to and including this offset is finished and can be committed (commit `by-handler`). */
  readonly done: (offset: number) => void
  /** Stops fetching from this partition until the returned function is called. */
  readonly pause: () => () => void
}

/** Handles a slice. The consumer calls it again with the same slice until it resolves. A throw means 'redeliver'. */
export type HandleSlice = (slice: Slice, partition: OwnedPartition) => Promise<void>

/** The ids of topics. A topic that is deleted and created again has a new id. Missing if the broker has none. */
export type TopicIds = ReadonlyMap<TopicName, string>

export type ConsumerSpec = {
  /** The consumer group, after TOPIC_PREFIX. */
  readonly group: string
  /** The group's name gets a random suffix, so this consumer reads all partitions. The group is deleted at the end. */
  readonly alone?: true
  readonly topics: ReadonlyArray<TopicName>
  /**
   * While the broker denies reading one of these, the other topics are read without it. Of any other topic the consumer
   * waits for the permission and reads nothing. Default: none.
   */
  readonly leftOutIfDenied?: ReadonlyArray<TopicName>
  readonly handle: HandleSlice
  /** In ms: so long after a member's death another one has its partitions. Default: 12 s. */
  readonly sessionTimeoutMs?: number
  /** A fetch waits for this many bytes, or for this long. Default: 1 byte or 100 ms. */
  readonly fetchWaitsFor?: { readonly bytes: number; readonly ms: number }
  /** When far behind, a slice has up to this many records of 1.4 kB, not 500. Three partitions may do so at once. */
  readonly catchUpRecords?: number
  /** `when-handled`: a slice is committed when `handle` resolves. `by-handler`: when the handler calls `done`. */
  readonly commit: 'when-handled' | 'by-handler'
  /** Called when partitions are assigned to this consumer, before their first slice. */
  readonly onAssigned?: (partitions: ReadonlyArray<number>) => void
  /** Called when reading of a partition begins, before its first slice. An empty partition has no slice. */
  readonly onOwned?: (topic: TopicName, partition: number, owned: OwnedPartition) => void
  /**
   * Returns why these topics must not be read, and what an operator must do. Until it returns undefined, the consumer
   * is not ready and calls it again.
   */
  readonly refuseTopics?: (ids: TopicIds) => Promise<string | undefined>
  /** Asked every ten seconds while it reads: why reading must end. Then `refuseTopics` is called before it goes on. */
  readonly mustEnd?: () => Promise<string | undefined>
  /** The offset at which reading begins, instead of the group's own committed offset. */
  readonly startAt?: (topic: TopicName, partition: number) => Promise<number | undefined>
}

export type RunningConsumer = { readonly health: CheckHealth; readonly stop: () => Promise<void> }
export type Consume = (spec: ConsumerSpec) => Promise<RunningConsumer>

/** A record that was read: its epoch and offset, and its time if that is to be compared too. */
export type LogMark = { readonly epoch: number; readonly offset: number; readonly timestamp?: number }

/**
 * `intact`: the log still has the record, so also all records before it. `cut`: it has lost the record. Its records
 * from `from` on have newer epochs, or it has none there yet. `other`: it has other records with the same epochs, as
 * after a restore from an older copy; `from` is not after the first of them, as far as the log shows it.
 */
export type Verdict = { readonly kind: 'intact' } | { readonly kind: 'cut' | 'other'; readonly from: number }

/** Compares the log of a topic with one record of each partition that was read from it before. */
export type CompareLog = (
  topic: TopicName,
  marks: ReadonlyMap<number, LogMark>,
) => Promise<ReadonlyMap<number, Verdict>>

/** The first offset that a partition still has, and the offset that its next record will get. */
export type OffsetRange = { readonly low: number; readonly high: number }
/** Where the log of each partition of a topic begins and ends. */
export type Ranges = (topic: TopicName) => Promise<ReadonlyMap<number, OffsetRange>>
/** The offset after the last record of each partition of a topic. */
export type EndOffsets = (topic: TopicName) => Promise<ReadonlyMap<number, number>>
/**
 * The committed offsets of a group for a topic. Missing are partitions without a commit, and those whose commit was
 * made for an earlier topic of that name. If a log has lost its end, only what it still has counts.
 */
export type CommittedOffsets = (group: string, topic: TopicName) => Promise<ReadonlyMap<number, number>>

/** An event and its place in the log, with dates in place of its times. */
export type Recorded<E extends DomainEvent = DomainEvent> = {
  readonly event: Dated<E>
  readonly topic: TopicName
  readonly partition: number
  readonly offset: number
  /** The leader epoch in which it was appended, if it is known. */
  readonly epoch?: number
  /** The size of the record's value, if it is known. */
  readonly bytes?: number
  /**
   * Set if the bridge received the event before its person was erased. `event` has nothing personal then, and this is
   * the event as it was received.
   */
  readonly beforeErasure?: Dated<DomainEvent>
}

/** A document of a view. Its further fields are known to its view only. */
export type ViewDocument = { readonly _id: string }

/**
 * A change of one document of a view, or of the newest document of a chain. `evolve` returns the new version of the
 * document, and after it the next document of the chain if one begins. Pure and idempotent.
 */
export type Change = {
  readonly view: string
  /** The document's `_id`. For a chain: its name, which the newest document has as `latestOf`. */
  readonly id: string
  readonly evolve: (current: ViewDocument | undefined) => ReadonlyArray<ViewDocument>
  /** If set, this changes every document with these fields, and no other. `id` is the chat's or the client's. */
  readonly where?: Readonly<Record<string, string>>
}

/** Applies changes in order and resolves when they are durable on a majority. A throw means 'not known, retry'. */
export type ApplyChanges = (changes: ReadonlyArray<Change>) => Promise<void>

/** Reads one document of the views that decide about replies. */
export type ReadDocument = {
  (view: typeof conversations.name, id: string): Promise<ConversationDocument | undefined>
  (view: typeof deliveries.name, id: string): Promise<DeliveryDocument | undefined>
}

/** The access token of Interface B for an account, and for how many more seconds it is valid. */
export type IssueToken = (account: Account) => Promise<{ readonly token: string; readonly expiresIn: number }>
/** True if the token is the account's own and has not expired. */
export type VerifyToken = (account: Account, token: string) => Promise<boolean>

/** A record's place in the log. `generation` is its topic's id: a topic that is created again begins at offset 0. */
export type LogPlace = { readonly generation: string; readonly partition: number; readonly offset: number }

/**
 * The data key that encrypts the personal data in the records of one record key of a topic. A key of ARCHIVE_KEY_FILE
 * wraps it. `id` is `<topic>/<record key>`. After an erasure `erasedKids` has the destroyed keys, and records before
 * `erased` have no key. `erasedKids` also has the lost keys whose loss an operator has accepted.
 */
export type ArchiveKey = {
  readonly id: string
  readonly kid?: string
  readonly wrapped?: string
  readonly erased?: LogPlace
  readonly erasedKids: ReadonlyArray<string>
  /** Records before these places whose keys are lost count as erased: an operator has accepted the loss. */
  readonly lostBefore?: ReadonlyArray<LogPlace>
}
export type NewArchiveKey = { readonly id: string; readonly kid: string; readonly wrapped: string }

/** Every function may throw, which means 'not known'. What it has written is durable on a majority. */
export type ArchiveKeys = {
  readonly find: (ids: ReadonlyArray<string>) => Promise<ReadonlyMap<string, ArchiveKey>>
  /** Stores each key unless its id has one already: the first key wins. */
  readonly add: (keys: ReadonlyArray<NewArchiveKey>) => Promise<void>
  /** Destroys the key of the records before this place, unless that was done before. */
  readonly destroy: (id: string, place: LogPlace) => Promise<void>
  /** From now on the records before these places, whose keys are lost, count as erased. */
  readonly acceptLoss: (
    lost: ReadonlyArray<{ readonly id: string; readonly before: ReadonlyArray<LogPlace> }>,
  ) => Promise<void>
  /**
   * Removes every key that is wrapped with the same wrapping key as this one, since nobody can open them. An archiver that
   * starts then looks through the whole archive again.
   */
  readonly giveUp: (wrapped: string) => Promise<void>
  /** One wrapped data key for each wrapping key. */
  readonly examples: () => Promise<ReadonlyArray<string>>
  /** Every key that is not destroyed. */
  readonly all: () => AsyncIterable<NewArchiveKey>
  /** Stores the same key in another wrapping, unless it has been destroyed by then. */
  readonly rewrap: (keys: ReadonlyArray<NewArchiveKey>) => Promise<void>
}

/** The messages of chats, for bots. Each function throws if MongoDB does not answer in time. */
export type ChatHistory = {
  /** Whether the views have an event of the chat, by its ce_id. */
  readonly has: (chat: ChatName, eventId: string) => Promise<boolean>
  /** The newest messages, at most `last`. Undefined if the views have nothing of the chat, or if it was erased. */
  readonly read: (chat: ChatName, last: number) => Promise<History | undefined>
}

export type ChatName = { readonly accountId: string; readonly chatId: string }
