import { rm, stat } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Now } from '../domain/clock.ts'
import type { Failure } from '../domain/log/record.ts'
import type { Log } from '../shared/log.ts'
import { codeOf, type Handle, type OpenFile, syncPath, writeAll } from './files.ts'
import { encodeFrame, encodeHeader, frameSize, headerSize, newSegment, type Segment } from './segment.ts'

export const full: E.Either<Failure, never> = E.left({ kind: 'transient', reason: 'journal full' })

/** How many bodies were tried (`taken`), and the outcome: all of these are durable, or none is acknowledged. */
type Written = { readonly taken: number; readonly outcome: E.Either<Failure, void> }

const sum = (sizes: ReadonlyArray<number>) => sizes.reduce((total, size) => total + size, 0)

/** The first body, and as many of the next bodies as fit into the room. */
const fitting = (bodies: ReadonlyArray<Buffer>, room: number) => {
  let size = 0
  const end = bodies.findIndex((body, i) => {
    size += frameSize(body)
    return i > 0 && size > room
  })
  return end === -1 ? bodies : bodies.slice(0, end)
}

/** Appends groups of records to the newest segment, each with one fdatasync. Its calls must not overlap. */
export const segmentWriter = ({
  dir,
  segments,
  segmentBytes,
  nextPosition,
  openFile,
  now,
  log,
}: {
  readonly dir: string
  readonly segments: Segment[]
  readonly segmentBytes: number
  readonly nextPosition: number
  readonly openFile: OpenFile
  readonly now: Now
  readonly log: Log
}) => {
  let position = nextPosition
  let open: { readonly handle: Handle; readonly segment: Segment } | undefined
  let failing = false

  /** Closes the current segment. The next record begins another one. */
  const leave = async (): Promise<void> => {
    const left = open
    open = undefined
    await left?.handle.close().catch(() => undefined)
  }

  const begin = async () => {
    await leave()
    const segment = newSegment(dir, position)
    const handle = await openFile(segment.path, 'wx')
    open = { handle, segment }
    segments.push(segment)
    await syncPath(dir)
    return open
  }

  // A page that could not be synced may be lost from memory too. So a segment that failed is never written again.
  const abandon = async () => {
    if (open === undefined) return
    const { handle, segment } = open
    const undone = async () => {
      await writeAll(handle, encodeHeader(segment.bytes), 0).catch(() => undefined)
      await handle.truncate(segment.bytes)
      await handle.datasync()
    }
    await undone().catch(() => undefined)
    await leave()
    if (segment.bytes > segment.start) return
    segments.splice(segments.indexOf(segment), 1)
    await rm(segment.path, { force: true }).catch(() => undefined)
  }

  const append = async (bodies: ReadonlyArray<Buffer>): Promise<number> => {
    const [first = Buffer.alloc(0)] = bodies
    const fits = open !== undefined && open.segment.bytes + frameSize(first) <= segmentBytes
    const { handle, segment } = open !== undefined && fits ? open : await begin()
    const group = fitting(bodies, segmentBytes - segment.bytes)
    const appendedAt = Date.parse(now())
    const start = position
    // These positions are never reused, even if the write fails. Otherwise its remains could look like a later record.
    position += group.length
    const frames = group.map((body, i) => encodeFrame(segment.syncMarker, { position: start + i, appendedAt, body }))
    const acknowledged = segment.bytes + sum(frames.map(({ length }) => length))
    await writeAll(handle, Buffer.concat(frames), segment.bytes)
    await writeAll(handle, encodeHeader(acknowledged), 0)
    await handle.datasync()
    // A file that somebody has deleted can still be written, and ends with this process.
    await stat(segment.path)
    segment.bytes = acknowledged
    if (segment.unread === 0) segment.unreadSince = appendedAt
    segment.unread += group.length
    return group.length
  }

  const write = async (bodies: ReadonlyArray<Buffer>): Promise<Written> => {
    try {
      const taken = await append(bodies)
      if (failing) log.info({}, 'the journal can be written again')
      failing = false
      return { taken, outcome: E.right(undefined) }
    } catch (cause) {
      await abandon()
      if (!failing) log.error({ code: codeOf(cause), records: bodies.length }, 'the journal cannot be written')
      failing = true
      return { taken: bodies.length, outcome: full }
    }
  }

  return { write, leave }
}

/** The maximum size of a record on disk. It includes the header, since the record may begin a segment. */
export const maxBytesOnDisk = (body: Buffer): number => headerSize + frameSize(body)

type Waiting = { readonly body: Buffer; readonly settle: (outcome: E.Either<Failure, void>) => void }

/**
 * Collects the next group while one group is written. Each record is acknowledged with its group, in order.
 * `bytes` is the size of the records that are not settled yet.
 */
export const groupCommit = (write: (bodies: ReadonlyArray<Buffer>) => Promise<Written>) => {
  let waiting: Waiting[] = []
  let bytes = 0
  let running: Promise<void> | undefined

  const run = async () => {
    while (waiting.length > 0) {
      const { taken, outcome } = await write(waiting.map(({ body }) => body))
      const group = waiting.slice(0, taken)
      waiting = waiting.slice(taken)
      for (const { body, settle } of group) {
        bytes -= maxBytesOnDisk(body)
        settle(outcome)
      }
    }
    running = undefined
  }

  const append = (body: Buffer): Promise<E.Either<Failure, void>> =>
    new Promise((settle) => {
      waiting.push({ body, settle })
      bytes += maxBytesOnDisk(body)
      // Starts in a later microtask, so that records that arrive together are written together.
      running ??= Promise.resolve().then(run)
    })

  return { append, bytes: () => bytes, idle: async () => running }
}
