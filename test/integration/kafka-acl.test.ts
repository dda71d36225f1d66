import { join, resolve } from 'node:path'
import kafkajs from 'kafkajs'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../contracts/topics.ts'
import { newClusterId } from '../../src/embedded/kafka-broker.ts'
import { kafkaConfig } from '../../src/embedded/kafka-config.ts'
import { kafkaJars } from '../../src/embedded/kafka-jars.ts'
import { runKafkaNode } from '../../src/embedded/kafka-node.ts'
import { anyFree } from '../../src/embedded/port.ts'
import { right } from '../support/either.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { plainClient, readTopics } from '../support/plain-consumer.ts'
import { sample } from '../support/samples.ts'
import { cacheDir, databaseUrl, servers } from '../support/servers.ts'
import { world } from '../support/world.ts'

const directory = temporaryFolder()
const ports = { broker: await anyFree(), controller: await anyFree() }
const broker = right(
  await runKafkaNode({
    name: 'a broker with access control',
    directory,
    logFile: join(directory, 'kafka.log'),
    jars: right(await kafkaJars(resolve(cacheDir), () => {})),
    heap: 384,
    clusterId: newClusterId(),
    configure: async () => ({
      port: ports.broker,
      properties: `${kafkaConfig(ports)}authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
allow.everyone.if.no.acl.found=true
`,
    }),
  }),
)
const { mongoUrl } = await servers()
const here = await world({
  servers: { brokers: [`127.0.0.1:${ports.broker}`], mongoUrl: (database) => databaseUrl(mongoUrl, database) },
  partitions: 1,
})
const bridge = await here.start()
const mongo = await MongoClient.connect(here.mongo.url)
const admin = plainClient(here.brokers).admin()
await admin.connect()

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs
const entry = (topic: TopicName) => ({
  resourceType: AclResourceTypes.TOPIC,
  resourceName: `${here.prefix}${topic}`,
  resourcePatternType: ResourcePatternTypes.LITERAL,
  principal: 'User:ANONYMOUS',
  host: '*',
})
/** Forbids one operation on a topic, and allows all others. */
const deny = (topic: TopicName, operation: kafkajs.AclOperationTypes) =>
  admin.createAcls({
    acl: [
      { ...entry(topic), operation: AclOperationTypes.ALL, permissionType: AclPermissionTypes.ALLOW },
      { ...entry(topic), operation, permissionType: AclPermissionTypes.DENY },
    ],
  })
const allow = (topic: TopicName) =>
  admin.deleteAcls({
    filters: [{ ...entry(topic), operation: AclOperationTypes.ANY, permissionType: AclPermissionTypes.ANY }],
  })
const logged = async (topic: TopicName) => {
  const { records } = await readTopics(here.brokers, here.prefix, [topic])
  // The journal and a request that was under way may both append an event, under one id.
  return new Set(records.map(({ headers }) => `${headers.ce_id}`)).size
}
const reasonOf = async (check: string) => {
  const { checks } = (await (await fetch(`${bridge.adminUrl}/readyz`)).json()) as {
    checks: Record<string, { reason: string }>
  }
  return checks[check]?.reason ?? ''
}
const payload = (name: string) => JSON.parse(sample('webhooks', name))
const post = (name: string, chat: number) => here.service.webhook('acme', { ...payload(name), chat_id: String(chat) })
const inView = (view: string, filter: object) => mongo.db().collection(view).countDocuments(filter)

const access = suite('a topic to which the broker denies access')

access.after(async () => {
  await here.stop()
  await Promise.all([admin.disconnect(), mongo.close()])
  await broker.stop()
})

access('for writing: its events wait in the journal, the others go on, and nothing is lost', async () => {
  await post('chat_accepted', 1)
  await eventually('the first event', async () => (await logged('chats')) === 1)
  await deny('chats', AclOperationTypes.WRITE)
  for (const chat of [2, 3]) await post('chat_accepted', chat)
  await post('call_event', 4)

  await eventually('the call', async () => (await inView('calls', { chatId: '4' })) === 1)
  assert.match(await reasonOf('journal'), /^Kafka does not accept records of chats: 2 records wait in the journal/)
  assert.is(await logged('chats'), 1)

  await allow('chats')
  await eventually('the other events', async () => (await inView('chats', { chatId: { $in: ['2', '3'] } })) === 2)
  assert.is(await logged('chats'), 3)
})

access('for reading: the projector says why it does not read, and then goes on by itself', async () => {
  await deny('calls', AclOperationTypes.READ)
  await post('call_event', 5)
  await post('chat_accepted', 6)

  await eventually('the reason', async () => (await reasonOf('projector')).includes('TOPIC_AUTHORIZATION_FAILED'))
  assert.is(await logged('chats'), 4)

  await allow('calls')
  await eventually('the call', async () => (await inView('calls', { chatId: '5' })) === 1)
  await eventually('the chat', async () => (await inView('chats', { chatId: '6' })) === 1)
})

access('for the outcomes of replies: a reply is sent once, and its outcome follows', async () => {
  await here.service.clientWrites('7', 'Hello?', { accountId: 'acme' })
  await eventually('the message', async () => (await inView('conversations', { chatId: '7' })) === 1)
  await deny('bot-conversations', AclOperationTypes.WRITE)
  const reply = {
    type: 'BotMessage',
    id: 'r7',
    accountId: 'acme',
    chatId: '7',
    clientId: '7',
    message: { type: 'TEXT', text: 'Hello' },
  }
  const producer = plainClient(here.brokers).producer()
  await producer.connect()
  await producer.send({
    topic: `${here.prefix}bot-replies`,
    messages: [{ key: 'acme/7', value: JSON.stringify(reply) }],
  })
  await producer.disconnect()

  const delivered = () => here.service.chat('7', 'acme')?.delivered.map(({ id }) => id)
  await eventually('the reply', () => delivered()?.length === 1)

  await allow('bot-conversations')
  await eventually(
    'the outcome',
    async () => (await inView('deliveries', { commandId: 'r7', state: 'delivered' })) === 1,
  )
  assert.equal(delivered(), ['r7'])
})

access.run()
