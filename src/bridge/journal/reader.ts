import { open, rm } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { OutgoingRecord } from '../domain/log/record.ts'
import type { DamageReport } from './damage.ts'
import { decodeJournaled } from './record.ts'
import { type Segment, scanFrames } from './segment.ts'

/** A record in the journal; `appendedAt` in ms since 1970. */
export type Entry = { readonly position: number; readonly appendedAt: number; readonly record: OutgoingRecord }

const readPart = async (path: string, from: number, to: number): Promise<Buffer> => {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(to - from), 0, to - from, from)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Loads the records of the oldest segment, and removes it when they are drained. Its calls must not overlap. */
export const journalReader = ({
  segments,
  drained,
  damage,
}: {
  readonly segments: Segment[]
  readonly drained: number
  readonly damage: DamageReport
}) => {
  let ready: ReadonlyArray<Entry> = []
  let done = drained
  let offset = 0

  const reported = async (place: Parameters<DamageReport['report']>[0]) => {
    const outcome = await damage.report(place)
    if (E.isLeft(outcome)) throw new Error(outcome.left.reason)
  }

  const load = async (segment: Segment) => {
    const { name, bytes, unread } = segment
    const part = await readPart(segment.path, offset, bytes)
    if (part.length < bytes - offset)
      await reported({
        file: name,
        offset: offset + part.length,
        content: Buffer.alloc(0),
        reason: 'the file is shorter than its acknowledged length',
      })
    const { frames, damaged } = scanFrames(segment.syncMarker, part)
    for (const { offset: place, bytes: length, reason } of damaged)
      await reported({ file: name, offset: offset + place, content: part.subarray(place, place + length), reason })
    const entries: Entry[] = []
    for (const { position, appendedAt, body } of frames.filter(({ position }) => position > done)) {
      const record = decodeJournaled(body)
      if (E.isRight(record)) entries.push({ position, appendedAt, record: record.right })
      else
        await reported({
          file: name,
          offset: body.byteOffset - part.byteOffset + offset,
          content: body,
          reason: record.left,
        })
    }
    ready = entries
    offset = bytes
    segment.unread -= unread
    segment.unreadSince = frames.at(-1)?.appendedAt ?? segment.unreadSince
  }

  const fill = async (): Promise<void> => {
    for (let [segment] = segments; ready.length === 0 && segment !== undefined; [segment] = segments) {
      offset = Math.max(offset, segment.start)
      if (offset < segment.bytes) await load(segment)
      else if (segments.length === 1) return
      else await drop(segment)
    }
  }

  const drop = async (segment: Segment) => {
    await rm(segment.path, { force: true })
    segments.shift()
    offset = 0
  }

  return {
    /** At most so many of the oldest records that are not drained. Empty only when no such record is left. */
    peek: async (max: number): Promise<ReadonlyArray<Entry>> => {
      await fill()
      return ready.slice(0, max)
    },
    /** Marks all records up to and including this position as drained. */
    take: (position: number): void => {
      done = Math.max(done, position)
      ready = ready.filter((entry) => entry.position > position)
    },
    fill,
    /** Removes the last segment too if it is completely drained. The writer must have left it. */
    dropLast: async (): Promise<void> => {
      const [segment] = segments
      if (ready.length === 0 && segments.length === 1 && segment && Math.max(offset, segment.start) >= segment.bytes)
        await drop(segment)
    },
    ready: () => ready,
  }
}
