import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../../contracts/topics.ts'
import { hashOf } from '../../../src/kafka/spread/hash.ts'
import { spreadsOf } from '../../../src/kafka/spread/spreads.ts'
import { eventually, newSeen } from '../rooms.ts'

const key = Buffer.from('acme/2037')
const none = () => undefined

/** Topics of which `of` partitions are there and `over` are in use; each question is noted. */
const given = (over: number, of: number) => {
  const seen = newSeen()
  const broker = { over, of, away: false }
  const asked: TopicName[] = []
  const warn = (fields: object, message: string) => void seen.logged.push(['warn', message, fields])
  const spreads = spreadsOf({
    learn: async (topic) => {
      asked.push(topic)
      if (broker.away) throw new Error('away')
      return { over: broker.over, of: broker.of, mixed: false }
    },
    log: { debug: none, info: none, warn, error: none },
  })
  return { spreads, broker, asked, seen }
}

const spreads = suite('where keys go')

spreads('a topic is asked for once, one whose order does not count never', async () => {
  const { spreads, asked } = given(12, 12)
  await Promise.all([spreads.ready(['chats', 'chats', 'quarantine']), spreads.ready(['chats', 'dead-letters'])])
  await spreads.ready(['chats'])
  assert.equal(asked, ['chats'])
  assert.is(spreads.partitionOf('quarantine', key, 12), undefined)
})

spreads('keys stay where they were when there are more partitions, and it is told', async () => {
  const { spreads, broker, seen } = given(12, 12)
  await spreads.ready(['chats'])
  Object.assign(broker, { of: 24 })
  assert.is(spreads.partitionOf('chats', key, 24), hashOf(key) % 12)
  await eventually(() => spreads.known('chats')?.of === 24)
  assert.equal(seen.logged.at(-1)?.[2], { topic: 'chats', over: 12, of: 24 })
})

spreads('while it cannot be found out nothing is sent, and then it is asked again', async () => {
  const { spreads, broker, asked } = given(12, 12)
  broker.away = true
  assert.is(await spreads.ready(['chats']).catch(() => 'rejected'), 'rejected')
  broker.away = false
  await spreads.ready(['chats'])
  assert.equal(asked, ['chats', 'chats'])
})

spreads('fewer partitions than before are no place for keys: the next attempt asks anew', async () => {
  const { spreads, broker } = given(12, 12)
  await spreads.ready(['chats'])
  assert.throws(() => spreads.partitionOf('chats', key, 6), 'fewer partitions')
  Object.assign(broker, { over: 6, of: 6 })
  await spreads.ready(['chats'])
  assert.is(spreads.partitionOf('chats', key, 6), hashOf(key) % 6)
})

spreads('commands go where their conversation is, also when their own topic has more partitions', async () => {
  const { spreads, asked } = given(12, 12)
  await spreads.ready(['bot-replies'])
  assert.equal(asked, ['bot-conversations'])
  assert.is(spreads.partitionOf('bot-replies', key, 24), hashOf(key) % 12)
})

spreads.run()
