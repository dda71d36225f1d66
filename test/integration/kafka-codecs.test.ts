import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import kafkajs from 'kafkajs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually, newPrefix, roomOf, textOf } from '../kafka/rooms.ts'
import { right } from '../support/either.ts'
import { servers } from '../support/servers.ts'

const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = kafkajs
const prefix = newPrefix()
const room = await roomOf(prefix)
right(await room.ensureTopics())
const kafka = new Kafka({ brokers: [...(await servers()).brokers], logLevel: logLevel.NOTHING })

/** Writes as another team's client does; kafkajs has no codec of that kind, and gets one for the length of the write. */
const write = async (compression: number, value: string, compress: (bytes: Buffer) => Promise<Buffer>) => {
  const type = compression as keyof typeof CompressionCodecs
  const before = CompressionCodecs[type]
  CompressionCodecs[type] = () => ({ compress: ({ buffer }: { buffer: Buffer }) => compress(buffer) })
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner, retry: { retries: 1 } })
  await producer.connect()
  const topic = `${prefix}bot-replies`
  await producer.send({ topic, compression, messages: [{ key: 'acme/1', value }] }).finally(() => producer.disconnect())
  CompressionCodecs[type] = before
}

/** Snappy's own format with one literal: a length, and the bytes as they are. */
const snappy = async (bytes: Buffer) => {
  assert.ok(bytes.length < 128)
  return Buffer.concat([Buffer.from([bytes.length, 60 << 2, bytes.length - 1]), bytes])
}

const codecs = suite('compressed batches of others')

codecs('zstd is read', async () => {
  const read: string[] = []
  const consumer = await room.consume({
    ...{ group: 'zstd', topics: ['bot-replies'], commit: 'when-handled' },
    handle: async ({ records }) => void read.push(...records.map(textOf)),
  })

  await write(CompressionTypes.ZSTD, 'compressed', promisify(zstdCompress))

  await eventually(() => read.length > 0)
  assert.equal(read, ['compressed'])
  await consumer.stop()
})

codecs('what cannot be read is told of in time, and the consumer does not hurry in vain', async () => {
  const consumer = await room.consume({
    ...{ group: 'snappy', topics: ['bot-replies'], commit: 'when-handled', handle: async () => {} },
  })
  await eventually(async () => (await consumer.health()).ok)

  await write(CompressionTypes.Snappy, 'x', snappy)

  await eventually(async () => !(await consumer.health()).ok, 10_000)
  await eventually(async () => (await consumer.health()).reason.includes('Snappy compression not implemented'), 10_000)
  assert.equal(room.seen.restarted, ['snappy'])
  await consumer.stop()
})

codecs('the room stops', () => room.stop())

codecs.run()
