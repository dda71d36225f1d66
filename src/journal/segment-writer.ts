import { rm } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure, Log, Now } from '../domain/ports.ts'
import { type Handle, type OpenFile, syncPath, writeAll } from './durable-files.ts'
import { codeOf, transient } from './failure.ts'
import { encodeFrame, frameSize } from './frame.ts'
import { newSegment, type Segment } from './segment.ts'

export const full = transient('journal full')

type Deps = {
  readonly dir: string
  readonly segments: Segment[]
  readonly segmentBytes: number
  readonly nextPosition: number
  readonly openFile: OpenFile
  readonly now: Now
  readonly log: Log
}

/** How many of the bodies were tried, and what became of them: all are durable or none is acknowledged. */
export type Written = { readonly taken: number; readonly outcome: E.Either<Failure, void> }

export type SegmentWriter = {
  readonly write: (bodies: ReadonlyArray<Buffer>) => Promise<Written>
  /** Closes the present segment: the next record begins another one. */
  readonly leave: () => Promise<void>
}

const sum = (sizes: ReadonlyArray<number>) => sizes.reduce((total, size) => total + size, 0)

/** Appends records to the newest segment, as many as fit with one write and one fdatasync. To be called one at a time. */
export const segmentWriter = (deps: Deps): SegmentWriter => {
  const { dir, segments, segmentBytes, openFile, now, log } = deps
  let position = deps.nextPosition
  let open: { readonly handle: Handle; readonly segment: Segment } | undefined
  let failing = false

  const leave = async () => {
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

  const fitting = (bodies: ReadonlyArray<Buffer>, room: number) => {
    let size = 0
    const end = bodies.findIndex((body, i) => {
      size += frameSize(body)
      return i > 0 && size > room
    })
    return end === -1 ? bodies : bodies.slice(0, end)
  }

  // A page that could not be synced may be gone from memory too, so a segment that failed is never written again.
  const abandon = async () => {
    if (open === undefined) return
    const { handle, segment } = open
    const undone = async () => {
      await handle.truncate(segment.bytes)
      await handle.datasync()
    }
    await undone().catch(() => undefined)
    await leave()
    if (segment.bytes > 0) return
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
    // Never used again, even when the write fails: what it left behind must not be taken for a later record.
    position += group.length
    const frames = group.map((body, i) => encodeFrame(segment.mark, { position: start + i, appendedAt, body }))
    await writeAll(handle, Buffer.concat(frames), segment.bytes)
    await handle.datasync()
    segment.bytes += sum(frames.map(({ length }) => length))
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
