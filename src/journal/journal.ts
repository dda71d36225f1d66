import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure, Log, Now, OutgoingRecord } from '../domain/ports.ts'
import type { DamageCount } from './damage-report.ts'
import { type OpenFile, syncPath } from './durable-files.ts'
import { attempt } from './failure.ts'
import { lockDirectory } from './lock.ts'
import type { Entry } from './reader.ts'
import { openStore } from './store.ts'

/**
 * `records` are not drained yet, the oldest was appended at `oldestAt` (ms since 1970); `bytes` is what the segments
 * take of the disk; `damaged` counts what was found damaged since the journal was opened.
 */
export type JournalState = {
  readonly records: number
  readonly bytes: number
  readonly oldestAt?: number
  readonly damaged: DamageCount
}

export type Journal = {
  /** Right once the record is durable, in the order of the calls. Left, transient, `journal full`: it is not kept. */
  readonly append: (record: OutgoingRecord) => Promise<E.Either<Failure, void>>
  /** The oldest records that are not drained, in order, at most so many. For one caller at a time, as `drained`. */
  readonly peek: (most: number) => Promise<E.Either<Failure, ReadonlyArray<Entry>>>
  /** Remembers that all up to and including this position is in the log, and frees the segments that this empties. */
  readonly drained: (position: number) => Promise<E.Either<Failure, void>>
  readonly state: () => JournalState
  readonly close: () => Promise<void>
}

export type JournalOptions = {
  /** Made when it is missing; for one process at a time. */
  readonly dir: string
  /** What the segments may take of the disk altogether. */
  readonly maxBytes: number
  /** Where a segment ends; a larger record has one for itself. By default 8 MiB, or an eighth of `maxBytes`. */
  readonly segmentBytes?: number
  readonly now: Now
  readonly log: Log
  readonly openFile?: OpenFile
}

/**
 * Opens the local buffer for records that the broker cannot take: segment files, each record with a checksum, groups
 * made durable with one write and one fdatasync. Left, transient: another process uses it, or the file system fails.
 *
 * No library that was found gives a checksum for each record, a cap, damage that is set aside, and groups for one sync
 * together: LMDB, flumelog-offset and async-append-only-log have no checksums, LevelDB and SQLite drop or refuse what is
 * damaged (and SQLite was four times slower in groups), `writeahead` has no cap and stands on alpha releases. So this
 * room is the journal, and is kept small.
 */
export const openJournal = async (options: JournalOptions): Promise<E.Either<Failure, Journal>> => {
  const { dir, maxBytes, segmentBytes = Math.min(8 * 1024 * 1024, Math.ceil(maxBytes / 8)), openFile = open } = options
  const what = 'the journal cannot be opened'
  const made = await attempt(what, async () => {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await syncPath(dirname(dir))
  })
  if (E.isLeft(made)) return made
  const lock = lockDirectory(dir)
  if (E.isLeft(lock)) return lock
  const unlock = lock.right
  const store = await attempt(what, () => openStore({ ...options, segmentBytes, openFile }))
  if (E.isLeft(store)) unlock()
  return E.map((journal: Journal) => ({ ...journal, close: () => journal.close().finally(unlock) }))(store)
}
