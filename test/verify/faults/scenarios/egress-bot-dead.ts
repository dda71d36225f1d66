import { eventually } from '../../../support/eventually.ts'
import { startBotProcess } from '../bot-process.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { wait } from '../progress.ts'
import { eventsIn } from '../replies.ts'
import type { Scenario } from '../scenario.ts'
import { message } from '../traffic.ts'

const replyWithin = 8_000
const sessionTimeoutMs = 12_000

const chatsFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => String(first + i))

/** Bot logic is killed while clients wait for it. The workers that must invite agents are restarted or frozen. */
export const egressBotDead: Scenario = {
  name: 'egress-bot-dead',
  promises: '16',
  fault:
    'bot logic SIGKILL while clients wait; egress worker SIGTERM and started again, one of two SIGSTOP, then SIGCONT',
  controls: ['the watchdog'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const here = await observedWorld(cluster, without, { replyWithin })
    const { service, shown } = here
    const intake = await here.place(['ingress', 'projector'])
    const [place, other] = [await here.place(['egress']), await here.place(['egress'])]
    const [ingress, first, second] = await Promise.all([intake.start(), place.start(), other.start()])
    await Promise.all([ingress, first, second].map(here.ready))
    const bot = startBotProcess(here)
    cluster.afterwards(bot.kill)
    const posts = here.recorder([intake])
    const write = (chats: ReadonlyArray<string>) =>
      Promise.all(chats.map((chat) => posts.send(message(Number(chat), 1))))
    const invitations = (chat: string) => service.chat(chat)?.invitations ?? []
    const areCalled = (chats: ReadonlyArray<string>) =>
      eventually(
        'agents',
        () => chats.every((chat) => invitations(chat).length > 0) || undefined,
        without === undefined ? 60_000 : 20_000,
      ).catch(() => undefined)

    const count = size === 'long' ? 200 : 50
    // The bot has its partitions once it has answered a message.
    for (let chat = 1; chat <= 60 && shown().length === 0; chat++) {
      await write(chatsFrom(chat, 1))
      await wait(1_000)
    }
    const answered = chatsFrom(500, 20)
    await write(answered)
    const hasAnswer = (chat: string) => shown().some((reply) => reply.chat === chat)
    await eventually('the bot to answer', () => answered.every(hasAnswer) || undefined)
    await bot.kill()

    const restarted = chatsFrom(1_000, count)
    await write(restarted)
    await first.kill('SIGTERM')
    const third = await place.start()
    await areCalled(restarted)

    const frozen = size === 'long' ? chatsFrom(3_000, count) : []
    if (size === 'long') {
      await here.ready(third)
      await write(frozen)
      second.signal('SIGSTOP')
      await wait(2 * sessionTimeoutMs)
      second.signal('SIGCONT')
      await areCalled(frozen)
    }
    // Repeats would arrive now.
    await wait(replyWithin + 4_000)
    const verdict = await here.verdict(posts.history)
    const events = eventsIn(await here.log())
    await here.stop()

    const open = [...restarted, ...frozen]
    const invited = events.filter(
      ({ type, data }) => type === 'AgentInvited' && open.includes(String(Object(data).chatId)),
    )
    const reasons = new Map(invited.map(({ subject, data }) => [String(subject), Object(data).reason]))
    const silent = open.filter((chat) => invitations(chat).length === 0)
    const again = open.filter((chat) => invitations(chat).length > 1)
    const untold = open.filter((chat) => reasons.get(chat) !== 'no-reply-in-time')
    return findingsOf(verdict, {
      injected: size === 'long' ? 3 : 2,
      failures: [
        ...wrong('clients whom nobody was called for', silent),
        ...wrong('clients for whom an agent was called more than once', again),
        ...wrong('clients of whom the log does not say why', untold),
        ...unless(invited.length === open.length, `${invited.length} AgentInvited for ${open.length} clients`),
        ...wrong(
          'agents called to a client who had an answer',
          answered.filter((chat) => invitations(chat).length > 0),
        ),
      ],
      notes: [
        `${open.length} clients waited, ${open.length - silent.length - again.length} of them got one INVITE_AGENT`,
      ],
    })
  },
}
