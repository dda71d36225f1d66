import { createRequire } from 'node:module'
import { crc32c } from '@node-rs/crc32'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { OutgoingRecord } from '../../src/domain/ports.ts'
import { PackedRecord, packRecord } from '../../src/kafka/produce/packed.ts'
import { encodeProduce, ofKafkajs } from '../../src/kafka/produce/patch-produce-request.ts'
import { writer } from '../../src/kafka/produce/writer.ts'

type Request = { readonly encode: () => Promise<{ readonly buffer: Buffer }> }
const require = createRequire(import.meta.url)
const originalCrc: (bytes: Buffer) => number = require('kafkajs/src/protocol/recordBatch/crc32C/index.js')

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ maxLength: 300 }),
  fc.constant('\ud800'),
)
const buffer = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
const part = fc.oneof(text, buffer)
const message = fc.record({
  key: fc.oneof(fc.constant(null), part),
  value: fc.oneof(fc.constant(null), part),
  headers: fc.dictionary(fc.string({ maxLength: 20 }), fc.oneof(part, fc.array(part, { maxLength: 3 })), {
    maxKeys: 12,
    noNullPrototype: true,
  }),
})
const request = fc.record({
  acks: fc.constantFrom(-1, 0, 1),
  timeout: fc.nat(),
  topicData: fc.array(
    fc.record({
      topic: fc.string({ minLength: 1, maxLength: 30 }),
      partitions: fc.array(
        fc.record({ partition: fc.nat(500), messages: fc.array(message, { minLength: 1, maxLength: 130 }) }),
        { maxLength: 4 },
      ),
    }),
    { maxLength: 3 },
  ),
})

/** What a request writes at a moment: it asks the clock itself, and kafkajs more than once. */
const writtenAt = async (at: number, { encode }: Request): Promise<Buffer> => {
  const now = Date.now
  Date.now = () => at
  try {
    return (await encode()).buffer
  } finally {
    Date.now = now
  }
}

const produceRequest = suite('the Produce request')

produceRequest("it has the very bytes of kafkajs's own", async () => {
  await fc.assert(
    fc.asyncProperty(request, fc.integer({ min: 0, max: 2 ** 42 }), async (given, at) => {
      const expected = await writtenAt(at, ofKafkajs(given))
      assert.ok(encodeProduce(given, at).equals(expected))
    }),
    { numRuns: 200 },
  )
})

produceRequest('a checksum is that of kafkajs, for every length and place', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(20), (bytes, skip) => {
      assert.is(crc32c(bytes.subarray(skip)), originalCrc(Buffer.from(bytes.subarray(skip))))
    }),
  )
})

const requests: {
  readonly protocol: (asked: { readonly version: number }) => (given: object) => { readonly request: Request }
} = require('kafkajs/src/protocol/requests/produce/index.js')
const topicData = [{ topic: 't', partitions: [{ partition: 3, messages: [{ key: 'k', value: 'v' }] }] }]

produceRequest('kafkajs sends it in every version that brokers may ask for', async () => {
  for (const version of [3, 4, 5, 6, 7]) {
    const given = { acks: -1, timeout: 1000, compression: 0, topicData }
    const { request: made } = requests.protocol({ version })(given)

    assert.ok((await writtenAt(1, made)).equals(encodeProduce(given, 1)))
    assert.not.equal(made.encode.toString(), ofKafkajs(given).encode.toString())
  }
})

produceRequest('what is compressed, or has a time of its own, is left to kafkajs', async () => {
  const timed = [{ topic: 't', partitions: [{ partition: 3, messages: [{ key: 'k', value: 'v', timestamp: '7' }] }] }]
  for (const given of [
    { acks: -1, timeout: 1000, compression: 1, topicData },
    { acks: -1, timeout: 1000, compression: 0, topicData: timed },
  ]) {
    const { request: made } = requests.protocol({ version: 7 })(given)

    assert.ok((await writtenAt(1, made)).equals(await writtenAt(1, ofKafkajs(given))))
    assert.not.ok((await writtenAt(1, made)).equals(encodeProduce(given, 1)))
  }
})

const textRecord: fc.Arbitrary<OutgoingRecord> = fc.record({
  topic: fc.constant('chats'),
  key: fc.oneof(fc.constant(null), text),
  value: fc.oneof(fc.constant(null), text),
  headers: fc.dictionary(fc.string({ maxLength: 20 }), text, { maxKeys: 12, noNullPrototype: true }),
})
const packedOf = (record: OutgoingRecord) => {
  const to = writer(10)
  packRecord(to, record)
  return new PackedRecord(record.topic, Buffer.from(to.bytes()))
}
const requestOf = (messages: ReadonlyArray<object>) => ({
  acks: -1,
  timeout: 1000,
  topicData: [{ topic: 't', partitions: [{ partition: 3, messages: messages as never }] }],
})

produceRequest('a record that was packed elsewhere has the same bytes there', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(textRecord, fc.boolean()), { maxLength: 130 }), (records) => {
      const plain = records.map(([{ key, value, headers }]) => ({ key, value, headers }))
      const some = records.map(([record, isPacked], i) => {
        const { packed, keyBytes: key } = packedOf(record)
        return isPacked ? { key, value: packed, packed } : plain[i]
      })
      assert.ok(encodeProduce(requestOf(some as object[]), 7).equals(encodeProduce(requestOf(plain), 7)))
    }),
    { numRuns: 100 },
  )
})

produceRequest('a packed record is read as what it was packed from', () => {
  fc.assert(
    fc.property(textRecord, (record) => {
      const { topic, key, value, headers } = packedOf(record)
      const wellFormed = JSON.stringify(record, (_, part) => (typeof part === 'string' ? part.toWellFormed() : part))
      assert.equal({ topic, key, value, headers }, JSON.parse(wellFormed))
    }),
  )
})

produceRequest('what is packed is never left to kafkajs', () => {
  const { packed } = packedOf({ topic: 'chats', key: 'k', value: 'v', headers: {} })
  const given = { ...requestOf([{ key: 'k', value: packed, packed }]), compression: 1 }

  assert.throws(() => requests.protocol({ version: 7 })(given), /without compression/)
})

produceRequest.run()
