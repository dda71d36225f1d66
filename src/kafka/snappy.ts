import { uncompress } from 'snappy'
import { largestBatch, tooLarge } from './largest-batch.ts'

/** `\x82SNAPPY\0`: what the Java client's stream begins with, before two versions and blocks with their lengths. */
const magic = Buffer.from('82534e4150505900', 'hex')
const headerBytes = magic.length + 8

/** The first bytes of a block: its length when it is decompressed, seven bits a byte. */
const claimedLength = (block: Buffer): number => {
  let length = 0
  for (let i = 0; i < 5; i++) {
    const byte = block[i] ?? 0
    length += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) break
  }
  return length
}

const blocksOf = (stream: Buffer): ReadonlyArray<Buffer> => {
  const blocks: Buffer[] = []
  for (let at = headerBytes; at < stream.length; ) {
    const end = at + 4 + stream.readUInt32BE(at)
    if (end > stream.length) throw new RangeError('a block ends behind the batch')
    blocks.push(stream.subarray(at + 4, end))
    at = end
  }
  return blocks
}

/** Snappy as Kafka's clients write it: the Java client's stream of blocks, or one block alone, as librdkafka does. */
export const readSnappy = async (bytes: Buffer): Promise<Buffer> => {
  const blocks = bytes.subarray(0, magic.length).equals(magic) ? blocksOf(bytes) : [bytes]
  if (blocks.reduce((sum, block) => sum + claimedLength(block), 0) > largestBatch) throw tooLarge()
  const parts = await Promise.all(blocks.map((block) => uncompress(block, { asBuffer: true })))
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}
