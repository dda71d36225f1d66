import { open } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Now } from '../domain/clock.ts'
import type { Failure, OutgoingRecord } from '../domain/log/record.ts'
import { serial } from '../shared/keyed-queue.ts'
import type { Log } from '../shared/log.ts'
import { type DamageCount, damageReport } from './damage.ts'
import { attempt, makeFolder, type OpenFile } from './files.ts'
import { type Entry, journalReader } from './reader.ts'
import { encodeJournaled } from './record.ts'
import { checkpointWriter, recover } from './recovery.ts'
import type { Segment } from './segment.ts'
import { full, groupCommit, maxBytesOnDisk, segmentWriter } from './writer.ts'

/**
 * `records`: how many are not drained yet. `oldestAt`: when the oldest of them was appended (ms since 1970). `bytes`:
 * the size of the segments on disk. `damaged`: the damage that was found since the journal was opened.
 */
export type JournalState = {
  readonly records: number
  readonly bytes: number
  readonly oldestAt?: number
  readonly damaged: DamageCount
}

export type Journal = {
  /** Right when the record is durable, in the order of the calls. Left, transient (`journal full`): it is not kept. */
  readonly append: (record: OutgoingRecord) => Promise<E.Either<Failure, void>>
  /** At most so many of the oldest records that are not drained, in order. Like `drained`, for one caller at a time. */
  readonly peek: (max: number) => Promise<E.Either<Failure, ReadonlyArray<Entry>>>
  /** Stores that Kafka has all records up to and including this position. Deletes the segments that are now empty. */
  readonly drained: (position: number) => Promise<E.Either<Failure, void>>
  readonly state: () => JournalState
  /** The bytes on disk, and an upper bound for the records that are not written yet. */
  readonly size: () => number
  readonly close: () => Promise<void>
}

export type JournalOptions = {
  /** Created if it is missing. The caller ensures that only one process uses it. */
  readonly dir: string
  /** The maximum size of the segments on disk. */
  readonly maxBytes: number
  /** Whether there is room for so many more bytes, where journals share one limit. */
  readonly hasRoom?: (bytes: number) => boolean
  /** The maximum size of a segment; a larger record gets its own. Default: the smaller of 8 MiB and `maxBytes / 8`. */
  readonly segmentBytes?: number
  readonly now: Now
  readonly log: Log
  readonly openFile?: OpenFile
}

const closedAlready: E.Either<Failure, never> = E.left({ kind: 'transient', reason: 'journal closed' })

/** The sum over journals. */
export const sumOf = (states: ReadonlyArray<JournalState>): JournalState => {
  const sum = (of: (state: JournalState) => number) => states.reduce((total, state) => total + of(state), 0)
  const oldest = Math.min(...states.map(({ oldestAt = Number.POSITIVE_INFINITY }) => oldestAt))
  return {
    records: sum(({ records }) => records),
    bytes: sum(({ bytes }) => bytes),
    damaged: { places: sum(({ damaged }) => damaged.places), bytes: sum(({ damaged }) => damaged.bytes) },
    ...(Number.isFinite(oldest) && { oldestAt: oldest }),
  }
}

/** Opens a journal in an existing folder: recovery first, then writing and reading in parallel. */
const openFolder = async (options: JournalOptions & Pick<Required<JournalOptions>, 'openFile'>): Promise<Journal> => {
  const { dir, maxBytes, openFile, log } = options
  const { segmentBytes = Math.min(8 * 1024 * 1024, Math.ceil(maxBytes / 8)) } = options
  const damage = damageReport(dir, openFile, log)
  const { segments, drained, nextPosition } = await recover({ dir, damage, log })
  const writer = segmentWriter({ ...options, segmentBytes, segments, nextPosition })
  const reader = journalReader({ segments, drained, damage })
  const checkpoint = checkpointWriter(dir, openFile, log)
  const [writing, reading] = [serial(), serial()]
  const commits = groupCommit((bodies) => writing(() => writer.write(bodies)))
  let closed = false

  const sum = (of: (segment: Segment) => number) => segments.reduce((total, segment) => total + of(segment), 0)
  const records = () => reader.ready().length + sum(({ unread }) => unread)

  const dropWhenEmpty = async () => {
    if (records() > 0) return
    await writer.leave()
    await reader.dropLast()
  }
  const tidy = async () => {
    await reader.fill()
    if (records() === 0) await writing(dropWhenEmpty)
  }
  // If this fails, the drain reads the records again and reports the failure.
  await tidy().catch(() => undefined)

  const size = () => sum(({ bytes }) => bytes) + commits.bytes()
  const { hasRoom = (bytes: number) => size() + bytes <= maxBytes } = options

  const append = async (record: OutgoingRecord) => {
    if (closed) return closedAlready
    const body = encodeJournaled(record)
    return hasRoom(maxBytesOnDisk(body)) ? commits.append(body) : full
  }

  const remember = async (position: number) => {
    reader.take(position)
    await checkpoint(position)
    await tidy()
  }

  const oldestAt = () => reader.ready()[0]?.appendedAt ?? segments.find(({ unread }) => unread > 0)?.unreadSince

  const close = async () => {
    closed = true
    await commits.idle()
    await writing(writer.leave)
    await reading(async () => undefined)
  }

  return {
    append,
    size,
    peek: (max) => attempt('the journal cannot be read', () => reading(() => reader.peek(max))),
    drained: (position) =>
      attempt('drained records cannot be removed from the journal', () => reading(() => remember(position))),
    state: () => {
      const oldest = oldestAt()
      return {
        records: records(),
        bytes: sum(({ bytes }) => bytes),
        damaged: damage.count(),
        ...(oldest !== undefined && { oldestAt: oldest }),
      }
    },
    close,
  }
}

/**
 * Opens a local buffer for records that Kafka does not accept: segment files, a checksum for each record, and one
 * fdatasync for each group of records. Left: the folder cannot be read or written.
 *
 * We found no library with a checksum for each record, a size limit, copies of damaged bytes, and one sync for a group.
 * LMDB, flumelog-offset and async-append-only-log have no checksums. LevelDB and SQLite drop or refuse damaged data,
 * and SQLite was four times slower with groups. `writeahead` has no size limit and depends on alpha releases. So this
 * folder implements the journal, and is kept small.
 */
export const openJournal = (options: JournalOptions): Promise<E.Either<Failure, Journal>> =>
  attempt('it cannot be read', async () => {
    await makeFolder(options.dir)
    return openFolder({ openFile: open, ...options })
  })
