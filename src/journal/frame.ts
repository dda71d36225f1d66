import { crc32 } from 'node:zlib'
import * as E from 'fp-ts/lib/Either.js'

const version = 1
/** Where each field of a frame begins. */
export const frameLayout = {
  mark: 0,
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
export type Frame = {
  readonly position: number
  readonly appendedAt: number
  readonly body: Buffer
  readonly bytes: number
}

/** Why no frame can be read at an offset. */
export type Flaw = 'incomplete' | 'no record begins here' | 'wrong checksum' | 'unknown version'

export const frameSize = (body: Buffer): number => at.body + body.length

/**
 * Mark (4 bytes), CRC-32 of all later bytes (4), version (1), length of the body (4), position (6), time (6), body.
 * The mark is the segment's own random number, which is a part of its name. After damage the reader finds the next
 * record by the mark. A sender who controls bytes in a record cannot make them look like a record.
 */
export const encodeFrame = (mark: Buffer, { position, appendedAt, body }: Omit<Frame, 'bytes'>): Buffer => {
  const frame = Buffer.allocUnsafe(at.body + body.length)
  mark.copy(frame, at.mark)
  frame.writeUInt8(version, at.version)
  frame.writeUInt32LE(body.length, at.length)
  frame.writeUIntLE(position, at.position, 6)
  frame.writeUIntLE(appendedAt, at.appendedAt, 6)
  body.copy(frame, at.body)
  frame.writeUInt32LE(crc32(frame.subarray(at.version)), at.checksum)
  return frame
}

/** The frame that begins at this offset. Its body is a view of `bytes`, not a copy. */
export const frameAt = (mark: Buffer, bytes: Buffer, offset: number): E.Either<Flaw, Frame> => {
  const rest = bytes.subarray(offset)
  if (!mark.equals(rest.subarray(at.mark, at.checksum)))
    return E.left(rest.length < mark.length ? 'incomplete' : 'no record begins here')
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

const nextFrame = (mark: Buffer, bytes: Buffer, from: number): number => {
  for (let offset = bytes.indexOf(mark, from); offset !== -1; offset = bytes.indexOf(mark, offset + 1))
    if (E.isRight(frameAt(mark, bytes, offset))) return offset
  return bytes.length
}

/** All readable frames in order, and the damaged ranges between them. Together they cover all bytes from `from` on. */
export const scan = (mark: Buffer, bytes: Buffer, from = 0): Scan => {
  const frames: Frame[] = []
  const damaged: Damage[] = []
  for (let offset = from; offset < bytes.length; ) {
    const frame = frameAt(mark, bytes, offset)
    if (E.isRight(frame)) {
      frames.push(frame.right)
      offset += frame.right.bytes
    } else {
      const next = nextFrame(mark, bytes, offset + 1)
      damaged.push({ offset, bytes: next - offset, reason: frame.left })
      offset = next
    }
  }
  return { frames, damaged }
}
