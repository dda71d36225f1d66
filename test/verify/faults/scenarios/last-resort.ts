import { botReplies } from '../../../../contracts/topics.ts'
import { agentJoined, agentUnavailable } from '../../../../src/tools/simulator/bot-events.ts'
import { eventually } from '../../../support/eventually.ts'
import { plainClient } from '../../../support/plain-consumer.ts'
import { unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { type Event, message } from '../traffic.ts'

const text = 'Nobody is here. Leave us your number, please.'
const settings = { replyWithin: 3_000, attempts: 3, deadlineMs: 10_000, agentUnavailableText: text }
const chatsFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i)

const agentJoins = (chat: number): Event => {
  const body = JSON.stringify(agentJoined({ id: `j-${chat}`, chat_id: String(chat), client_id: String(chat) }))
  return { chat: `bot-conversations acme/${chat}`, seq: 2, api: 'bot', body }
}

const nobodyThere = (chat: number): Event => {
  const body = JSON.stringify(agentUnavailable({ id: `u-${chat}`, chat_id: String(chat), client_id: String(chat) }))
  return { chat: `bot-conversations acme/${chat}`, seq: 2, api: 'bot', body }
}

type Command = Readonly<Record<string, unknown>> & { readonly type: string; readonly id: string }

/**
 * The service refuses the token as if it had been replaced, and then is away, for longer than every deadline. Clients
 * write meanwhile, bot logic asks for agents whom it has announced, and for some clients no agent is available. Others
 * talk to an agent, and ask the bot.
 */
export const lastResort: Scenario = {
  name: 'last-resort',
  promises: '16, 22',
  fault:
    'token refused and then the service away, for longer than the deadline, while clients write, bot logic asks for agents, and none is available',
  controls: [
    'an invitation has no last attempt',
    'the message after AGENT_UNAVAILABLE has no last attempt',
    'a refused token is no answer about a reply',
    'a hand-over that failed is made good',
    'a question to the bot after a join is answered',
  ],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const here = await observedWorld(cluster, without, settings)
    const { service, shown } = here
    const intake = await here.place(['ingress', 'projector'])
    const place = await here.place(['egress'])
    const [ingress, egress] = await Promise.all([intake.start(), place.start()])
    await Promise.all([ingress, egress].map(here.ready))
    const posts = here.recorder([intake])
    const producer = plainClient(here.brokers).producer()
    await producer.connect()
    const command = (chat: number, { id, ...rest }: Command) => {
      const ids = { accountId: 'acme', chatId: String(chat), clientId: String(chat) }
      const value = JSON.stringify({ id, ...ids, ...rest })
      return producer.send({ topic: here.prefix + botReplies.name, messages: [{ key: `acme/${chat}`, value }] })
    }
    const say = (chat: number, id: string, inReplyTo: string) =>
      command(chat, { type: 'BotMessage', id, inReplyTo, message: { type: 'TEXT', text: id } })
    const isShown = (id: string) => shown().some((reply) => reply.id === id)
    const areShown = (ids: ReadonlyArray<string>, withinMs = 30_000) =>
      eventually('the replies', () => ids.every(isShown) || undefined, withinMs).catch(() => undefined)

    const joined = chatsFrom(3_000, 5)
    for (const chat of joined) {
      await posts.send(message(chat, 1))
      await posts.send(agentJoins(chat))
      await posts.send(message(chat, 2))
      await say(chat, `late-${chat}`, `m-${chat}-1`)
      await say(chat, `asked-${chat}`, `m-${chat}-2`)
    }
    await areShown(joined.map((chat) => `asked-${chat}`))

    const handed = chatsFrom(2_000, 10)
    for (const chat of handed) {
      await posts.send(message(chat, 1))
      await say(chat, `answer-${chat}`, `m-${chat}-1`)
    }
    await areShown(handed.map((chat) => `answer-${chat}`))
    service.misbehave(() => ({ kind: 'error', status: 401 }))
    for (const chat of handed) await command(chat, { type: 'InviteAgent', id: `answer-${chat}` })
    const silent = chatsFrom(1_000, 20)
    for (const chat of silent) await posts.send(message(chat, 1))
    const left = chatsFrom(4_000, 10)
    for (const chat of left) {
      await posts.send(message(chat, 1))
      await posts.send(nobodyThere(chat))
    }
    const half = size === 'long' ? 180_000 : 22_500
    await wait(half)
    service.misbehave(() => ({ kind: 'error', status: 503 }))
    await wait(half)
    service.misbehave(() => undefined)
    const invitations = (chat: number) => service.chat(String(chat))?.invitations ?? []
    const told = () => new Set(shown().flatMap((reply) => (reply.text === text ? [reply.chat] : [])))
    const areCalled = () =>
      ([...silent, ...handed].every((chat) => invitations(chat).length > 0) &&
        left.every((chat) => told().has(String(chat)))) ||
      undefined
    const back = Date.now()
    await eventually('the agents', areCalled, 60_000).catch(() => undefined)
    const withinS = Math.round((Date.now() - back) / 1_000)
    await producer.disconnect()
    await here.stop()

    const nobody = [...silent, ...handed].filter((chat) => invitations(chat).length === 0)
    const untold = left.filter((chat) => !told().has(String(chat)))
    const shownLate = shown().filter(({ id }) => id.startsWith('late-'))
    return {
      injected: silent.length + handed.length + left.length,
      accepted: silent.length + handed.length + left.length + joined.length,
      lost: nobody.length + untold.length,
      duplicated: 0,
      inverted: 0,
      longestStall: withinS * 1_000,
      failures: [
        ...wrong('clients who have neither a reply nor an agent', nobody.map(String)),
        ...wrong('clients who were not told that no agent is available', untold.map(String)),
        ...wrong(
          'late replies over an agent',
          shownLate.map(({ id }) => id),
        ),
        ...unless(
          joined.every((chat) => isShown(`asked-${chat}`)),
          'what a client asked the bot after a join was not answered',
        ),
      ],
      notes: [
        `${silent.length + handed.length - nobody.length} clients had an agent, and ${left.length - untold.length} the message after AGENT_UNAVAILABLE, ${withinS} s after the service was back`,
      ],
    }
  },
}
