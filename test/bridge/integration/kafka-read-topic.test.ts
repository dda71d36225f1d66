import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plainClient } from '../../support/plain-consumer.ts'
import { servers } from '../../support/servers.ts'
import { connectTestKafka, newPrefix, recordOf, textOf, withinMs } from '../kafka/connect.ts'

const prefix = newPrefix()
const kafka = await connectTestKafka(prefix)
await kafka.ensureTopics()
const admin = plainClient((await servers()).brokers).admin()
await admin.connect()

const count = 3_000
await Promise.all(
  Array.from({ length: count }, (_, i) => kafka.append(recordOf(`acme/${i % 50}`, String(i)), withinMs)),
)

const placesOf = async (options: Parameters<typeof kafka.readTopic>[2] = {}) => {
  const places: Array<readonly [partition: number, offset: number]> = []
  const values: string[] = []
  let largest = 0
  const outcome = await kafka.readTopic(
    'chats',
    async (records) => {
      largest = Math.max(largest, records.length)
      places.push(...records.map(({ partition, offset }) => [partition, offset] as const))
      values.push(...records.map(textOf))
    },
    options,
  )
  return { places, values, largest, outcome }
}

const reading = suite('reading a topic')

reading.after(async () => {
  await admin.disconnect()
  await kafka.stop()
})

reading('all records are read once, partition after partition, in slices', async () => {
  const { places, values, largest, outcome } = await placesOf()

  const ends = await kafka.endOffsets('chats')
  const expected = [...ends]
    .sort(([a], [b]) => a - b)
    .flatMap(([partition, end]) => Array.from({ length: end }, (_, offset) => [partition, offset] as const))
  assert.equal(outcome, E.right(undefined))
  assert.equal(places, expected)
  assert.is(new Set(values).size, count)
  assert.ok(largest <= 500)
})

reading('a part of it is read from the first to the last record of the part', async () => {
  const { places } = await placesOf({
    part: (partition, { low, high }) =>
      partition === 1 ? { low: low + 10, high: low + 12 } : { low: high - (partition === 3 ? 1 : 0), high },
  })

  const last = ((await kafka.endOffsets('chats')).get(3) ?? 0) - 1
  assert.equal(places, [
    [1, 10],
    [1, 11],
    [3, last],
  ])
})

reading('a topic without records is read at once, and a missing topic is reported', async () => {
  const other = await connectTestKafka(newPrefix())

  assert.equal(await kafka.readTopic('calls', async () => {}), E.right(undefined))
  assert.ok(E.isLeft(await other.readTopic('calls', async () => {})))
  await other.stop()
})

reading('it ends on request, and when its reader throws', async () => {
  const enough = new AbortController()
  let slices = 0
  const outcome = await kafka.readTopic(
    'chats',
    async () => {
      slices++
      enough.abort()
    },
    { signal: enough.signal },
  )
  const thrown = await kafka
    .readTopic('chats', () => Promise.reject(new Error('no more')))
    .catch(({ message }: Error) => message)

  assert.equal([outcome, slices, thrown], [E.right(undefined), 1, 'no more'])
})

reading('no consumer group remains', async () => {
  const { groups } = await admin.listGroups()
  assert.equal(
    groups.filter(({ groupId }) => groupId.startsWith(prefix)),
    [],
  )
})

reading.run()
