import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Health } from '../../../src/bridge/domain/checks.ts'
import type { ConsumerSpec } from '../../../src/bridge/domain/log/consumer.ts'
import type { TopicIds } from '../../../src/bridge/domain/log/positions.ts'
import { deleteTopics } from '../../support/delete-topics.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { plainClient } from '../../support/plain-consumer.ts'
import { servers } from '../../support/servers.ts'
import { connectTestKafka, newPrefix, recordOf, textOf, withinMs } from '../kafka/connect.ts'

const { brokers } = await servers()
const admin = plainClient(brokers).admin()
await admin.connect()
const prefix = newPrefix()
const kafka = await connectTestKafka(prefix)
right(await kafka.ensureTopics())

/** A consumer with its own state remembers the ids of the topics that it has read. */
const memory = () => {
  let known: TopicIds | undefined
  return {
    forget: () => {
      known = undefined
    },
    refuseTopics: async (ids: TopicIds) => {
      known ??= ids
      return known.get('chats') === ids.get('chats') ? undefined : 'do something about it'
    },
  }
}
const remembers = memory()
const isRefused = ({ reason }: Health) => reason.includes('refuses to read: do something about it')
const consumerOf = async (group: string, given: Partial<ConsumerSpec> = {}) => {
  const texts: string[] = []
  const consumer = await kafka.consume({
    group,
    topics: ['chats'],
    commit: 'when-handled',
    ...given,
    handle: async ({ records }) => void texts.push(...records.map(textOf)),
  })
  return { texts, ...consumer }
}
const append = async (name: string, count: number) => {
  const texts = Array.from({ length: count }, (_, i) => `${name}-${i}`)
  for (const text of texts) right(await kafka.append(recordOf('acme/1', text), withinMs))
  return texts
}
const recreate = async () => {
  await deleteTopics({ brokers, prefix, kafka }, ['chats'])
  await eventually('the topic to be created again', async () => {
    const created = await kafka.ensureTopics()
    return created._tag === 'Right' && (await admin.listTopics()).includes(`${prefix}chats`)
  })
}

const recreated = suite('a topic that was deleted and created again')

recreated.after(async () => {
  await Promise.all([kafka.stop(), admin.disconnect()])
})

recreated('a consumer that stops and starts continues at its offset', async () => {
  const first = await append('first', 3)
  for (const group of ['waits', 'goes-on']) {
    const consumer = await consumerOf(group, remembers)
    await eventually('the records', () => consumer.texts.length === first.length)
    await consumer.stop()
  }
  const [more] = await append('second', 1)

  const consumer = await consumerOf('waits', remembers)
  await eventually('the records', () => consumer.texts.length > 0)
  await consumer.stop()

  assert.equal(consumer.texts, [more])
})

recreated(
  'is not read by a consumer whose offsets belong to the old topic, even if the new topic has as many records',
  async () => {
    await recreate()
    await append('new', 10)

    const consumer = await consumerOf('waits', remembers)
    await eventually('the refusal', async () => isRefused(await consumer.health()))

    assert.equal([(await consumer.health()).ok, consumer.texts], [false, []])
    await consumer.stop()
    remembers.forget()
    const again = await consumerOf('waits', remembers)
    await eventually('the records', () => again.texts.length === 10)
    await again.stop()
  },
)

recreated('is read from its beginning by the other groups', async () => {
  const consumer = await consumerOf('goes-on')
  await eventually('the records', () => consumer.texts.length >= 10)
  assert.is(consumer.texts[0], 'new-0')
  await consumer.stop()
})

recreated('has another id, and a missing topic has none', async () => {
  const before = await kafka.topicIds(['chats', 'calls'])
  await recreate()
  const after = await kafka.topicIds(['chats', 'calls'])

  assert.equal([before.size, after.size, before.get('calls') === after.get('calls')], [2, 2, true])
  assert.not.equal(before.get('chats'), after.get('chats'))
  assert.match(after.get('chats') ?? '', /^[\w-]{22}$/)
  remembers.forget()
  await append('new', 10)
})

recreated('while a consumer runs, it notices', async () => {
  const consumer = await consumerOf('running', remembers)
  await eventually('the records', () => consumer.texts.length === 10)
  await recreate()
  await append('newest', 2)

  await eventually('the refusal', async () => isRefused(await consumer.health()))

  assert.is(consumer.texts.length, 10)
  await consumer.stop()
})

recreated.run()
