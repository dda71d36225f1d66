import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import kafkajs from 'kafkajs'
import { KafkaJSNotImplemented } from './kafkajs-internals.ts'

/** The maximum size of a decompressed batch in bytes: far more than any client writes, and far less than the memory. */
export const largestBatch = 64 * 1024 * 1024

const tooLarge = () => new RangeError('the decompressed batch would be larger than 64 MiB')

const has = (flags: number, bit: number) => (flags >> bit) & 1

/**
 * The maximum decompressed size of a frame: the number of its blocks times the maximum size of a block. A frame has a
 * magic number, flags, the blocks' size, and blocks with their lengths. A length of 0 ends it (LZ4 frame format 1.6).
 */
const maxSizeOf = (frame: Buffer): number => {
  const [flags, sizes] = [frame.readUInt8(4), frame.readUInt8(5)]
  const blockBytes = 2 ** (8 + 2 * ((sizes >> 4) & 7))
  const checksumBytes = 4 * has(flags, 4)
  let maxSize = 0
  for (let at = 7 + 8 * has(flags, 3) + 4 * has(flags, 0); ; maxSize += blockBytes) {
    const length = frame.readUInt32LE(at) & 0x7fffffff
    if (length === 0) return maxSize
    at += 4 + length + checksumBytes
  }
}

const { CompressionTypes, CompressionCodecs } = kafkajs

/** The contracts package does not depend on these packages: a bot needs one only if its topic is compressed with it. */
const installed = async <A>(name: string, load: () => Promise<A>): Promise<A> => {
  try {
    return await load()
  } catch {
    throw new KafkaJSNotImplemented(`compression: the npm package ${name} is not installed`)
  }
}

/** LZ4 as Kafka's clients write it: one frame. */
const readLz4 = async (frame: Buffer): Promise<Buffer> => {
  if (maxSizeOf(frame) > largestBatch) throw tooLarge()
  const { decompressFrame } = await installed('lz4-napi', () => import('lz4-napi'))
  return decompressFrame(frame)
}

/** `\x82SNAPPY\0`: the beginning of the Java client's stream. Two versions and blocks with their lengths follow. */
const magic = Buffer.from('82534e4150505900', 'hex')
const headerBytes = magic.length + 8

/** The decompressed length of a block, from its first bytes: seven bits in each byte. */
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
    if (end > stream.length) throw new RangeError('a block ends after the end of the batch')
    blocks.push(stream.subarray(at + 4, end))
    at = end
  }
  return blocks
}

/** Snappy as Kafka's clients write it: the Java client's stream of blocks, or one block alone, as librdkafka does. */
const readSnappy = async (bytes: Buffer): Promise<Buffer> => {
  const blocks = bytes.subarray(0, magic.length).equals(magic) ? blocksOf(bytes) : [bytes]
  if (blocks.reduce((sum, block) => sum + claimedLength(block), 0) > largestBatch) throw tooLarge()
  const { uncompress } = await installed('snappy', () => import('snappy'))
  const parts = await Promise.all(blocks.map((block) => uncompress(block, { asBuffer: true })))
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}

type Codec = { readonly decompress: (bytes: Buffer) => Promise<Buffer> }

const codecs: Record<number, () => Codec> = CompressionCodecs
const bounded = { maxOutputLength: largestBatch }
const gunzip = promisify(zlib.unzip)

const unknown = (number: number) => (): never => {
  throw new KafkaJSNotImplemented(`compression ${number} not implemented`)
}

// kafkajs supports only gzip, but other teams' producers may use any compression. Each codec has a size limit, since a
// few bytes may expand to gigabytes. kafkajs's own gzip compression stays for other users in this process.
const gzip = codecs[CompressionTypes.GZIP]?.()
codecs[CompressionTypes.GZIP] = () => ({ ...gzip, decompress: (bytes) => gunzip(bytes, bounded) })
codecs[CompressionTypes.Snappy] = () => ({ decompress: readSnappy })
codecs[CompressionTypes.LZ4] = () => ({ decompress: readLz4 })
// Node has Zstandard from 22.15 on.
codecs[CompressionTypes.ZSTD] =
  'zstdDecompress' in zlib
    ? () => ({ decompress: (bytes) => promisify(zlib.zstdDecompress)(bytes, bounded) })
    : unknown(CompressionTypes.ZSTD)
// Numbers that a later Kafka may define. Otherwise kafkajs would treat such a batch as not compressed.
for (const number of [5, 6, 7]) codecs[number] = unknown(number)
