import '../../../src/bridge/kafka/compression.ts'
import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import kafkajs from 'kafkajs'
import { compressFrame } from 'lz4-napi'
import { compress } from 'snappy'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const { CompressionCodecs } = kafkajs
const decompress = (compression: number, bytes: Buffer): Promise<Buffer> =>
  CompressionCodecs[compression as keyof typeof CompressionCodecs]().decompress(bytes)

const rejects = async (promise: Promise<unknown>, what: RegExp) => {
  const error = await promise.then(
    () => undefined,
    (thrown: Error) => thrown,
  )
  assert.match(error?.message ?? 'nothing was thrown', what)
}

const codecs = suite('codecs')

const bytes = Buffer.from('{"text":"Hello, hello, hello"}'.repeat(9_000))
/** The format of the Java client's snappy stream, with blocks of 32 KiB. */
const framed = async (): Promise<Buffer> => {
  const parts: Buffer[] = [Buffer.from('82534e41505059000000000100000001', 'hex')]
  for (let at = 0; at < bytes.length; at += 32_768) {
    const block = await compress(bytes.subarray(at, at + 32_768))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(block.length)
    parts.push(length, block)
  }
  return Buffer.concat(parts)
}
const written: ReadonlyArray<readonly [string, number, Promise<Buffer>]> = [
  ['gzip', 1, promisify(gzip)(bytes)],
  ['snappy', 2, compress(bytes)],
  ['snappy in the frames of the Java client', 2, framed()],
  ['lz4', 3, compressFrame(bytes)],
  ['lz4 with checksums', 3, compressFrame(bytes, { blockChecksums: true, contentChecksum: true })],
  ['zstd', 4, promisify(zstdCompress)(bytes)],
]

for (const [name, number, shrunk] of written) {
  codecs(`${name} is read`, async () => {
    assert.ok((await decompress(number, await shrunk)).equals(bytes))
  })
  codecs(`${name} that is cut short is refused`, async () => {
    const whole = await shrunk
    await rejects(decompress(number, whole.subarray(0, Math.floor(whole.length / 2))), /.+/)
  })
}

const zeros = Buffer.alloc(65 * 1024 * 1024)
const bombs: ReadonlyArray<readonly [string, number, () => Promise<Buffer>]> = [
  ['gzip', 1, () => promisify(gzip)(zeros)],
  ['snappy', 2, async () => Buffer.concat([Buffer.from('ffffffff0f', 'hex'), Buffer.alloc(20)])],
  ['lz4', 3, () => compressFrame(zeros)],
  ['zstd', 4, () => promisify(zstdCompress)(zeros)],
]
for (const [name, number, bomb] of bombs)
  codecs(`${name} that would exceed 64 MiB is refused before it is decompressed completely`, async () => {
    await rejects(decompress(number, await bomb()), /larger than/)
  })

codecs('data that kafkajs would treat as uncompressed is refused', () => {
  for (const number of [5, 6, 7])
    assert.throws(() => decompress(number, bytes), `compression ${number} not implemented`)
})

codecs.run()
