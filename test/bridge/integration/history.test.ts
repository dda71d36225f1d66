import { startBot, text, toMessages } from 'livechat-bridge/bot'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { History } from '../../../contracts/http.ts'
import { dayMs } from '../../../src/bridge/shared/time.ts'
import { always } from '../../support/behaviours.ts'
import { eventually } from '../../support/eventually.ts'
import { silent } from '../../support/silent-log.ts'
import { world } from '../../support/world.ts'

const historyToken = 'history-token-0123456789'
const here = await world({ bot: { historyToken } })
const bridge = await here.start()
const { service } = here
const mongo = await MongoClient.connect(here.mongo.url)

/** A bot that answers with what it knows of the chat, newest last. It stays silent to `agent`. */
const start = () =>
  startBot(
    {
      onMessage: async ({ data: { message } }, { history }) => {
        if (message.text === 'silence') return undefined
        const said = toMessages(await history(10))
        return text(said.map(({ role, content }) => `${role}: ${content}`).join(' | '))
      },
    },
    {
      brokers: here.brokers,
      topicPrefix: here.prefix,
      group: `${here.prefix}remembering`,
      history: { url: bridge.url, tokens: { acme: historyToken } },
      log: silent,
    },
  )

const read = (chat: string, query = '', token = historyToken, account = 'acme') =>
  fetch(`${bridge.url}/history/${account}/${chat}${query}`, { headers: { authorization: `Bearer ${token}` } })
const messagesOf = async (chat: string, query = '') => (await (await read(chat, query)).json()) as History
const wordsOf = ({ messages }: History) => messages.map(({ from, text }) => `${from}: ${text}`)
const delivered = (chat: string, count: number) =>
  eventually(`${count} answers`, () => {
    const { delivered = [] } = service.chat(chat) ?? {}
    return delivered.length >= count ? delivered.map(({ message }) => message.text) : undefined
  })

const history = suite('history of a chat on real servers')
let bot = await start()
history.after(async () => {
  await bot.stop()
  await mongo.close()
  await here.stop()
})

history('a bot that is restarted in the middle of a chat still knows what was said', async () => {
  await service.clientWrites('2037', 'apples')
  assert.equal(await delivered('2037', 1), ['user: apples'])
  await bot.stop()
  bot = await start()
  await service.clientWrites('2037', 'green ones')
  assert.equal((await delivered('2037', 2))[1], 'user: apples | assistant: user: apples | user: green ones')
})

history(
  'the client, what was delivered of the bot, and the part of the agent are there; `last` limits them',
  async () => {
    const all = await eventually('both answers', async () => {
      const found = await messagesOf('2037')
      return found.messages.length === 4 && found.upTo === found.messages.at(-1)?.id ? found : undefined
    })
    assert.equal(
      all.messages.map(({ from, type }) => [from, type]),
      [
        ['client', 'TEXT'],
        ['bot', 'TEXT'],
        ['client', 'TEXT'],
        ['bot', 'TEXT'],
      ],
    )
    assert.equal(wordsOf(await messagesOf('2037', '?last=2')), wordsOf(all).slice(-2))

    await service.agentJoins('2037')
    const joined = await eventually('the agent', async () => {
      const found = await messagesOf('2037')
      return found.messages.length === 5 ? found.messages.at(-1) : undefined
    })
    assert.equal([joined.from, joined.type, joined.text, joined.until], ['agent', 'AGENT_JOINED', '', undefined])
    await service.closeChat('2037')
    const closed = await eventually('the end', async () => {
      const last = (await messagesOf('2037')).messages.at(-1)
      return last?.until === undefined ? undefined : last
    })
    assert.ok(String(closed.until) >= closed.at)
  },
)

for (const [chat, name, events, untilMs] of [
  ['3001', 'nothing happened for a day after an event', [['ClientMessageReceived', 1_000]], dayMs + 1_000],
  ['3002', 'the moment of joining, since the chat was closed', [['ChatClosed', -1_000]], 0],
] as const)
  history(`an agent had the chat until ${name}`, async () => {
    const joinedAt = Date.now() - 3 * dayMs
    await mongo
      .db()
      .collection<{ readonly _id: string }>('timeline')
      .insertMany(
        [['AgentJoined', 0] as const, ...events].map(([type, afterMs], offset) => ({
          _id: `acme/${chat}/bot/e${offset}`,
          accountId: 'acme',
          chatId: chat,
          type,
          time: new Date(joinedAt + afterMs),
          topic: 'bot-conversations',
          partition: 0,
          offset,
          data: {},
        })),
      )
    const { messages } = await messagesOf(chat)
    assert.is(messages.find(({ from }) => from === 'agent')?.until, new Date(joinedAt + untilMs).toISOString())
  })

history('what was suppressed or failed is not there', async () => {
  service.misbehave(always({ kind: 'error', status: 400 }), '2040')
  await service.clientWrites('2040', 'secret question')
  await eventually('the question', async () => (await read('2040')).status === 200 || undefined)
  await eventually('the failed answer', () =>
    service.requests().some(({ event }) => event?.chat_id === '2040') ? true : undefined,
  )
  assert.ok((await messagesOf('2040')).messages.every(({ from }) => from !== 'bot'))
})

history('with `after` it has that event, and an event that never comes is 425', async () => {
  const { id } = await service.clientWrites('2041', 'silence')
  // A request waits for the view no longer than a second, and a busy machine may need more than one.
  const answer = await eventually('the message', async () => {
    const tried = await read('2041', `?after=${id}`)
    return tried.status === 425 ? undefined : tried
  })
  assert.is(answer.status, 200)
  assert.equal(wordsOf((await answer.json()) as History), ['client: silence'])
  assert.is((await read('2041', '?after=never')).status, 425)
})

history('an erased chat is gone, and what its client writes afterwards is there', async () => {
  await service.clientWrites('2042', 'my passport is X1')
  await delivered('2042', 1)
  await eventually('the answer', async () => (await messagesOf('2042')).messages.length === 2 || undefined)
  await mongo
    .db()
    .collection('timeline')
    .updateMany({ accountId: 'acme', chatId: '2042' }, { $set: { erased: true }, $unset: { data: 1 } })
  assert.is((await read('2042')).status, 404)
  await service.clientWrites('2042', 'silence')
  await eventually('the new message', async () => (await read('2042')).status === 200 || undefined)
  assert.equal(wordsOf(await messagesOf('2042')), ['client: silence'])
})

history('an unknown chat is 404, and the token of another account 401', async () => {
  assert.is((await read('404404')).status, 404)
  assert.is((await read('2037', '', `guarded-${historyToken}`)).status, 401)
  assert.is((await read('2037', '', historyToken, 'guarded')).status, 401)
  assert.is((await read('2037', '', `guarded-${historyToken}`, 'guarded')).status, 404)
})

history.run()
