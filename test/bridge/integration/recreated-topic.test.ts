import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { viewNames } from '../../../src/bridge/views/index.ts'
import { runCommand } from '../../support/command.ts'
import { deleteTopics, recreateTopics } from '../../support/delete-topics.ts'
import { eventually } from '../../support/eventually.ts'
import { connectOperator } from '../../support/operator.ts'
import { plainClient, readTopics } from '../../support/plain-consumer.ts'
import { interrupting, runRebuild } from '../../support/rebuild.ts'
import { sample } from '../../support/samples.ts'
import { world } from '../../support/world.ts'

const here = await world({ partitions: 2, bot: { replyWithin: 1_500 } })
let bridge = await here.start()
const operator = await connectOperator(here, 2)
const { db, kafka } = operator
const admin = plainClient(here.brokers).admin()
await admin.connect()
const token = here.accounts[0]?.webhooks?.token

const accepted = JSON.parse(sample('webhooks', 'chat_accepted'))
const acceptChat = async (id: number) => {
  const body = JSON.stringify({ ...accepted, chat_id: id })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${bridge.url}/webhooks/${token}`, { method: 'POST', headers, body })).status
}
const chats = async () =>
  (
    await db
      .collection<{ _id: string }>('chats')
      .find({}, { projection: { _id: 1 } })
      .toArray()
  )
    .map(({ _id }) => _id)
    .sort()
/** Empty while no bridge listens. */
const readiness = () =>
  fetch(`${bridge.adminUrl}/readyz`).then(
    (answer) => answer.text(),
    () => '',
  )
/** The number of records of the topic; undefined while the topic does not exist. */
const appended = async () => {
  const ends = await admin.fetchTopicOffsets(`${here.prefix}chats`).catch(() => undefined)
  return ends?.reduce((sum, { high }) => sum + Number(high), 0)
}
const refusal = async (reason = 'run livechat-bridge rebuild all') =>
  eventually('the refusal', async () => (await readiness()).includes(reason), 90_000)
const recreate = async () => {
  await admin.deleteTopics({ topics: [`${here.prefix}chats`] })
  await refusal()
}
const rebuild = (...args: ReadonlyArray<string>) =>
  runCommand(['rebuild', ...args], {
    KAFKA_BROKERS: here.brokers.join(','),
    MONGODB_URL: here.mongo.url,
    TOPIC_PREFIX: here.prefix,
  })

/** Begins a rebuild of all views, and interrupts it at its first progress report. */
const interruptedRebuild = async () => {
  const { code } = await runRebuild(operator, { views: viewNames, force: true }, interrupting())
  assert.is(code, 1)
}

const recreated = suite('views of a topic that was deleted and created again')

const producer = plainClient(here.brokers).producer()
await producer.connect()
const say = (chat: string, id: string) =>
  producer.send({
    topic: `${here.prefix}bot-replies`,
    messages: [
      {
        key: `acme/${chat}`,
        value: JSON.stringify({
          type: 'BotMessage',
          id,
          accountId: 'acme',
          chatId: chat,
          clientId: chat,
          message: { type: 'TEXT', text: id },
        }),
      },
    ],
  })
const write = (chat: string) => here.service.clientWrites(chat, 'Hello?', { accountId: 'acme' })
const agentJoins = (chat: string) => here.service.agentJoins(chat, { accountId: 'acme' })
/** How often the bridge has invited an agent. The service does it too after a 503. */
const invited = (chat: string) =>
  here.service.chat(chat, 'acme')?.invitations.filter(({ by }) => by === 'bot').length ?? 0
const delivered = (chat: string) => (here.service.chat(chat, 'acme')?.delivered ?? []).map(({ id }) => id)
/** The types of the outcomes of a reply in the log. */
const outcomesOf = async (id: string) => {
  // Reading fails while the topic does not exist.
  const read = await readTopics(here.brokers, here.prefix, ['bot-conversations']).catch(() => undefined)
  return (read?.records ?? []).flatMap(({ headers, value }) =>
    JSON.parse(`${value}`).commandId === id ? [`${headers.ce_type}`] : [],
  )
}
/** An outcome may be appended twice: by the producer that waits for the topic, and again by egress. */
const suppressed = async (id: string) => {
  const outcomes = await eventually(`the outcome of ${id}`, async () => {
    const found = await outcomesOf(id)
    return found.length > 0 && found
  })
  assert.equal([...new Set(outcomes)], ['livechat.BotReplySuppressed.v1'])
}
recreated.after(async () => {
  await producer.disconnect()
  await operator.stop()
  await admin.disconnect()
  await here.stop()
})

recreated('are left unchanged until they are rebuilt, and then continue', async () => {
  for (const id of [1, 2, 3]) assert.is(await acceptChat(id), 200)
  await eventually('three chats', async () => (await chats()).length === 3)

  await recreate()
  for (const id of [1, 11, 12, 13, 14, 15]) assert.is(await acceptChat(id), 200)
  await eventually('the new topic', async () => (await appended()) === 6)
  assert.equal(await chats(), ['acme/1', 'acme/2', 'acme/3'])

  const { code, out, err } = await rebuild('all', '--force')

  assert.equal([code, err], [0, ''], out)
  assert.is(await acceptChat(16), 200)
  const expected = ['acme/1', 'acme/11', 'acme/12', 'acme/13', 'acme/14', 'acme/15', 'acme/16']
  await eventually('the projector to go on', async () => String(await chats()) === String(expected))
})

recreated(
  'also continue after an interrupted rebuild, unless the topic was created again during this time',
  async () => {
    await recreate()
    assert.is(await acceptChat(21), 200)
    await eventually('the new topic', async () => (await appended()) === 1)
    await interruptedRebuild()

    await admin.deleteTopics({ topics: [`${here.prefix}chats`] })
    // An event before this may be appended twice: by the producer that waits for the topic, and from the journal.
    await eventually('an empty topic instead', async () => (await appended()) === 0)
    for (const id of [22, 23]) assert.is(await acceptChat(id), 200)
    await eventually('the new topic', async () => (await appended()) === 2)
    const refused = await rebuild('--resume')
    assert.is(refused.code, 1)
    assert.match(refused.out, 'These topics were deleted and created again after the rebuild began: chats. Drop it')
    assert.is((await rebuild('--discard')).code, 0)

    await interruptedRebuild()
    const resumed = await rebuild('--resume', '--json')
    assert.is(resumed.code, 0, resumed.err)
    const { done, views } = JSON.parse(resumed.out)
    assert.equal([done, views.find(({ view }: { view: string }) => view === 'chats')?.rebuilt], [true, 2])
    assert.is(await acceptChat(24), 200)
    const expected = ['acme/22', 'acme/23', 'acme/24']
    await eventually('the projector to go on', async () => String(await chats()) === String(expected))
  },
)

recreated(
  'with another TOPIC_PREFIX the projector refuses too, and continues once the prefix is the former one',
  async () => {
    const before = await chats()
    await bridge.stop()
    const topics = { prefix: `${here.prefix}other.`, partitions: 2 }
    here.start(['ingress', 'projector'], (other) => (bridge = other), { topics }).catch(() => {})
    await refusal('deleted and created again, or TOPIC_PREFIX was changed: views have offsets of the other topic')
    assert.is(await acceptChat(30), 200)
    assert.equal(await chats(), before)
    await bridge.stop()

    bridge = await here.start()
    assert.is(await acceptChat(31), 200)
    await eventually('the projector to go on', async () => String(await chats()) === String([...before, 'acme/31']))
  },
)

recreated(
  'bot-conversations too: an egress that starts afterwards sends no reply over an agent, and forgets no waiting client',
  async () => {
    await bridge.stop()
    bridge = await here.start(['ingress', 'projector'])
    for (const chat of ['had-agent', 'waited']) await write(chat)
    const waiting = db.collection('conversations')
    await eventually(
      'the views',
      async () => (await waiting.countDocuments({ 'unanswered.0': { $exists: true } })) === 2,
    )
    await deleteTopics({ ...here, kafka }, ['bot-conversations'])
    await refusal()
    await agentJoins('had-agent')
    for (const chat of ['waits', 'has-agent']) await write(chat)
    await agentJoins('has-agent')
    for (const chat of ['had-agent', 'has-agent']) await say(chat, `late-${chat}`)

    const egress = await here.start(['egress'])
    for (const chat of ['had-agent', 'has-agent']) await suppressed(`late-${chat}`)
    await eventually('an agent for those who wait', () => ['waited', 'waits'].every((chat) => invited(chat) === 1))
    assert.equal(['had-agent', 'has-agent'].map(invited), [0, 0])
    assert.equal(['had-agent', 'has-agent'].flatMap(delivered), [])
    await egress.stop()
    assert.is((await rebuild('all', '--force')).code, 0)
  },
)

recreated('bot-conversations too: an egress that runs meanwhile does the same', async () => {
  await bridge.stop()
  bridge = await here.start()
  const some = Array.from({ length: 8 }, (_, i) => `earlier-${i}`)
  for (const chat of some) await write(chat)
  await eventually('the agents', () => some.every((chat) => invited(chat) === 1))
  // While there is no topic, bot events are refused, and the service does not send them a third time.
  await recreateTopics({ ...here, kafka }, ['bot-conversations'])
  await write('now-agent')
  await agentJoins('now-agent')
  await say('now-agent', 'late-now-agent')
  await write('now-waits')

  await suppressed('late-now-agent')
  await eventually('an agent', () => invited('now-waits') === 1)
  assert.equal(delivered('now-agent'), [])
})

recreated('bot-replies that end before what egress has committed are sent, and none twice', async () => {
  for (const chat of ['first', 'second']) {
    await write(chat)
    await say(chat, `to-${chat}`)
    await eventually('the reply', () => delivered(chat).length === 1)
  }
  await bridge.stop()
  const [groupId, topic] = [`${here.prefix}egress`, `${here.prefix}bot-replies`]
  const committed = await admin.fetchOffsets({ groupId, topics: [topic] })
  const partitions = committed.flatMap((each) => each.partitions)
  await admin.setOffsets({
    groupId,
    topic,
    partitions: partitions.map(({ partition, offset }) => ({ partition, offset: String(Number(offset) + 10) })),
  })
  for (const chat of ['first', 'second']) await say(chat, `again-to-${chat}`)
  here.start(['ingress', 'egress'])

  await eventually('the replies', () => ['first', 'second'].every((chat) => delivered(chat).length === 2))
  assert.equal(['first', 'second'].map(delivered), [
    ['to-first', 'again-to-first'],
    ['to-second', 'again-to-second'],
  ])
})

recreated.run()
