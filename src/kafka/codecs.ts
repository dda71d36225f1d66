import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { unzip, zstdDecompress } from 'node:zlib'
import kafkajs from 'kafkajs'
import { largestBatch } from './largest-batch.ts'
import { readLz4 } from './lz4.ts'
import { readSnappy } from './snappy.ts'

type Codec = { readonly decompress: (bytes: Buffer) => Promise<Buffer> }

const { CompressionTypes, CompressionCodecs } = kafkajs
const { KafkaJSNotImplemented } = createRequire(import.meta.url)('kafkajs/src/errors.js')

const codecs: Record<number, () => Codec> = CompressionCodecs
const bounded = { maxOutputLength: largestBatch }
const gunzip = promisify(unzip)
const unzstd = promisify(zstdDecompress)

const unknown = (number: number) => (): never => {
  throw new KafkaJSNotImplemented(`compression ${number} not implemented`)
}

// kafkajs brings gzip alone; producers of other teams compress as they like. Each is read within bounds, since a few bytes
// may claim to be gigabytes. Nothing is written compressed: kafkajs's own gzip stays for whoever else uses it in this process.
const gzip = codecs[CompressionTypes.GZIP]?.()
codecs[CompressionTypes.GZIP] = () => ({ ...gzip, decompress: (bytes) => gunzip(bytes, bounded) })
codecs[CompressionTypes.Snappy] = () => ({ decompress: readSnappy })
codecs[CompressionTypes.LZ4] = () => ({ decompress: readLz4 })
codecs[CompressionTypes.ZSTD] = () => ({ decompress: (bytes) => unzstd(bytes, bounded) })
// What a later Kafka may bring: kafkajs would take it for bytes that are not compressed.
for (const number of [5, 6, 7]) codecs[number] = unknown(number)
