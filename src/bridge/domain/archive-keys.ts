import type { LogPlace } from './log/positions.ts'
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
