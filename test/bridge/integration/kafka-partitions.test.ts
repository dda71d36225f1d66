import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Slice } from '../../../src/bridge/domain/log/record.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { partitionsOf, plainClient } from '../../support/plain-consumer.ts'
import { servers } from '../../support/servers.ts'
import { connectTestKafka, newPrefix, recordOf, textOf, withinMs } from '../kafka/connect.ts'

const prefix = newPrefix()
const { brokers } = await servers()
const kafka = await connectTestKafka(prefix)
const admin = plainClient(brokers).admin()
await admin.connect()
right(await kafka.ensureTopics())

const chats = Array.from({ length: 40 }, (_, chat) => `acme/${chat}`)
/** By chat: the texts in the order of their offsets, and the partitions that hold them. */
type Found = Map<string, { readonly texts: string[]; readonly partitions: Set<number> }>

const collector = () => {
  const found: Found = new Map()
  const handle = async ({ partition, records }: Slice) => {
    for (const record of records) {
      const { texts, partitions } = found.get(String(record.key)) ?? { texts: [], partitions: new Set<number>() }
      if (!texts.includes(textOf(record))) texts.push(textOf(record))
      found.set(String(record.key), { texts, partitions: partitions.add(partition) })
    }
  }
  const count = () => [...found.values()].reduce((sum, { texts }) => sum + texts.length, 0)
  return { found, handle, count }
}
const appendAll = (text: string, to = kafka) =>
  Promise.all(chats.map((chat) => to.append(recordOf(chat, text), withinMs).then(right)))
/** Waits until the broker knows them: kafkajs's producer drops a record for an unknown partition without an error. */
const addPartitions = async (topic: string, count: number) => {
  const name = `${prefix}${topic}`
  await admin.createPartitions({ topicPartitions: [{ topic: name, count }] })
  await partitionsOf(brokers, [name], count)
}

const partitions = suite('partitions that are added while the bridge runs')

partitions.after(async () => {
  await Promise.all([kafka.stop(), admin.disconnect()])
})

partitions('chats stay in their partition and order, for processes started before and after', async () => {
  const { found, handle, count } = collector()
  await kafka.consume({ group: 'order', topics: ['chats'], commit: 'when-handled', handle })
  await appendAll('before')

  await addPartitions('chats', 8)
  const later = await connectTestKafka(prefix)
  await appendAll('after', kafka)
  await appendAll('by another', later)

  await eventually('three records of each chat', () => count() === 3 * chats.length)
  for (const { texts, partitions } of found.values())
    assert.equal([texts, partitions.size], [['before', 'after', 'by another'], 1])
  const [report] = right(await later.describeTopics())
  assert.equal(report?.differences, [
    'partitions is 8, not 4',
    'keys use the first 4 partitions only; partitions added later stay empty',
  ])
  await later.stop()
})

partitions('records of other producers in new partitions are read without a restart', async () => {
  const { found, handle } = collector()
  const consumer = await kafka.consume({ group: 'new', topics: ['enrichments'], commit: 'when-handled', handle })
  await eventually('the consumer to be healthy', async () => (await consumer.health()).ok)
  await addPartitions('enrichments', 6)

  const producer = plainClient(brokers).producer()
  await producer.connect()
  const messages = [0, 5].map((partition) => ({ key: `acme/${partition}`, value: 'x', partition }))
  await producer.send({ topic: `${prefix}enrichments`, messages })
  await producer.disconnect()

  for (const { key } of messages) await eventually(`the record of ${key}`, () => found.has(key))
  assert.equal([...(found.get('acme/5')?.partitions ?? [])], [5])
  assert.equal(consumer.health(), { ok: true, reason: 'reads 6 partitions' })
  assert.equal(kafka.seen.restarted, [])
})

partitions('a command in another partition than its conversation is moved to the right one, once', async () => {
  const { found, handle, count } = collector()
  const brought: Array<readonly [text: string, partition: number, isBrought: boolean | undefined]> = []
  await kafka.consume({
    group: 'commands',
    topics: ['bot-replies'],
    commit: 'when-handled',
    handle: async (slice) => {
      for (const record of slice.records) brought.push([textOf(record), slice.partition, await kafka.reroute(record)])
      await handle(slice)
    },
  })
  right(await kafka.append({ ...recordOf('acme/1', 'in place'), topic: 'bot-replies' }, withinMs))
  await eventually('one record', () => count() === 1)
  const home = [...(found.get('acme/1')?.partitions ?? [])][0] ?? 0

  const producer = plainClient(brokers).producer()
  await producer.connect()
  const message = { key: 'acme/1', value: 'elsewhere', partition: (home + 1) % 4, headers: { kept: 'yes' } }
  await producer.send({ topic: `${prefix}bot-replies`, messages: [message] })
  await producer.disconnect()

  await eventually('three records', () => brought.length === 3)
  assert.equal(
    new Set(brought.map(String)),
    new Set(
      [
        ['in place', home, false],
        ['elsewhere', (home + 1) % 4, true],
        ['elsewhere', home, false],
      ].map(String),
    ),
  )
})

partitions.run()
