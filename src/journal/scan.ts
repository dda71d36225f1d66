import * as E from 'fp-ts/lib/Either.js'
import { type Flaw, type Frame, frameAt } from './frame.ts'

/** Bytes in which no record could be read. */
export type Damage = { readonly offset: number; readonly bytes: number; readonly reason: Flaw }

export type Scan = { readonly frames: ReadonlyArray<Frame>; readonly damaged: ReadonlyArray<Damage> }

const nextFrame = (mark: Buffer, bytes: Buffer, from: number): number => {
  for (let offset = bytes.indexOf(mark, from); offset !== -1; offset = bytes.indexOf(mark, offset + 1))
    if (E.isRight(frameAt(mark, bytes, offset))) return offset
  return bytes.length
}

/** Every readable frame in its order, and every stretch between them; together they cover all bytes. */
export const scan = (mark: Buffer, bytes: Buffer): Scan => {
  const frames: Frame[] = []
  const damaged: Damage[] = []
  for (let offset = 0; offset < bytes.length; ) {
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
