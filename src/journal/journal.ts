import { open } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure, Log, Now, OutgoingRecord } from '../domain/ports.ts'
import { serial } from '../shared/serial.ts'
import { type DamageCount, damageReport } from './damage.ts'
import { attempt, makeFolder, type OpenFile } from './files.ts'
import { type Entry, journalReader } from './reader.ts'
import { encodeRecord } from './record.ts'
import { checkpointWriter, recover } from './recovery.ts'
import type { Segment } from './segment.ts'
import { full, groupCommit, mostBytes, segmentWriter } from './writer.ts'

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
  /** Bytes on the disk, and at most so many of what is being written. */
  readonly size: () => number
  readonly close: () => Promise<void>
}

export type JournalOptions = {
  /** Made when it is missing; for one process at a time, which the caller sees to. */
  readonly dir: string
  /** What the segments may take of the disk. */
  readonly maxBytes: number
  /** Whether there is room for so many bytes more, where journals share one cap. */
  readonly hasRoom?: (bytes: number) => boolean
  /** Where a segment ends; a larger record has one for itself. By default 8 MiB, or an eighth of `maxBytes`. */
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

/** A journal on a folder that exists: recovery first, then writing and reading side by side. */
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
  // What cannot be read now is tried again, and reported, by the drain.
  await tidy().catch(() => undefined)

  const size = () => sum(({ bytes }) => bytes) + commits.bytes()
  const { hasRoom = (bytes: number) => size() + bytes <= maxBytes } = options

  const append = async (record: OutgoingRecord) => {
    if (closed) return closedAlready
    const body = encodeRecord(record)
    return hasRoom(mostBytes(body)) ? commits.append(body) : full
  }

  const remember = async (position: number) => {
    reader.take(position)
    await checkpoint(position)
    await tidy()
  }

  const oldestAt = () => reader.ready()[0]?.appendedAt ?? segments.find(({ unread }) => unread > 0)?.unreadSince

  const close = async () => {
    closed = true
    await commits.settled()
    await writing(writer.leave)
    await reading(async () => undefined)
  }

  return {
    append,
    size,
    peek: (most) => attempt('the journal cannot be read', () => reading(() => reader.peek(most))),
    drained: (position) => attempt('the journal cannot be tidied', () => reading(() => remember(position))),
    state: () => {
      const oldest = oldestAt()
      return {
        ...{ records: records(), bytes: sum(({ bytes }) => bytes), damaged: damage.count() },
        ...(oldest !== undefined && { oldestAt: oldest }),
      }
    },
    close,
  }
}

/**
 * Opens a local buffer for records that Kafka does not take: segment files, each record with a checksum, groups made
 * durable with one fdatasync. Left: it cannot be read or written.
 *
 * No library that was found gives a checksum for each record, a cap, damage that is set aside, and groups for one sync
 * together: LMDB, flumelog-offset and async-append-only-log have no checksums, LevelDB and SQLite drop or refuse what is
 * damaged (and SQLite was four times slower in groups), `writeahead` has no cap and stands on alpha releases. So this
 * room is the journal, and is kept small.
 */
export const openJournal = (options: JournalOptions): Promise<E.Either<Failure, Journal>> =>
  attempt('it cannot be read', async () => {
    await makeFolder(options.dir)
    return openFolder({ openFile: open, ...options })
  })
