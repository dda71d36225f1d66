import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

/** A file of frames. What it is called is written once and never damaged with it: the first position and the mark. */
export type SegmentName = { readonly name: string; readonly first: number; readonly mark: Buffer }

/**
 * A segment in use. `bytes`: how long it is with what is durable in it; `unread`: how many of its records have not been
 * loaded for the drain; `unreadSince`: when the oldest of those was appended, or earlier (ms since 1970).
 */
export type Segment = SegmentName & { readonly path: string; bytes: number; unread: number; unreadSince: number }

const shape = /^(\d{15})-([0-9a-f]{8})\.segment$/

export const isSegment = (file: string): boolean => file.endsWith('.segment')

export const parseName = (name: string): SegmentName | undefined => {
  const [, first, mark] = shape.exec(name) ?? []
  return first === undefined || mark === undefined
    ? undefined
    : { name, first: Number(first), mark: Buffer.from(mark, 'hex') }
}

/** A segment that does not exist yet; names sort in the order of the positions. */
export const newSegment = (dir: string, first: number): Segment => {
  const mark = randomBytes(4)
  const name = `${String(first).padStart(15, '0')}-${mark.toString('hex')}.segment`
  return { name, path: join(dir, name), first, mark, bytes: 0, unread: 0, unreadSince: 0 }
}
