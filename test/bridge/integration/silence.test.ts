import { startBot, text } from 'livechat-bridge/bot'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../../support/eventually.ts'
import { plainConsumer } from '../../support/plain-consumer.ts'
import { world } from '../../support/world.ts'

const here = await world({ bot: { replyWithin: 1500, agentUnavailableText: 'Leave us your number, please.' } })
const mongo = await MongoClient.connect(here.mongo.url)
const first = await here.start()
const log = await plainConsumer(here.brokers, here.prefix)

/** Bot logic that answers one question and is silent otherwise. */
const bot = await startBot(
  { onMessage: ({ data: { message } }) => (message.text === 'Are you there?' ? text('I am.') : undefined) },
  { brokers: here.brokers, topicPrefix: here.prefix, group: 'taciturn' },
)

const silence = suite('no client is left in silence, on real servers')

silence.after(async () => {
  await bot.stop()
  await log.stop()
  await mongo.close()
  await here.stop()
})

const chatsOf = (name: string, n: number) => Array.from({ length: n }, (_, i) => `${name}-${i}`)
const write = (chats: ReadonlyArray<string>, words: string) =>
  Promise.all(chats.map((chat) => here.service.clientWrites(chat, words, { accountId: 'acme' })))
const invitations = (chat: string) => here.service.chat(chat, 'acme')?.invitations ?? []
const received = (chat: string) => (here.service.chat(chat, 'acme')?.delivered ?? []).map(({ message }) => message.text)
const allAre = (chats: ReadonlyArray<string>, isSo: (chat: string) => boolean) =>
  eventually(`all of ${chats[0]}, …`, () => (chats.every(isSo) ? true : undefined))

silence(
  'silent bot logic: each client is handed to an agent once, across a restart, and the log has the reason',
  async () => {
    await write(['warm-up'], 'Are you there?')
    await allAre(['warm-up'], (chat) => received(chat).length > 0)
    const [answered, before, during, later] = [
      chatsOf('answered', 5),
      chatsOf('before', 10),
      chatsOf('during', 10),
      chatsOf('later', 12),
    ]
    await write(answered, 'Are you there?')
    await write(before, 'Hello?')
    await allAre(answered, (chat) => received(chat).length > 0)
    await write(during, 'Anybody?')
    await first.stop()
    await here.start()
    await allAre([...before, ...during], (chat) => invitations(chat).length > 0)
    // later chats on every partition: when their invitations are there, all that was due earlier has happened
    await write(later, 'Is this on?')
    await allAre(later, (chat) => invitations(chat).length > 0)

    assert.equal(
      answered.map((chat) => [received(chat), invitations(chat)]),
      answered.map(() => [['I am.'], []]),
    )
    const called = [...before, ...during, ...later]
    assert.equal(
      called.map((chat) => invitations(chat).map(({ by }) => by)),
      called.map(() => ['bot']),
    )
    const told = await eventually('the events', () => {
      const invited = log.records.filter(({ headers }) => headers.ce_type === 'livechat.AgentInvited.v1')
      return invited.length >= called.length ? invited : undefined
    })
    assert.equal(
      told.map(({ key, value }) => [key, JSON.parse(String(value)).invitedBy, JSON.parse(String(value)).reason]).sort(),
      called.map((chat) => [`acme/${chat}`, 'bridge', 'no-reply-in-time']).sort(),
    )
    const deliveries = await eventually('the deliveries', async () => {
      const found = await mongo
        .db()
        .collection('deliveries')
        .find({ because: 'no-reply-in-time', state: 'delivered', commandType: 'InviteAgent' })
        .toArray()
      return found.length >= called.length ? found : undefined
    })
    assert.is(deliveries.length, called.length)
  },
)

silence('a client gets the text of the account if no agent is available', async () => {
  const chat = 'before-0'
  await here.service.agentUnavailable(chat, { accountId: 'acme' })
  await allAre([chat], () => received(chat).length > 0)
  assert.equal([received(chat), invitations(chat).length], [['Leave us your number, please.'], 1])
})

silence.run()
