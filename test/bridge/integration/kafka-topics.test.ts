import * as E from 'fp-ts/lib/Either.js'
import kafkajs from 'kafkajs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { topics as allTopics } from '../../../contracts/topics.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { createTopics, plainClient } from '../../support/plain-consumer.ts'
import { servers } from '../../support/servers.ts'
import { connectTestKafka, newPrefix, recordOf, withinMs } from '../kafka/connect.ts'

const prefix = newPrefix()
const kafka = await connectTestKafka(prefix)
const { brokers } = await servers()
const plain = plainClient(brokers)
const admin = plain.admin()
await admin.connect()

const names = allTopics.map(({ name }) => `${prefix}${name}`)
const configEntries = [
  { name: 'retention.ms', value: '86400000' },
  { name: 'segment.bytes', value: '1048576' },
]
await createTopics(brokers, [{ topic: `${prefix}chats`, numPartitions: 2, configEntries }])

const topics = suite('topics')

topics('before they are created, the description reports what is missing and creates nothing', async () => {
  const reports = right(await kafka.describeTopics())

  assert.equal(
    reports.map(({ name }) => name),
    names,
  )
  assert.equal(reports[1]?.differences, ['does not exist'])
  assert.equal(
    (await admin.listTopics()).filter((name) => name.startsWith(prefix)),
    [`${prefix}chats`],
  )
})

topics(
  'two instances can create them at the same time, and existing topics that differ are reported and kept',
  async () => {
    const other = await connectTestKafka(prefix)

    const both = await Promise.all([kafka.ensureTopics(), other.ensureTopics()])

    const [chats, ...others] = right(both[0])
    assert.equal(both.map(E.isRight), [true, true])
    // Each topic was created by one of them, so one of their logs has it.
    assert.equal(
      both.flatMap((reports) => right(reports).flatMap(({ name, created }) => (created ? [name] : []))).sort(),
      names.filter((name) => name !== `${prefix}chats`).sort(),
    )
    assert.equal(chats, {
      name: `${prefix}chats`,
      key: '<account id>/<chat id>',
      partitions: 2,
      replication: 1,
      cleanUp: 'kept 1 day',
      created: false,
      differences: [
        'partitions is 2, not 4',
        'retention.ms is 86400000, not -1',
        'segment.ms is 604800000, not 86400000',
        'max.message.bytes is 1048588, not 7340032: larger records are refused',
        'message.timestamp.type is CreateTime, not LogAppendTime',
        'records are refused for good while a clock of the bridge is more than 3600 s fast (message.timestamp.after.max.ms)',
      ],
    })
    assert.ok(others.every(({ differences }) => differences.length === 0))
    // The archive of a topic has as many partitions as the topic.
    assert.equal(
      others.filter(({ partitions }) => partitions !== 4).map(({ name, partitions }) => [name, partitions]),
      [[`${prefix}archive-chats`, 2]],
    )
    assert.equal(
      Object.fromEntries(
        Object.entries(Object.groupBy(others, ({ cleanUp }) => cleanUp)).map(([cleanUp, of = []]) => [
          cleanUp,
          of.length,
        ]),
      ),
      { 'kept for ever': 9, 'kept 7 days': 1, 'newest of each key kept': 1, 'kept 14 days': 3, 'kept 400 days': 1 },
    )
    await other.stop()
  },
)

topics('settings are applied to existing topics, and settings of others are kept', async () => {
  const name = `${prefix}chats`
  const ownOf = async () => {
    const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name }]
    const { resources: found } = await admin.describeConfigs({ includeSynonyms: false, resources })
    const entries = found[0]?.configEntries ?? []
    return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]))
  }

  const [chats] = right(await kafka.applyTopics())

  assert.equal(chats?.differences, ['partitions is 2, not 4'])
  assert.equal(right(await kafka.describeTopics())[0], chats)
  const { 'segment.bytes': segment, 'retention.ms': retention } = await ownOf()
  assert.equal([segment, retention], ['1048576', '-1'])
})

topics('end offsets are current at the time of the call, and a group without commits has no offset', async () => {
  const before = await kafka.endOffsets('calls')
  right(await kafka.append({ ...recordOf('acme/1', 'x'), topic: 'calls' }, withinMs))

  const many = await Promise.all(Array.from({ length: 100 }, () => kafka.endOffsets('calls')))

  const sum = (ends: ReadonlyMap<number, number>) => [...ends.values()].reduce((all, end) => all + end, 0)
  assert.equal([before.size, sum(before)], [4, 0])
  assert.equal(new Set(many.map(sum)), new Set([1]))
  // A broker that has just started may still be loading its groups.
  const committed = await eventually('the coordinator', () =>
    kafka.committedOffsets('nobody', 'calls').catch(() => undefined),
  )
  assert.equal(committed, new Map())
})

topics('health reports that the broker answers', async () => {
  assert.equal(await kafka.health(), { ok: true, reason: '1 broker' })
})

topics('without a broker every call still ends, and the connection stops', async () => {
  const nowhere = await connectTestKafka(prefix, ['127.0.0.1:1'])

  const appended = nowhere.append(recordOf('acme/1', 'x'), 200)
  const outcomes = await Promise.all([
    appended,
    nowhere.ensureTopics().then(E.isLeft),
    nowhere.endOffsets('chats').catch(() => 'rejected'),
    Promise.resolve(nowhere.health()).then(({ ok }) => ok),
  ])
  const consumer = await nowhere.consume({
    group: 'g',
    topics: ['chats'],
    commit: 'when-handled',
    handle: async () => {},
  })

  assert.equal(outcomes, [
    E.left({ kind: 'transient', reason: 'not known to be durable within the time given' }),
    true,
    'rejected',
    false,
  ])
  assert.is((await consumer.health()).ok, false)
  assert.is(nowhere.waiting().records, 1)
  await nowhere.stop()
  assert.is(nowhere.waiting().records, 0)
})

topics('all connections are closed', async () => {
  await Promise.all([kafka.stop(), admin.disconnect()])
})

topics.run()
