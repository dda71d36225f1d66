import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import kafkajs from 'kafkajs'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../../contracts/topics.ts'
import { newKeyFile } from '../../../src/bridge/archive/key-file.ts'
import type { Slice } from '../../../src/bridge/domain/log/record.ts'
import { erasuresIn } from '../../../src/bridge/mongo/erasures.ts'
import { runCommand } from '../../support/command.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { runOperation } from '../../support/operation.ts'
import { connectOperator } from '../../support/operator.ts'
import { ownBroker } from '../../support/own-broker.ts'
import { plainClient, readTopics } from '../../support/plain-consumer.ts'
import { sample } from '../../support/samples.ts'
import { databaseUrl, servers } from '../../support/servers.ts'
import { world } from '../../support/world.ts'
import { connectTestKafka, newPrefix, recordOf, textOf, withinMs } from '../kafka/connect.ts'

const broker = await ownBroker([
  'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'allow.everyone.if.no.acl.found=true',
])
const { mongoUrl } = await servers()
const here = await world({
  servers: { brokers: broker.brokers, mongoUrl: (database) => databaseUrl(mongoUrl, database) },
  partitions: 1,
  bot: { replyWithin: 3_000 },
})
const archiveKeyFile = join(temporaryFolder(), 'keys.json')
writeFileSync(archiveKeyFile, newKeyFile('first'))
const bridge = await here.start(undefined, undefined, { archiveKeyFile })
const operator = await connectOperator(here, 1)
const mongo = await MongoClient.connect(here.mongo.url)
const admin = plainClient(here.brokers).admin()
await admin.connect()

const { AclOperationTypes: operations, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs
const entry = (name: string, prefix: string, resourceType = AclResourceTypes.TOPIC) => ({
  resourceType,
  resourceName: `${prefix}${name}`,
  resourcePatternType: ResourcePatternTypes.LITERAL,
  principal: 'User:ANONYMOUS',
  host: '*',
})
/** Does `work` while the broker denies one operation on a topic, and allows all others. */
const whileDenied = async (
  topic: string,
  operation: kafkajs.AclOperationTypes,
  work: () => Promise<void>,
  prefix = here.prefix,
  resourceType = AclResourceTypes.TOPIC,
) => {
  const resource = entry(topic, prefix, resourceType)
  await admin.createAcls({
    acl: [
      { ...resource, operation: operations.ALL, permissionType: AclPermissionTypes.ALLOW },
      { ...resource, operation, permissionType: AclPermissionTypes.DENY },
    ],
  })
  try {
    await work()
  } finally {
    await admin.deleteAcls({
      filters: [{ ...resource, operation: operations.ANY, permissionType: AclPermissionTypes.ANY }],
    })
  }
}
const logged = async (topic: TopicName) => {
  const { records } = await readTopics(here.brokers, here.prefix, [topic])
  // The journal and a request that was under way may both append an event, under one id.
  return new Set(records.map(({ headers }) => `${headers.ce_id}`)).size
}
const endOf = async (topic: TopicName) => (await operator.kafka.endOffsets(topic)).get(0) ?? 0
const reasonOf = async (check: string) => {
  const { checks } = (await (await fetch(`${bridge.adminUrl}/readyz`)).json()) as {
    checks: Record<string, { reason: string }>
  }
  return checks[check]?.reason ?? ''
}
const payload = (name: string) => JSON.parse(sample('webhooks', name))
const post = (name: string, chat: number) => here.service.webhook('acme', { ...payload(name), chat_id: String(chat) })
const sendReply = async (chat: string) => {
  const reply = {
    type: 'BotMessage',
    id: `r${chat}`,
    accountId: 'acme',
    chatId: chat,
    clientId: chat,
    message: { type: 'TEXT', text: 'Hello' },
  }
  const producer = plainClient(here.brokers).producer()
  await producer.connect()
  await producer.send({
    topic: `${here.prefix}bot-replies`,
    messages: [{ key: `acme/${chat}`, value: JSON.stringify(reply) }],
  })
  await producer.disconnect()
}
const delivered = (chat: string) => here.service.chat(chat, 'acme')?.delivered.map(({ id }) => id)
const inView = (view: string, filter: object) => mongo.db().collection(view).countDocuments(filter)

const access = suite('a topic to which the broker denies access')

access.after(async () => {
  await here.stop()
  await Promise.all([admin.disconnect(), mongo.close(), operator.stop()])
  await broker.stop()
})

access('for writing: its events wait in the journal, the others go on, and nothing is lost', async () => {
  await post('chat_accepted', 1)
  await eventually('the first event', async () => (await logged('chats')) === 1)
  await whileDenied('chats', operations.WRITE, async () => {
    for (const chat of [2, 3]) await post('chat_accepted', chat)
    await post('call_event', 4)

    await eventually('the call', async () => (await inView('calls', { chatId: '4' })) === 1)
    assert.match(await reasonOf('journal'), /^Kafka does not accept records of chats: 2 records wait in the journal/)
    assert.is(await logged('chats'), 1)
  })
  await eventually('the other events', async () => (await inView('chats', { chatId: { $in: ['2', '3'] } })) === 2)
  assert.is(await logged('chats'), 3)
})

access('for reading: the others go on, each reader names the topic, and its events follow', async () => {
  const archived = await logged('chats')
  await eventually('the archive of the earlier chats', async () => (await logged('archive-chats')) === archived)
  await whileDenied('calls', operations.READ, async () => {
    for (const check of ['projector', 'archiver'])
      await eventually(`${check} names it`, async () =>
        (await reasonOf(check)).startsWith('Kafka denies reading calls;'),
      )
    await post('call_event', 5)
    await post('chat_accepted', 6)

    await eventually('the chat in the views', async () => (await inView('chats', { chatId: '6' })) === 1)
    await eventually('the chat in the archive', async () => (await logged('archive-chats')) === archived + 1)
    assert.is(await inView('calls', { chatId: '5' }), 0)
  })
  await eventually('the call', async () => (await inView('calls', { chatId: '5' })) === 1)
  await eventually('the projector is well', async () => (await reasonOf('projector')).startsWith('reads '))
})

access('for reading and for looking at it: the same', async () => {
  await whileDenied('calls', operations.ALL, async () => {
    for (const check of ['projector', 'archiver'])
      await eventually(`${check} names it`, async () =>
        (await reasonOf(check)).startsWith('Kafka denies reading calls;'),
      )
    await post('chat_accepted', 8)
    await eventually('the chat', async () => (await inView('chats', { chatId: '8' })) === 1)
  })
  await post('call_event', 9)
  await eventually('the call', async () => (await inView('calls', { chatId: '9' })) === 1)
})

access('for reading: nobody is erased while events of the topic may be missing', async () => {
  const erase = () =>
    runOperation(
      ['erase', '--account', 'acme', '--chat', '6', '--yes'],
      {
        accounts: here.accounts,
        kafka: operator.kafka,
        erasures: operator.mongo.query(erasuresIn),
        retentionDays: 14,
        dataFolder: temporaryFolder(),
      },
      { recordAction: operator.recordAction, withinMs: 1_000 },
    )
  await whileDenied('calls', operations.READ, async () => {
    await eventually('the projector names it', async () => (await reasonOf('projector')).includes('calls'))
    await post('call_event', 6)

    const { code, err } = await erase()

    assert.is(code, 1)
    assert.match(err.join(), 'The views lack events that the topics have')
    assert.is(await inView('erasures', {}), 0)
  })
  await eventually('the call', async () => (await inView('calls', { chatId: '6' })) === 1)
})

access('for reading the commands: a client that waits gets an agent', async () => {
  await whileDenied('bot-replies', operations.READ, async () => {
    await eventually('egress names it', async () =>
      (await reasonOf('egress')).startsWith('Kafka denies reading bot-replies; reads 1'),
    )
    await here.service.clientWrites('10', 'Hello?', { accountId: 'acme' })
    await sendReply('10')

    await eventually('the agent', () => here.service.chat('10', 'acme')?.invitations.some(({ by }) => by === 'bot'))
    assert.equal(delivered('10'), [])
  })
  await eventually(
    'the outcome',
    async () => (await inView('deliveries', { commandId: 'r10', state: 'suppressed' })) === 1,
  )
})

access('for reading the conversations: no reply is sent by an old state of its chat', async () => {
  await here.service.clientWrites('11', 'Hello?', { accountId: 'acme' })
  await eventually('the message', async () => (await inView('conversations', { chatId: '11' })) === 1)
  await whileDenied('bot-conversations', operations.READ, async () => {
    await eventually('egress names it', async () =>
      (await reasonOf('egress')).startsWith('Kafka denies reading bot-conversations; nothing is read'),
    )
    const before = await endOf('bot-conversations')
    await here.service.agentJoins('11', { accountId: 'acme' })
    await eventually('the agent in the log', async () => (await endOf('bot-conversations')) > before)
    await sendReply('11')
    await post('chat_accepted', 12)

    await eventually('the chat in the views', async () => (await inView('chats', { chatId: '12' })) === 1)
    assert.equal(delivered('11'), [])
  })
  await eventually(
    'the outcome',
    async () => (await inView('deliveries', { commandId: 'r11', state: 'suppressed' })) === 1,
  )
  assert.equal(delivered('11'), [])
})

access('for the outcomes of replies: a reply is sent once, and its outcome follows', async () => {
  await here.service.clientWrites('7', 'Hello?', { accountId: 'acme' })
  await eventually('the message', async () => (await inView('conversations', { chatId: '7' })) === 1)
  await whileDenied('bot-conversations', operations.WRITE, async () => {
    await sendReply('7')

    await eventually('the reply', () => delivered('7')?.length === 1)
  })
  await eventually(
    'the outcome',
    async () => (await inView('deliveries', { commandId: 'r7', state: 'delivered' })) === 1,
  )
  assert.equal(delivered('7'), ['r7'])
})

/** A consumer in its own process as far as Kafka knows, and what it has read. */
const member = async (prefix: string) => {
  const kafka = await connectTestKafka(prefix, here.brokers)
  right(await kafka.ensureTopics())
  const read: Array<{ readonly text: string; readonly place: string }> = []
  const consumer = await kafka.consume({
    group: 'pair',
    topics: ['chats', 'calls'],
    leftOutIfDenied: ['calls'],
    commit: 'when-handled',
    handle: async ({ topic, partition, records }: Slice) => {
      for (const record of records)
        read.push({
          text: `${topic} ${textOf(record)} of ${record.key}`,
          place: `${topic}/${partition}@${record.offset}`,
        })
    },
  })
  return {
    kafka,
    read,
    reason: async () => (await consumer.health()).reason,
    [Symbol.asyncDispose]: async () => {
      await consumer.stop()
      await kafka.stop()
    },
  }
}

access('for reading, to two members of a group: they share the other topics, and its records follow', async () => {
  const prefix = newPrefix()
  await using one = await member(prefix)
  await using other = await member(prefix)
  const pair = [one, other]
  const chats = Array.from({ length: 20 }, (_, chat) => `acme/${chat}`)
  const append = (topic: 'chats' | 'calls', text: string) =>
    Promise.all(chats.map((chat) => one.kafka.append({ ...recordOf(chat, text), topic }, withinMs).then(right)))
  const have = (topic: string, text: string) => {
    const read = new Set(pair.flatMap((each) => each.read.map(({ text }) => text)))
    return chats.filter((chat) => read.has(`${topic} ${text} of ${chat}`)).length
  }
  /** Appends records that each have one reader: while a member joins or leaves, they could be handled again. */
  const appendToBoth = async (text: string) => {
    const before = pair.map(({ read }) => read.length)
    for (const topic of ['chats', 'calls'] as const) {
      await append(topic, text)
      await eventually(`the ${topic} ${text}`, () => have(topic, text) === chats.length)
    }
    const places = pair.flatMap(({ read }, i) => read.slice(before[i]).map(({ place }) => place))
    assert.is(new Set(places).size, places.length)
  }
  const appendChats = async (text: string) => {
    await append('chats', text)
    await eventually(`the chats ${text}`, () => have('chats', text) === chats.length)
  }
  const reasons = () => Promise.all(pair.map(({ reason }) => reason()))
  const shareAll = async () => (await reasons()).every((reason) => reason === 'reads 4 partitions')
  await eventually('both share all partitions', shareAll)
  await appendToBoth('at the start')

  await whileDenied(
    'calls',
    operations.READ,
    async () => {
      await eventually('each member names it', async () =>
        (await reasons()).every((reason) => reason.startsWith('Kafka denies reading calls;')),
      )
      await appendChats('before the calls')
      // Not earlier: a fetch that the broker allowed before may still bring records.
      await append('calls', 'denied')
      await appendChats('after the calls')
      assert.is(have('calls', 'denied'), 0)
    },
    prefix,
  )
  await eventually('the calls', () => have('calls', 'denied') === chats.length)
  await eventually('both share all partitions again', shareAll)
  await appendToBoth('at the end')
})

access('check-config --connect names each operation that is missing, on topics and on groups', async () => {
  const prefix = newPrefix()
  const kafka = await connectTestKafka(prefix, here.brokers)
  right(await kafka.ensureTopics())
  await kafka.stop()
  const check = () =>
    runCommand(['check-config', '--connect'], {
      KAFKA_BROKERS: here.brokers.join(),
      MONGODB_URL: here.mongo.url,
      TOPIC_PREFIX: prefix,
    })
  assert.equal((await check()).err, '')
  const denied = (topic: string, operation: kafkajs.AclOperationTypes, work: () => Promise<void>) =>
    whileDenied(topic, operation, work, prefix)
  const deniedToGroup = (group: string, work: () => Promise<void>) =>
    whileDenied(group, operations.READ, work, prefix, AclResourceTypes.GROUP)

  await denied('chats', operations.DELETE, () =>
    denied('quarantine', operations.WRITE, () =>
      denied('calls', operations.ALL, () =>
        deniedToGroup('egress', async () => {
          const { code, err } = await check()

          const lacks = (name: string, what: string) =>
            `! ${prefix}${name}: Kafka's user lacks ${what}: see its rights in install.md`
          assert.is(code, 1)
          assert.equal(
            err
              .split('\n')
              .filter((line) => line.includes('lacks'))
              .sort(),
            [
              lacks('calls', 'Read, Write, DescribeConfigs, Delete on topics'),
              lacks('chats', 'Delete on topics'),
              lacks('egress', 'Read on groups'),
              lacks('quarantine', 'Write on topics'),
            ],
          )
        }),
      ),
    ),
  )
})

access.run()
