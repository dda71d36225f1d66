import { createRequire } from 'node:module'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { crc32c } from '../../src/kafka/produce/crc32c.ts'
import { encodeProduce, ofKafkajs } from '../../src/kafka/produce/patch-produce-request.ts'

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
      const start = Math.min(skip, bytes.length)
      assert.is(crc32c(bytes, start, bytes.length), originalCrc(Buffer.from(bytes.subarray(start))))
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

produceRequest.run()
