import { createRequire } from 'node:module'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeProduce, type ProduceBatch } from '../../../../src/bridge/kafka/produce/record-batch.ts'

type Request = { readonly encode: () => Promise<{ readonly buffer: Buffer }> }
const require = createRequire(import.meta.url)
const ofKafkajs: (request: object) => Request = require('kafkajs/src/protocol/requests/produce/v3/request.js')

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ maxLength: 300 }),
  fc.constant('\ud800'),
)
const buffer = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
const part = fc.oneof(text, buffer)
const record = fc.record({
  topic: fc.constant('chats' as const),
  key: fc.oneof(fc.constant(null), part),
  value: fc.oneof(fc.constant(null), part),
  headers: fc.dictionary(fc.string({ maxLength: 20 }), fc.oneof(part, fc.array(part, { maxLength: 3 })), {
    maxKeys: 12,
    noNullPrototype: true,
  }),
})
const records = fc.array(record, { minLength: 1, maxLength: 130 })
const identity = fc.record({ producerId: fc.integer({ min: 0, max: 2 ** 50 }), sequence: fc.nat() })

/** The bytes that kafkajs writes for one batch at a given time. kafkajs reads the clock itself, more than once. */
const writtenByKafkajs = async (batch: ProduceBatch, at: number): Promise<Buffer> => {
  const now = Date.now
  Date.now = () => at
  try {
    const { topic, partition, records: messages, identity: given, isCompressed } = batch
    const partitions = [{ partition, messages, firstSequence: given.sequence }]
    const { encode } = ofKafkajs({
      acks: -1,
      timeout: 1_000,
      topicData: [{ topic, partitions }],
      compression: isCompressed ? 1 : 0,
      producerId: String(given.producerId),
      producerEpoch: 0,
    })
    return (await encode()).buffer
  } finally {
    Date.now = now
  }
}
const request = (batches: ReadonlyArray<ProduceBatch>) => ({ acks: -1, timeoutMs: 1_000, batches })

const produceRequest = suite('the Produce request')

produceRequest('a batch has the same bytes as in kafkajs, with and without compression', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ records, identity, isCompressed: fc.boolean(), partition: fc.nat(500), topic: fc.string() }),
      fc.integer({ min: 0, max: 2 ** 42 }),
      async (batch, at) => {
        const own = await encodeProduce(request([batch]), at)
        assert.ok(own.equals(await writtenByKafkajs(batch, at)))
      },
    ),
    { numRuns: 150 },
  )
})

produceRequest('the batches of a topic are grouped', async () => {
  const batch = { records: [], identity: { producerId: -1, sequence: 0 }, isCompressed: false }
  const [a0, b0, a1] = [
    { ...batch, topic: 'a', partition: 0 },
    { ...batch, topic: 'b', partition: 0 },
    { ...batch, topic: 'a', partition: 1 },
  ]
  assert.equal(await encodeProduce(request([a0, b0, a1]), 7), await encodeProduce(request([a0, a1, b0]), 7))
})

produceRequest.run()
