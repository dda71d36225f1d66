import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { TopicName } from '../../../contracts/topics.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
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
