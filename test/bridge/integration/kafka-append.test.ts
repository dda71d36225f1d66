import { randomBytes } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { eventually } from '../../support/eventually.ts'
import { connectTestKafka, newPrefix, recordOf, textOf, withinMs } from '../kafka/connect.ts'

const warnings: string[] = []
process.on('warning', ({ name }) => name === 'TimeoutNegativeWarning' && warnings.push(name))

const kafka = await connectTestKafka(newPrefix())
const topics = await kafka.ensureTopics()

const records = (topic: IncomingRecord['topic']) => {
  const read: IncomingRecord[] = []
  const consumer = kafka.consume({
    group: `reader-of-${topic}`,
    topics: [topic],
    commit: 'when-handled',
    handle: async (slice) => void read.push(...slice.records),
  })
  return { read, stop: async () => (await consumer).stop() }
}

const append = suite('append and publish')

append('the topics of the interface are created', () => {
  assert.equal(
    E.isRight(topics) && topics.right.every(({ created, differences }) => created && differences.length === 0),
    true,
  )
})

append('records of a key keep their order, however many are appended at once', async () => {
  const keys = ['a/1', 'a/2', 'b/1', 'b/2', 'c/1']
  const { read, stop } = records('chats')

  const appended = await Promise.all(
    Array.from({ length: 2_000 }, (_, i) => kafka.append(recordOf(keys[i % keys.length] ?? '', String(i)), withinMs)),
  )

  await eventually('2,000 records', () => read.length >= 2_000)
  const byKey = Map.groupBy(read, ({ key }) => String(key))
  assert.ok(appended.every(E.isRight))
  assert.equal(
    keys.map((key) => byKey.get(key)?.map(textOf)),
    keys.map((_, k) => Array.from({ length: 400 }, (_, i) => String(i * keys.length + k))),
  )
  await stop()
})

append('only the record that the broker never accepts is refused', async () => {
  const { read, stop } = records('enrichments')
  const given = (key: string | null) => ({ topic: 'enrichments' as const, key, value: '{}', headers: {} })

  // A compacted topic refuses a record without a key.
  const outcomes = await Promise.all(['a', null, 'b'].map((key) => kafka.append(given(key), withinMs)))

  await eventually('records of both chats', () => new Set(read.map(({ key }) => String(key))).size === 2)
  assert.equal(outcomes, [
    E.right(undefined),
    E.left({
      kind: 'permanent',
      reason: 'INVALID_RECORD: see cleanup.policy of the topic, and what checks records at the broker',
    }),
    E.right(undefined),
  ])
  await stop()
})

append(
  'a large record is compressed and read back completely; only one that is still too large is refused',
  async () => {
    const { read, stop } = records('clients')
    const mebibyte = 1024 * 1024
    const random = (bytes: number) => randomBytes(bytes * 0.75).toString('base64')
    const values = ['small', '{"text":"Hello"}'.repeat(mebibyte), random(8 * mebibyte), random(14 * mebibyte), 'after']

    const outcomes = await Promise.all(
      values.map((value) => kafka.append({ ...recordOf('acme/1', value), topic: 'clients' }, withinMs)),
    )

    await eventually('four records', () => read.length === 4)
    const durable = E.right(undefined)
    const refused = E.left({ kind: 'too-large' as const, reason: 'MESSAGE_TOO_LARGE' })
    assert.equal(outcomes, [durable, durable, durable, refused, durable])
    assert.ok(read.every((record, i) => textOf(record) === values.filter((_, at) => at !== 3)[i]))
    await stop()
  },
)

append('times in the log are those of the broker', async () => {
  const { read, stop } = records('calls')
  const now = Date.now
  Date.now = () => now() - 3_600_000
  const appended = await kafka.append({ ...recordOf('acme/1', 'x'), topic: 'calls' }, withinMs)
  Date.now = now

  await eventually('one record', () => read.length === 1)
  assert.ok(E.isRight(appended) && Math.abs((read[0]?.timestamp ?? 0) - Date.now()) < 600_000)
  await stop()
})

append('a stopped connection refuses records, and kafkajs has caused no warning of Node', async () => {
  await kafka.stop()

  assert.equal(await kafka.append(recordOf('a/1', '1'), withinMs), E.left({ kind: 'transient', reason: 'stopping' }))
  assert.equal(warnings, [])
})

append.run()
