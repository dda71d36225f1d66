import { decompressFrame } from 'lz4-napi'
import { largestBatch, tooLarge } from './largest-batch.ts'

const has = (flags: number, bit: number) => (flags >> bit) & 1

/**
 * The most that a frame may come to: its blocks times what a block may hold at most. A frame is a magic number, flags, the
 * blocks' size, and blocks with their lengths up to a length of 0 (LZ4 frame format 1.6).
 */
const mostOf = (frame: Buffer): number => {
  const [flags, sizes] = [frame.readUInt8(4), frame.readUInt8(5)]
  const blockBytes = 2 ** (8 + 2 * ((sizes >> 4) & 7))
  const checksumBytes = 4 * has(flags, 4)
  let most = 0
  for (let at = 7 + 8 * has(flags, 3) + 4 * has(flags, 0); ; most += blockBytes) {
    const length = frame.readUInt32LE(at) & 0x7fffffff
    if (length === 0) return most
    at += 4 + length + checksumBytes
  }
}

/** LZ4 as Kafka's clients write it: one frame. */
export const readLz4 = async (frame: Buffer): Promise<Buffer> => {
  if (mostOf(frame) > largestBatch) throw tooLarge()
  return decompressFrame(frame)
}
