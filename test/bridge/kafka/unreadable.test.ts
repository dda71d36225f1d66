import '../../../src/bridge/kafka/kafkajs-patches/batch-decoder.ts'
import { createRequire } from 'node:module'
import { crc32c } from '@node-rs/crc32'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { whyUnreadable } from '../../../src/bridge/kafka/unreadable.ts'

const require = createRequire(import.meta.url)
const at = 'kafkajs/src/protocol'
const Decoder = require(`${at}/decoder.js`)
const { RecordBatch } = require(`${at}/recordBatch/v0/index.js`)
const Record = require(`${at}/recordBatch/record/v0/index.js`)
const decodeBatch = require(`${at}/recordBatch/v0/decoder.js`)

/** Three records from offset 7 on, not compressed. */
const batchOf = async (): Promise<Buffer> => {
  const records = ['a', 'b', 'c'].map((value, offsetDelta) =>
    Record({ offsetDelta, timestampDelta: 0, key: null, value }),
  )
  const { buffer } = await RecordBatch({ firstOffset: 7, maxTimestamp: 1000, lastOffsetDelta: 2, records })
  return buffer
}
const damaged = async () => {
  const bytes = await batchOf()
  // This is the length of the first record.
  bytes.writeUInt8(0x7f, 61)
  return bytes
}

const batches = suite('a batch that cannot be read')

batches('becomes one record at its last offset, with its bytes, and the next batch is read', async () => {
  const [first, second] = [await damaged(), await batchOf()]
  const decoder = new Decoder(Buffer.concat([first, second]))
  const { records } = await decodeBatch(decoder)
  assert.is(records.length, 1)
  const [{ offset, key, value, headers, isControlRecord }] = records
  assert.equal([offset, key, headers, isControlRecord], ['9', null, {}, false])
  assert.ok(first.equals(value))
  assert.type(whyUnreadable(value), 'string')
  assert.is((await decodeBatch(decoder)).records.length, 3)
})

batches('a batch that is readable but was changed is found by its checksum', async () => {
  const bytes = await batchOf()
  bytes.write('x', bytes.indexOf('b', 61))
  const decoder = new Decoder(Buffer.concat([bytes, await batchOf()]))
  const [{ offset, value }] = (await decodeBatch(decoder)).records
  assert.is(offset, '9')
  assert.ok(bytes.equals(value))
  assert.is(whyUnreadable(value), 'wrong checksum')
  assert.is((await decodeBatch(decoder)).records.length, 3)
})

batches('an unreadable batch with a correct checksum becomes one record too', async () => {
  const bytes = await damaged()
  bytes.writeUInt32BE(crc32c(bytes.subarray(21)), 17)
  const [{ value }] = (await decodeBatch(new Decoder(bytes))).records
  assert.ok(bytes.equals(value))
  assert.not.match(whyUnreadable(value) ?? '', /checksum/)
})

batches('a batch with a contradictory header stays an error, since its end is unknown', async () => {
  const bytes = await damaged()
  bytes.writeInt32BE(1_000_000, 23)
  const thrown = await decodeBatch(new Decoder(bytes)).catch((error: unknown) => error)
  assert.instance(thrown, Error)
})

batches('a batch that has arrived only in part is not damaged', async () => {
  const bytes = await batchOf()
  const thrown = await decodeBatch(new Decoder(bytes.subarray(0, bytes.length - 1))).catch((error: Error) => error)
  assert.is(thrown.name, 'KafkaJSPartialMessageError')
})

batches('a value that is not a batch is not read as a batch', () => {
  assert.equal([whyUnreadable(null), whyUnreadable(Buffer.from('x'))], [undefined, undefined])
})

batches.run()
