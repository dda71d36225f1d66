import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import kafkajs from 'kafkajs'

const { CompressionCodecs, CompressionTypes } = kafkajs

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

// kafkajs brings gzip along; Node has zstd. Of snappy and lz4 it throws, which the consumer's health tells of.
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: ({ buffer }: { readonly buffer: Buffer }) => compress(buffer),
  decompress: (buffer: Buffer) => decompress(buffer),
})
