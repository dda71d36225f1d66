import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/** A file of frames. Its name has the first position and the mark, so damage of the content cannot destroy them. */
export type SegmentName = { readonly name: string; readonly first: number; readonly mark: Buffer }

/**
 * A segment in use. `start`: where its frames begin. `bytes`: the length up to the end of the durable bytes. `unread`:
 * how many of its records the drain has not loaded. `unreadSince`: when the oldest of these was appended, or earlier
 * (ms since 1970).
 */
export type Segment = SegmentName & {
  readonly path: string
  readonly start: number
  bytes: number
  unread: number
  unreadSince: number
}

const shape = /^(\d{15})-([0-9a-f]{8})\.segment$/

export const isSegment = (file: string): boolean => file.endsWith('.segment')

export const parseName = (name: string): SegmentName | undefined => {
  const [, first, mark] = shape.exec(name) ?? []
  return first === undefined || mark === undefined
    ? undefined
    : { name, first: Number(first), mark: Buffer.from(mark, 'hex') }
}

const magic = Buffer.from('journal2')
const at = { acknowledged: 8, checksum: 14 } as const
export const headerSize = 18

/**
 * Magic (8 bytes), where the acknowledged bytes end (6), CRC-32 of these 14 bytes (4). The header is written after the
 * bytes of a group, and the same fdatasync makes both durable. So no record of a group is acknowledged before the
 * header has the group's end. If the power fails before the fdatasync, bytes that were never acknowledged may count as
 * damage. Acknowledged bytes never count as a torn tail.
 */
export const encodeHeader = (acknowledged: number): Buffer => {
  const header = Buffer.alloc(headerSize)
  magic.copy(header)
  header.writeUIntLE(acknowledged, at.acknowledged, 6)
  header.writeUInt32LE(crc32(header.subarray(0, at.checksum)), at.checksum)
  return header
}

/** Where the frames begin, and where the bytes end that may have been acknowledged. */
export type Extent = { readonly start: number; readonly acknowledged: number }

/** Without a readable header (an older segment, or a damaged header) every byte may have been acknowledged. */
export const readHeader = (content: Buffer): Extent => {
  const header = content.subarray(0, headerSize)
  // The first group is written before the header. So a header of zeros means: nothing was acknowledged yet.
  if (header.every((byte) => byte === 0)) return { start: headerSize, acknowledged: header.length }
  const isHeader = header.length === headerSize && encodeHeader(header.readUIntLE(at.acknowledged, 6)).equals(header)
  return isHeader
    ? { start: headerSize, acknowledged: header.readUIntLE(at.acknowledged, 6) }
    : { start: 0, acknowledged: content.length }
}

/** A segment whose file does not exist yet. Names sort in the order of the positions. */
export const newSegment = (dir: string, first: number): Segment => {
  const mark = randomBytes(4)
  const name = `${String(first).padStart(15, '0')}-${mark.toString('hex')}.segment`
  return { name, path: join(dir, name), first, mark, start: headerSize, bytes: headerSize, unread: 0, unreadSince: 0 }
}
