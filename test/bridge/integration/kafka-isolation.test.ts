import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../../contracts/topics.ts'
import { newClient } from '../../../src/bridge/kafka/client.ts'
import { isIdentityLost } from '../../../src/bridge/kafka/errors.ts'
import { produceConnection } from '../../../src/bridge/kafka/produce/connection.ts'
import { deleteTopics } from '../../support/delete-topics.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { servers } from '../../support/servers.ts'
import { silent } from '../../support/silent-log.ts'
import { connectTestKafka, newPrefix, recordOf, textOf, withinMs } from '../kafka/connect.ts'

const { brokers } = await servers()
const prefix = newPrefix()
const [kafka, other] = [await connectTestKafka(prefix), await connectTestKafka(prefix)]
right(await kafka.ensureTopics())

const durable = E.right(undefined)
const quarantined = (value: string) => ({ topic: 'quarantine' as const, key: 'acme', value, headers: {} })
const valuesOf = async (topic: TopicName) => {
  const values: string[] = []
  right(await kafka.readTopic(topic, async (records) => void values.push(...records.map(textOf))))
  return values.sort()
}
/** After a topic was deleted, kafkajs fails once on a connection that knew the topic. */
const createTopics = () => eventually('the topics to be there', async () => E.isRight(await kafka.ensureTopics()))
/** Appends to another topic while one topic fails. Each record is acknowledged and is in the log once. */
const othersGoOn = async (name: string) => {
  const texts = Array.from({ length: 100 }, (_, i) => `${name}-${i}`)
  const before = await valuesOf('chats')
  const appended = []
  for (let from = 0; from < texts.length; from += 10)
    appended.push(
      ...(await Promise.all(
        texts.slice(from, from + 10).map((text) => kafka.append(recordOf(`acme/${text}`, text), withinMs)),
      )),
    )
  assert.ok(appended.every(E.isRight))
  assert.equal(await valuesOf('chats'), [...before, ...texts].sort())
}

const isolation = suite('a topic that fails delays only its own records')

isolation.after(async () => {
  await Promise.all([kafka.stop(), other.stop()])
})

isolation('deleted, until it exists again', async () => {
  right(await kafka.append(quarantined('old'), withinMs))
  await deleteTopics({ brokers, prefix, kafka }, ['quarantine'])
  const waiting = kafka.append(quarantined('new'), 120_000)
  await eventually('one failing topic', () => kafka.waiting().failing.length === 1)

  await othersGoOn('deleted')

  await createTopics()
  assert.equal(await waiting, durable)
  assert.equal(await valuesOf('quarantine'), ['new'])
})

isolation('missing from the start, even for a process that has never seen it', async () => {
  await deleteTopics({ brokers, prefix, kafka }, ['quarantine'])
  const waiting = other.append(quarantined('first'), 120_000)

  assert.equal(await other.append(recordOf('acme/1', 'beside'), withinMs), durable)

  await createTopics()
  assert.equal(await waiting, durable)
})

isolation('a batch that is sent again on another connection is in the log once', async () => {
  const clients = newClient({ brokers, ssl: false, clientId: 'test', topicPrefix: prefix, partitions: 4 }, silent)
  const [first, second] = [produceConnection(clients, prefix), produceConnection(clients, prefix)]
  await Promise.all([first.prepare('calls'), second.prepare('calls')])
  const leader = first.leaderOf('calls', 1) ?? -1
  const producerId = await first.newProducerId(leader)
  const batch = (value: string, sequence: number) => ({
    topic: 'calls' as const,
    partition: 1,
    isCompressed: false,
    identity: { producerId, sequence },
    records: [{ ...recordOf('acme/1', value), topic: 'calls' as const }],
  })

  assert.equal(await first.produce(leader, [batch('a', 0)]), [undefined])
  assert.equal(await second.produce(leader, [batch('a', 0)]), [undefined])
  assert.equal(await second.produce(leader, [batch('b', 1)]), [undefined])
  const [gap] = await second.produce(leader, [batch('d', 3)])

  assert.equal([await valuesOf('calls'), isIdentityLost(gap)], [['a', 'b'], true])
  await Promise.all([first.close(), second.close()])
})

isolation.run()
