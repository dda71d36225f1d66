import type * as t from 'io-ts'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { OperatorAction } from '../../../contracts/commands/operator-action.ts'
import { ChatEvent, ConversationEvent, DomainEvent, type ErasureEvent } from '../../../contracts/events/index.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import { type TopicName, topicsOf, topicsOfRecords } from '../../../contracts/topics.ts'
import type { ViewContract } from '../../../contracts/views/contract.ts'
import type { QuarantinedRequest } from '../domain/quarantined.ts'
import type { Change, Recorded, ViewDocument } from './document.ts'
import { aboutOf, type Erasure, type ErasureOf } from './erase.ts'
import type { Index } from './indexes.ts'
import type { PersonFields } from './persons.ts'

/** An event with storable values only, its place in the log, and the event with the values that it came with. */
export type RecordedEvent<E extends DomainEvent = DomainEvent> = Recorded<E> & { readonly unconverted: Recorded }
type Place = Omit<Recorded, 'event'>
/** A command as it is recorded in bot-replies. */
export type RecordedReply<R extends BotReply = BotReply> = Place & {
  readonly reply: R
  readonly requestedAt: Instant
}
export type RecordedAction = { readonly action: OperatorAction }
export type RecordedRequest = Place & { readonly request: QuarantinedRequest }

/** By type, the records from which views are folded: events, commands, operators' actions, requests in quarantine. */
export type RecordOf = { readonly [E in DomainEvent as E['type']]: RecordedEvent<E> } & {
  readonly [R in BotReply as R['type']]: RecordedReply<R>
} & { readonly OperatorAction: RecordedAction; readonly QuarantinedRequest: RecordedRequest }
export type RecordType = keyof RecordOf
export type AnyRecord = RecordOf[RecordType]

/** An event without its times. */
export type TimelessEvent<E> = E extends unknown ? Omit<E, 'time' | 'receivedTime'> : never
/** A record without its time and its place in the log. */
export type Timeless<R> = R extends { readonly event: infer E }
  ? { readonly event: TimelessEvent<E> }
  : R extends { readonly reply: infer C }
    ? { readonly reply: C }
    : R

/**
 * How one type of record changes a document. Both functions are pure.
 *
 * A document is about one chat or client: their records come in order, and an erasure can empty it. A total of several
 * chats is a query (contracts/guides/analyst.md) or is computed from documents (daily-stats.ts).
 */
export type Fold<D, R> = {
  /**
   * The document's `_id`; for a chain its name, which the newest document has as `latestOf`. Undefined: the record
   * changes none. It is not made from times, so a repetition after midnight finds the same document.
   */
  readonly at: (record: Timeless<R>) => string | undefined
  /**
   * The new version of the document, and after it the next document of the chain if one begins. A record may be read
   * again, and an event may come again at another offset. Neither may count twice: `applyGuarded` sees to it.
   */
  readonly next: (current: D | undefined, record: R) => ReadonlyArray<D>
}

/** All changes of one record, for views whose records change several documents. */
export type Spread<R> = (record: R) => ReadonlyArray<Change>
export type Folds<D> = { readonly [T in RecordType]?: Fold<D, RecordOf[T]> | Spread<RecordOf[T]> }

const typesOf = <T extends string>(codecs: ReadonlyArray<{ readonly name: string }>): ReadonlyArray<T> =>
  codecs.map(({ name }) => name as T)

/** The types of the events of a chat with an agent, of a conversation with a bot, and of all events. */
export const chatTypes = typesOf<ChatEvent['type']>(ChatEvent.types)
export const conversationTypes = typesOf<ConversationEvent['type']>(ConversationEvent.types)
export const eventTypes = typesOf<DomainEvent['type']>(DomainEvent.types)

/** The same fold for several types of records. */
export const each = <const T extends RecordType, D>(types: ReadonlyArray<T>, fold: Fold<D, RecordOf[T]>) =>
  Object.fromEntries(types.map((type) => [type, fold])) as { readonly [K in T]: Fold<D, RecordOf[K]> }

/** Reads what a view needs to know before its changes are applied. */
export type Reads = {
  /** Fields of the documents of a view with these ids. */
  readonly find: (
    view: string,
    ids: ReadonlyArray<string>,
    fields: ReadonlyArray<string>,
  ) => Promise<ReadonlyArray<Readonly<Record<string, unknown>> & { readonly _id: string }>>
  /** How many documents of a view an account has, without the one of this id. */
  readonly countOthers: (view: string, accountId: string, id: string) => Promise<number>
}

/** What is true of a folded view alone, beside its contract. */
type ViewSpec<F> = {
  readonly folds: F
  readonly erasure: ErasureOf
  /** A document of the view has data of all chats, so changes are applied in the order of the log. */
  readonly isAccountWide?: true
  /** The documents form chains: the newest of each has the chain's name as `latestOf`. */
  readonly isChain?: true
  /** A document is written once and then changes by an erasure only, so it is inserted without a read. */
  readonly isWrittenOnce?: true
  /** The chat or client of which there is only one document: the account and this field are its `_id`. */
  readonly key?: 'chatId' | 'clientId'
  /** The changes to apply in place of these. */
  readonly choose?: (changes: ReadonlyArray<Change>, reads: Reads) => Promise<ReadonlyArray<Change>>
  /** Whether a live document may have been folded from records that its topics have deleted since. */
  readonly countsDeleted?: (document: Readonly<Record<string, unknown>>, now: number) => boolean
  /**
   * The id of the document that counts what an account has no room for, from the id of any of its documents. If it
   * exists, the order in which records were read decides which other documents the account has.
   */
  readonly overflowOf?: (id: string) => string
  /**
   * The view is for ever, and its topic is not: a rebuild keeps, unchanged, the documents that only the view has, also
   * those of a former version.
   */
  readonly isForEver?: true
  readonly indexes: ReadonlyArray<Index>
  /** How a person's documents are found; absent if none is about a person. */
  readonly person?: PersonFields
}

/** A view that is folded from records. The type of its documents is that of its codec. */
export type FoldedView<
  Name extends string = string,
  C extends t.Mixed = t.Mixed,
  T extends RecordType = RecordType,
> = ViewContract<Name, C> &
  Omit<ViewSpec<never>, 'folds' | 'erasure'> & {
    readonly kind: 'folded'
    readonly erasure: Erasure
    /** The types of records that it is folded from. */
    readonly types: ReadonlyArray<T>
    /** The topics that have them. */
    readonly topics: ReadonlyArray<TopicName>
    /** The changes that a record makes. */
    readonly changesOf: (type: RecordType, record: AnyRecord) => ReadonlyArray<Change>
  }

const topicsOfType = (type: RecordType): ReadonlyArray<TopicName> => [
  ...topicsOf(type as DomainEvent['type']).map(({ name }) => name),
  ...topicsOfRecords(type),
]

const asMarker = (record: AnyRecord): Recorded<ErasureEvent> | undefined =>
  isMarker(record) ? (record as Recorded<ErasureEvent>) : undefined
const isMarker = (record: AnyRecord): boolean =>
  'event' in record && (record.event.type === 'ChatErased' || record.event.type === 'ClientErased')

/**
 * A view from its contract and what is true of it alone. Hides the type of the documents, so that all views stand in
 * one list: a view holds its own documents only, so `current` is one of them.
 */
export const folded = <const Name extends string, C extends t.Mixed, F extends Folds<t.TypeOf<C>>>(
  contract: ViewContract<Name, C>,
  { folds, erasure: erasureOf, ...spec }: ViewSpec<F>,
): FoldedView<Name, C, keyof F & RecordType> => {
  const { name } = contract
  const types = Object.keys(folds) as ReadonlyArray<keyof F & RecordType>
  const topics = [...new Set(types.flatMap(topicsOfType))]
  const folding = folds as Readonly<Record<string, Fold<ViewDocument, AnyRecord> | Spread<AnyRecord> | undefined>>
  const erasure = erasureOf({ ...contract, ...spec })
  const emptiedBy = (marker: Recorded<ErasureEvent>) =>
    topics.includes(aboutOf(marker).topic) ? erasure.changes(name, marker) : []
  return {
    ...contract,
    ...spec,
    kind: 'folded',
    erasure,
    types,
    topics,
    changesOf: (type, record) => {
      const marker = asMarker(record)
      const erased = marker === undefined ? [] : emptiedBy(marker)
      const fold = folding[type]
      if (fold === undefined) return erased
      if (typeof fold === 'function') return [...erased, ...fold(record)]
      const id = fold.at(record)
      if (id === undefined) return erased
      return [...erased, { view: name, id, evolve: (current) => fold.next(current, record) }]
    },
  }
}
