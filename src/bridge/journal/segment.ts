import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import * as E from 'fp-ts/lib/Either.js'

/** A file of frames. Its name has the first position and the syncMarker, so damage of the content cannot destroy them. */
export type SegmentName = { readonly name: string; readonly first: number; readonly syncMarker: Buffer }

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
  const [, first, syncMarker] = shape.exec(name) ?? []
  return first === undefined || syncMarker === undefined
    ? undefined
    : { name, first: Number(first), syncMarker: Buffer.from(syncMarker, 'hex') }
}

const magic = Buffer.from('journal2')
const headerLayout = { acknowledged: 8, checksum: 14 } as const
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
  header.writeUIntLE(acknowledged, headerLayout.acknowledged, 6)
  header.writeUInt32LE(crc32(header.subarray(0, headerLayout.checksum)), headerLayout.checksum)
  return header
}

/** Where the frames begin, and where the bytes end that may have been acknowledged. */
export type Extent = { readonly start: number; readonly acknowledged: number }

/** Without a readable header every byte may have been acknowledged. */
export const readSegmentHeader = (content: Buffer): Extent => {
  const header = content.subarray(0, headerSize)
  // The first group is written before the header. So a header of zeros means: nothing was acknowledged yet.
  if (header.every((byte) => byte === 0)) return { start: headerSize, acknowledged: header.length }
  const isHeader =
    header.length === headerSize && encodeHeader(header.readUIntLE(headerLayout.acknowledged, 6)).equals(header)
  return isHeader
    ? { start: headerSize, acknowledged: header.readUIntLE(headerLayout.acknowledged, 6) }
    : { start: 0, acknowledged: content.length }
}

/** A segment whose file does not exist yet. Names sort in the order of the positions. */
export const newSegment = (dir: string, first: number): Segment => {
  const syncMarker = randomBytes(4)
  const name = `${String(first).padStart(15, '0')}-${syncMarker.toString('hex')}.segment`
  return {
    name,
    path: join(dir, name),
    first,
    syncMarker,
    start: headerSize,
    bytes: headerSize,
    unread: 0,
    unreadSince: 0,
  }
}

const version = 1
/** Where each field of a frame begins. */
export const frameLayout = {
  syncMarker: 0,
  checksum: 4,
  version: 8,
  length: 9,
  position: 13,
  appendedAt: 19,
  body: 25,
} as const
const at = frameLayout

/**
 * One record in a segment. `position` is the record's number in its journal; it always increases. `appendedAt` is in
 * milliseconds since 1970. `bytes` is the size of the whole frame.
 */
type Frame = {
  readonly position: number
  readonly appendedAt: number
  readonly body: Buffer
  readonly bytes: number
}

/** Why no frame can be read at an offset. */
type Flaw = 'incomplete' | 'no record begins here' | 'wrong checksum' | 'unknown version'

export const frameSize = (body: Buffer): number => at.body + body.length

/**
 * Sync marker (4 bytes), CRC-32 of all later bytes (4), version (1), length of the body (4), position (6), time (6), body.
 * The sync marker is the segment's own random number, which is a part of its name. After damage the reader finds the next
 * record by the sync marker. A sender who controls bytes in a record cannot make them look like a record.
 */
export const encodeFrame = (syncMarker: Buffer, { position, appendedAt, body }: Omit<Frame, 'bytes'>): Buffer => {
  const frame = Buffer.allocUnsafe(at.body + body.length)
  syncMarker.copy(frame, at.syncMarker)
  frame.writeUInt8(version, at.version)
  frame.writeUInt32LE(body.length, at.length)
  frame.writeUIntLE(position, at.position, 6)
  frame.writeUIntLE(appendedAt, at.appendedAt, 6)
  body.copy(frame, at.body)
  frame.writeUInt32LE(crc32(frame.subarray(at.version)), at.checksum)
  return frame
}

/** The frame that begins at this offset. Its body is a view of `bytes`, not a copy. */
export const frameAt = (syncMarker: Buffer, bytes: Buffer, offset: number): E.Either<Flaw, Frame> => {
  const rest = bytes.subarray(offset)
  if (!syncMarker.equals(rest.subarray(at.syncMarker, at.checksum)))
    return E.left(rest.length < syncMarker.length ? 'incomplete' : 'no record begins here')
  if (rest.length < at.body) return E.left('incomplete')
  const end = at.body + rest.readUInt32LE(at.length)
  if (end > rest.length) return E.left('incomplete')
  if (crc32(rest.subarray(at.version, end)) !== rest.readUInt32LE(at.checksum)) return E.left('wrong checksum')
  if (rest.readUInt8(at.version) !== version) return E.left('unknown version')
  return E.right({
    position: rest.readUIntLE(at.position, 6),
    appendedAt: rest.readUIntLE(at.appendedAt, 6),
    body: rest.subarray(at.body, end),
    bytes: end,
  })
}

/** Bytes in which no record could be read. */
export type Damage = { readonly offset: number; readonly bytes: number; readonly reason: Flaw }

export type Scan = { readonly frames: ReadonlyArray<Frame>; readonly damaged: ReadonlyArray<Damage> }

const nextFrame = (syncMarker: Buffer, bytes: Buffer, from: number): number => {
  for (let offset = bytes.indexOf(syncMarker, from); offset !== -1; offset = bytes.indexOf(syncMarker, offset + 1))
    if (E.isRight(frameAt(syncMarker, bytes, offset))) return offset
  return bytes.length
}

/** All readable frames in order, and the damaged ranges between them. Together they cover all bytes from `from` on. */
export const scanFrames = (syncMarker: Buffer, bytes: Buffer, from = 0): Scan => {
  const frames: Frame[] = []
  const damaged: Damage[] = []
  for (let offset = from; offset < bytes.length; ) {
    const frame = frameAt(syncMarker, bytes, offset)
    if (E.isRight(frame)) {
      frames.push(frame.right)
      offset += frame.right.bytes
    } else {
      const next = nextFrame(syncMarker, bytes, offset + 1)
      damaged.push({ offset, bytes: next - offset, reason: frame.left })
      offset = next
    }
  }
  return { frames, damaged }
}
