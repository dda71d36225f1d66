import { setTimeout as wait } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../../support/eventually.ts'
import { plainClient, plainConsumer } from '../../support/plain-consumer.ts'
import { world } from '../../support/world.ts'

const here = await world({ bot: { whenOvertaken: 'suppress', replyWithin: 600_000 } })
await here.start()
const log = await plainConsumer(here.brokers, here.prefix)
const producer = plainClient(here.brokers).producer()
await producer.connect()

const race = suite('late replies and events at the same time, on real servers')

race.after(async () => {
  await producer.disconnect()
  await log.stop()
  await here.stop()
})

const chatsOf = (name: string, n: number) => Array.from({ length: n }, (_, i) => `${name}-${i}`)
const write = async (chat: string, words = 'Hello') => {
  const id = `${chat}-${words}`
  await here.service.clientWrites(chat, words, { fields: { id } })
  return id
}
const reply = (chatId: string, inReplyTo: string) =>
  producer.send({
    topic: `${here.prefix}bot-replies`,
    messages: [
      {
        key: `acme/${chatId}`,
        value: JSON.stringify({
          type: 'BotMessage',
          id: `late-${chatId}`,
          accountId: 'acme',
          chatId,
          clientId: chatId,
          inReplyTo,
          message: { type: 'TEXT', text: 'late' },
        }),
      },
    ],
  })
const shown = (chat: string) => here.service.chat(chat)?.delivered ?? []

/** The outcome of each chat's reply: `delivered`, or the reason why it was suppressed. */
const outcomes = (chats: ReadonlyArray<string>) =>
  eventually('an outcome of every reply', () => {
    const told = new Map(
      log.records.flatMap(({ key, headers, value }) =>
        /^livechat\.BotReply/.test(headers.ce_type ?? '') ? [[key, JSON.parse(String(value))]] : [],
      ),
    )
    const found = chats.map((chat) => told.get(`acme/${chat}`))
    return found.every((data) => data !== undefined) ? found.map(({ reason = 'delivered' }) => reason) : undefined
  })

/** Waits until the bridge answers 200. Returns when the service received it, in ms since 1970. */
const answered = async (event: ReturnType<typeof here.service.agentJoins>): Promise<number> => {
  const { attempts } = await event
  const last = attempts.at(-1)
  assert.is(last?.kind === 'answered' && last.status, 200)
  return (last?.at ?? 0) + (last?.tookMs ?? 0)
}

const n = 50

race('no reply is delivered if the joining of an agent was answered 200 before the reply was published', async () => {
  const chats = chatsOf('joined', n)
  await Promise.all(
    chats.map(async (chat) => {
      const id = await write(chat)
      await answered(here.service.agentJoins(chat))
      await reply(chat, id)
    }),
  )
  assert.equal(await outcomes(chats), Array(n).fill('agent-joined'))
  assert.equal(chats.flatMap(shown), [])
})

race('no reply is delivered if a newer message was answered 200 before the reply was published', async () => {
  const chats = chatsOf('overtaken', n)
  await Promise.all(
    chats.map(async (chat) => {
      const id = await write(chat)
      await write(chat, 'Anybody?')
      await reply(chat, id)
    }),
  )
  assert.equal(await outcomes(chats), Array(n).fill('overtaken'))
  assert.equal(chats.flatMap(shown), [])
})

/** The time that `n` concurrent replies take, from their publishing until clients see the last one, in ms. */
const timeOfAll = async () => {
  const chats = chatsOf('undisturbed', n)
  const ids = await Promise.all(chats.map((chat) => write(chat)))
  const began = Date.now()
  await Promise.all(chats.map((chat, i) => reply(chat, ids[i] ?? '')))
  await outcomes(chats)
  return Math.max(...chats.flatMap(shown).map(({ at }) => at)) - began
}

race('an event may be too late for a reply that is on its way: how often, and by how much', async () => {
  const spreadMs = await timeOfAll()
  const chats = chatsOf('race', n)
  const answeredAt = new Map<string, number>()
  const ids = await Promise.all(chats.map((chat) => write(chat)))
  await Promise.all(
    chats.map(async (chat, i) => {
      const published = reply(chat, ids[i] ?? '')
      await wait((i * spreadMs) / n)
      answeredAt.set(chat, await answered(here.service.agentJoins(chat)))
      await published
    }),
  )
  const became = await outcomes(chats)
  const windows = chats.flatMap((chat) => shown(chat).map(({ at }) => at - (answeredAt.get(chat) ?? 0)))
  const late = windows.filter((ms) => ms > 0)
  console.log(
    `${n} replies against AGENT_JOINED: ${windows.length} sent, ${late.length} of them after the 200, ${Math.max(0, ...late)} ms at most`,
  )
  assert.equal(
    became.map((outcome, i) => [outcome, shown(chats[i] ?? '').length]),
    became.map((outcome) => (outcome === 'delivered' ? ['delivered', 1] : ['agent-joined', 0])),
  )
})

race.run()
