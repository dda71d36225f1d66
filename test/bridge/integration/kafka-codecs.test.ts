import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import kafkajs from 'kafkajs'
import { compressFrame } from 'lz4-napi'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { randomNumbers } from '../../../src/tools/simulator/random.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { createTopics, plainClient } from '../../support/plain-consumer.ts'
import { servers } from '../../support/servers.ts'
import { connectTestKafka, newPrefix, textOf } from '../kafka/connect.ts'

const { CompressionCodecs, CompressionTypes } = kafkajs
const { brokers } = await servers()
const plain = plainClient(brokers)
const ofJava = newPrefix()
const prefix = newPrefix()

// If a topic has its own compression type, the broker compresses batches again, in Java as Java's clients do.
const byJava: ReadonlyArray<readonly [string, TopicName]> = [
  ['gzip', 'chats'],
  ['snappy', 'calls'],
  ['lz4', 'clients'],
  ['zstd', 'bot-replies'],
]
await createTopics(
  brokers,
  byJava.map(([value, topic]) => ({
    topic: ofJava + topic,
    numPartitions: 4,
    configEntries: [{ name: 'compression.type', value }],
  })),
)
const kafka = await connectTestKafka(prefix)
right(await kafka.ensureTopics())
const javaKafka = await connectTestKafka(ofJava)

type Compress = (bytes: Buffer) => Promise<Buffer>

/** Writes as another team's client does. kafkajs uses `shrink` for the compression during this write. */
const write = async (topic: string, values: ReadonlyArray<string>, compression = 0, shrink?: Compress) => {
  const type = compression as keyof typeof CompressionCodecs
  const before = CompressionCodecs[type]
  if (shrink !== undefined)
    CompressionCodecs[type] = () => ({ compress: ({ buffer }: { buffer: Buffer }) => shrink(buffer) })
  const producer = plain.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner, retry: { retries: 1 } })
  await producer.connect()
  const messages = values.map((value) => ({ key: 'acme/1', value }))
  await producer.send({ topic, compression, messages }).finally(() => producer.disconnect())
  if (shrink !== undefined) CompressionCodecs[type] = before
}

/** Compressible values of some hundred kilobytes in all, so that there are several blocks. */
const values = ((): ReadonlyArray<string> => {
  const random = randomNumbers(1)
  const word = () => Math.floor(random() * 4096).toString(36)
  return Array.from({ length: 60 }, (_, i) => `${i} ${Array.from({ length: 2_000 }, word).join(' ')}`)
})()

const readAll = async (from: typeof kafka, topic: TopicName, count: number): Promise<ReadonlyArray<IncomingRecord>> => {
  const read: IncomingRecord[] = []
  const consumer = await from.consume({
    group: `reads-${topic}`,
    topics: [topic],
    commit: 'when-handled',
    handle: async ({ records }) => void read.push(...records),
  })
  await eventually(`${count} records`, () => read.length >= count).finally(consumer.stop)
  return read
}

const codecs = suite('compressed batches of other producers')

for (const [codec, topic] of byJava)
  codecs(`${codec} from a Java producer is read`, async () => {
    await write(ofJava + topic, values)
    assert.equal((await readAll(javaKafka, topic, values.length)).map(textOf), values)
  })

/**
 * Makes reading of batches of this compression fail during `act`. Real damage is not possible here: the broker accepts
 * only valid batches, and its files are intact.
 */
const failing = async (compression: number, error: Error, act: () => Promise<void>) => {
  const type = compression as keyof typeof CompressionCodecs
  const before = CompressionCodecs[type]
  CompressionCodecs[type] = () => {
    if (error.name === 'KafkaJSNotImplemented') throw error
    return { decompress: () => Promise.reject(error) }
  }
  await act().finally(() => {
    CompressionCodecs[type] = before
  })
}

codecs('a damaged batch is one record with all its bytes, and the records before and after it are read', async () => {
  const topic = `${prefix}enrichments`
  await write(topic, ['before'])
  await write(topic, ['a', 'b', 'c'], CompressionTypes.LZ4, compressFrame)
  await write(topic, ['behind'])
  await failing(CompressionTypes.LZ4, new Error('damaged'), async () => {
    const [before, batch, behind] = await readAll(kafka, 'enrichments', 3)
    assert.ok(before && batch && behind)
    assert.equal([textOf(before), textOf(behind)], ['before', 'behind'])
    assert.equal([before.offset, batch.offset, behind.offset], [0, 3, 4])
    await kafka.deadLetter('reader')(batch, 'not-json', 'value: expected JSON')
    assert.equal(kafka.seen.deadLetters, ['reader: unreadable-batch'])
    const compressed = await compressFrame(Buffer.alloc(0))
    assert.ok(batch.value?.includes(compressed.subarray(0, 4)), 'the magic number of the frame is in it')
  })
})

codecs('an unreadable codec is reported in time, and the consumer restarts once only', async () => {
  const unknown = Object.assign(new Error('compression 7 not implemented'), { name: 'KafkaJSNotImplemented' })
  await write(`${prefix}bot-replies`, ['x'], CompressionTypes.ZSTD, promisify(zstdCompress))
  await failing(CompressionTypes.ZSTD, unknown, async () => {
    const consumer = await kafka.consume({
      group: 'unknown',
      topics: ['bot-replies'],
      commit: 'when-handled',
      handle: async () => {},
    })
    const tells = async () => {
      const { ok, reason } = await consumer.health()
      return !ok && reason.includes('7 not implemented')
    }
    await eventually('the batch to be reported', tells, 15_000)
    assert.equal(kafka.seen.restarted, ['unknown'])
    await consumer.stop()
  })
})

codecs('the connections stop', async () => {
  await Promise.all([kafka.stop(), javaKafka.stop()])
})

codecs.run()
