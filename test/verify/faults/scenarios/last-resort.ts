import { botReplies } from '../../../../contracts/topics.ts'
import { agentJoined } from '../../../../src/tools/simulator/bot-events.ts'
import { eventually } from '../../../support/eventually.ts'
import { plainClient } from '../../../support/plain-consumer.ts'
import { unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { type Event, message } from '../traffic.ts'

const settings = { replyWithin: 3_000, attempts: 3, deadlineMs: 10_000 }
const chatsFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i)

const agentJoins = (chat: number): Event => {
  const body = JSON.stringify(agentJoined({ id: `j-${chat}`, chat_id: String(chat), client_id: String(chat) }))
  return { chat: `bot-conversations acme/${chat}`, seq: 2, api: 'bot', body }
}

type Command = Readonly<Record<string, unknown>> & { readonly type: string; readonly id: string }

/**
 * The service is away for longer than every deadline. Clients write meanwhile, and bot logic asks for agents whom it
 * has announced. Others talk to an agent, and ask the bot.
 */
export const lastResort: Scenario = {
  name: 'last-resort',
  promises: '16, 22',
  fault: 'service away for longer than the deadline, while clients write, and while bot logic asks for agents',
  controls: [
    'an invitation has no last attempt',
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
    service.misbehave(() => ({ kind: 'error', status: 503 }))
    for (const chat of handed) await command(chat, { type: 'InviteAgent', id: `answer-${chat}` })
    const silent = chatsFrom(1_000, 20)
    for (const chat of silent) await posts.send(message(chat, 1))
    await wait(size === 'long' ? 360_000 : 45_000)
    service.misbehave(() => undefined)
    const invitations = (chat: number) => service.chat(String(chat))?.invitations ?? []
    const areCalled = () => [...silent, ...handed].every((chat) => invitations(chat).length > 0) || undefined
    const back = Date.now()
    await eventually('the agents', areCalled, 60_000).catch(() => undefined)
    const withinS = Math.round((Date.now() - back) / 1_000)
    await producer.disconnect()
    await here.stop()

    const nobody = [...silent, ...handed].filter((chat) => invitations(chat).length === 0)
    const shownLate = shown().filter(({ id }) => id.startsWith('late-'))
    return {
      injected: silent.length + handed.length,
      accepted: silent.length + handed.length + joined.length,
      lost: nobody.length,
      duplicated: 0,
      inverted: 0,
      longestStall: withinS * 1_000,
      failures: [
        ...wrong('clients who have neither a reply nor an agent', nobody.map(String)),
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
        `${silent.length + handed.length - nobody.length} clients had an agent ${withinS} s after the service was back`,
      ],
    }
  },
}
