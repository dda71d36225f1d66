import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../../../contracts/topics.ts'
import { murmur2 } from '../../../../src/bridge/kafka/partitions/key-distribution.ts'
import { partitionerOf } from '../../../../src/bridge/kafka/partitions/partitioner.ts'
import { newSeen } from '../connect.ts'

const key = Buffer.from('acme/2037')
const none = () => undefined

/** Topics with `of` partitions, of which `over` are in use. Each question to the broker is recorded. */
const given = (over: number, of: number) => {
  const seen = newSeen()
  const broker = { over, of, away: false }
  const asked: TopicName[] = []
  const warn = (fields: object, message: string) => void seen.logged.push(['warn', message, fields])
  const partitioner = partitionerOf({
    detect: async (topic) => {
      asked.push(topic)
      if (broker.away) throw new Error('away')
      return { keyPartitions: broker.over, partitions: broker.of, mixed: false }
    },
    log: { debug: none, info: none, warn, error: none },
  })
  return { partitioner, broker, asked, seen }
}

const partitions = suite('partitioner')

partitions('a topic is inspected once, and before that its records have no partition', async () => {
  const { partitioner, asked } = given(12, 12)
  assert.is(partitioner.partitionOf('chats', key), undefined)
  await Promise.all([partitioner.ready(['chats', 'chats']), partitioner.ready(['chats'])])
  await partitioner.ready(['chats'])
  assert.equal([asked, partitioner.partitionOf('chats', key)], [['chats'], murmur2(key) % 12])
})

partitions('keys keep their partitions when partitions are added, and it is logged', async () => {
  const { partitioner, broker, seen } = given(12, 12)
  await partitioner.ready(['chats'])
  Object.assign(broker, { of: 24 })
  partitioner.forget('chats')
  await partitioner.ready(['chats'])
  assert.is(partitioner.partitionOf('chats', key), murmur2(key) % 12)
  assert.equal(seen.logged.at(-1)?.[2], { topic: 'chats', keyPartitions: 12, partitions: 24 })
})

partitions('while the partitions cannot be determined there are none, and the inspection is retried', async () => {
  const { partitioner, broker, asked } = given(12, 12)
  broker.away = true
  assert.is(await partitioner.ready(['chats']).catch(() => 'rejected'), 'rejected')
  assert.is(partitioner.partitionOf('chats', key), undefined)
  broker.away = false
  await partitioner.ready(['chats'])
  assert.equal(asked, ['chats', 'chats'])
})

partitions('records without a key go to all partitions in turn', async () => {
  const { partitioner } = given(2, 3)
  await partitioner.ready(['quarantine'])
  const found = Array.from({ length: 4 }, () => partitioner.partitionOf('quarantine', null))
  assert.equal(found, [0, 1, 2, 0])
})

partitions(
  'commands go to the partition of their conversation, even if their own topic has more partitions',
  async () => {
    const sizes: Partial<Record<TopicName, number>> = { 'bot-replies': 24, 'bot-conversations': 12 }
    const log = { debug: none, info: none, warn: none, error: none }
    const detect = async (topic: TopicName) => ({
      keyPartitions: sizes[topic] ?? 1,
      partitions: sizes[topic] ?? 1,
      mixed: false,
    })
    const partitioner = partitionerOf({ detect, log })
    await partitioner.ready(['bot-replies'])
    assert.is(partitioner.partitionOf('bot-replies', key), murmur2(key) % 12)

    sizes['bot-replies'] = 5
    partitioner.forget('bot-replies')
    await partitioner.ready(['bot-replies'])
    assert.is(partitioner.partitionOf('bot-replies', key), murmur2(key) % 5)
  },
)

partitions.run()
