import * as E from 'fp-ts/lib/Either.js'
import { eventually } from '../../../support/eventually.ts'
import { groupOf } from '../../../support/plain-consumer.ts'
import { kitVenv } from '../../toolchains/python.ts'
import { startBotProcess } from '../bot-process.ts'
import type { Cluster } from '../cluster.ts'
import type { Defence } from '../defences.ts'
import { findingsOf, skippedBecause, unless, wrong } from '../findings.ts'
import { isSlow, slowModelMs } from '../model-times.ts'
import { observedWorld } from '../observed-world.ts'
import { wait } from '../progress.ts'
import type { Findings, Scenario, Size } from '../scenario.ts'
import { message } from '../traffic.ts'

type Options = {
  readonly replyWithin: number
  readonly turns?: boolean
  readonly instances?: number
  /** The interpreter of bots in Python. */
  readonly python?: string | undefined
}

type OfBots = Omit<Scenario, 'run'> & {
  readonly run: (cluster: Cluster, size: Size, without?: Defence, python?: string) => Promise<Findings>
}

const chatsFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i)

/** A bridge, and bots with a slow model that have their partitions. */
const botsAtWork = async (
  cluster: Cluster,
  without: Defence | undefined,
  { replyWithin, turns = false, instances = 1, python }: Options,
) => {
  const here = await observedWorld(cluster, without, { replyWithin })
  const place = await here.place(['ingress', 'projector', 'egress'])
  await here.ready(await place.start())
  const env = { REPLY_WITHIN: String(replyWithin), ...(turns && { BOT_TURNS: 'yes' }) }
  const program = python === undefined ? 'model-bot.ts' : 'model-bot.py'
  const bots = Array.from({ length: instances }, () => startBotProcess(here, { program, python, env, without }))
  for (const bot of bots) cluster.afterwards(bot.kill)
  const posts = here.recorder([place])
  const sentAt = new Map<number, number>()
  const write = async (chat: number, seq = 1) => {
    sentAt.set(chat, Date.now())
    await posts.send(message(chat, seq))
  }
  const answersOf = (chat: number) => here.shown().filter((reply) => reply.chat === String(chat))
  const invitationsOf = (chat: number) => here.service.chat(String(chat))?.invitations ?? []
  const isSettled = (chat: number) => answersOf(chat).length > 0 || invitationsOf(chat).length > 0
  await groupOf(cluster.brokers, 'bot', instances)
  // The bots have their partitions once they have answered in a dozen of chats. A bot that takes one chat at a time
  // cannot answer all of them in time, so only the others are asked again.
  for (let left = chatsFrom(0, 12), round = 0; left.length > 0; round += 1) {
    const probeOf = (i: number) => 100_001 + round * 100 + i * 8
    await Promise.all(left.map((i) => write(probeOf(i))))
    await eventually('the bots to answer', () => left.every((i) => isSettled(probeOf(i))) || undefined)
    left = left.filter((i) => invitationsOf(probeOf(i)).length > 0)
  }
  return { here, bots, posts, sentAt, write, answersOf, invitationsOf, isSettled }
}

/** Many chats of one bot, one in eight of them slow. */
export const botLoad: OfBots = {
  name: 'bot-load',
  promises: '16',
  fault: 'a bot whose model takes 2.5 s, one in eight 9 s, for 80 chats at 2.5 a second',
  controls: ['chats of a bot side by side'],
  inShort: false,
  shortControls: [],
  run: async (cluster, _, without, python) => {
    const { here, posts, sentAt, write, answersOf, invitationsOf, isSettled } = await botsAtWork(cluster, without, {
      replyWithin: 10_000,
      python,
    })
    const chats = chatsFrom(1_001, 80)
    for (const chat of chats) {
      await write(chat)
      await wait(400)
    }
    await eventually('every client to have an answer or an agent', () => chats.every(isSettled) || undefined)
    const verdict = await here.verdict(posts.history)
    const handedOver = chats.filter((chat) => invitationsOf(chat).length > 0)
    const late = chats
      .filter((chat) => !isSlow(String(chat)))
      .map((chat) => (answersOf(chat)[0]?.at ?? Date.now()) - (sentAt.get(chat) ?? 0) - slowModelMs(String(chat)))
      .toSorted((a, b) => a - b)
    const p95 = late[Math.floor(late.length * 0.95)] ?? Number.NaN
    await here.stop()
    return findingsOf(verdict, {
      injected: 80,
      failures: [
        ...wrong('clients handed over', handedOver.map(String)),
        ...unless(p95 < 1_500, `the p95 of fast chats is ${Math.round(p95)} ms more than the model takes`),
      ],
      notes: [`p95 of fast chats: ${Math.round(p95)} ms more than the model takes; ${handedOver.length} handed over`],
    })
  },
}

/** Clients who write five short messages in a second. */
export const botBurst: OfBots = {
  name: 'bot-burst',
  promises: '16',
  fault: 'five short messages within a second to a bot whose model takes 2.5 s',
  controls: ['turns of a bot'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without, python) => {
    const { here, posts, write, answersOf, invitationsOf, isSettled } = await botsAtWork(cluster, without, {
      replyWithin: 10_000,
      turns: true,
      python,
    })
    const chats = chatsFrom(1, size === 'long' ? 35 : 7).filter((chat) => !isSlow(String(chat)))
    await Promise.all(
      chats.map(async (chat) => {
        for (let seq = 1; seq <= 5; seq += 1) {
          await write(chat, seq)
          await wait(200)
        }
      }),
    )
    await eventually('every client to have an answer', () => chats.every(isSettled) || undefined)
    // Further answers, or agents, would come now.
    await wait(12_000)
    const verdict = await here.verdict(posts.history)
    const words = (chat: number) => answersOf(chat).map(({ text }) => text)
    const wrongly = chats.filter((chat) => words(chat).join() !== 'You said 1 2 3 4 5')
    const handedOver = chats.filter((chat) => invitationsOf(chat).length > 0)
    await here.stop()
    return findingsOf(verdict, {
      injected: chats.length,
      failures: [
        ...wrong('clients without exactly one answer to all', wrongly.map(String)),
        ...wrong('clients handed over', handedOver.map(String)),
      ],
      notes: [`${chats.length} bursts; ${handedOver.length} handed over`],
    })
  },
}

/** One of two instances of a bot dies while its handlers run. */
export const botKilled: OfBots = {
  name: 'bot-killed',
  promises: '16',
  fault: 'SIGKILL of one of two instances of a bot while its model works',
  controls: ['a dead bot is noticed before its clients are handed over'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without, python) => {
    const { here, bots, posts, write, answersOf, invitationsOf, isSettled } = await botsAtWork(cluster, without, {
      replyWithin: 15_000,
      instances: 2,
      python,
    })
    const chats = chatsFrom(1, size === 'long' ? 64 : 24).filter((chat) => !isSlow(String(chat)))
    await Promise.all(chats.map((chat) => write(chat)))
    await wait(1_000)
    await bots[0]?.kill()
    await eventually('every client to have an answer or an agent', () => chats.every(isSettled) || undefined)
    const verdict = await here.verdict(posts.history)
    const handedOver = chats.filter((chat) => invitationsOf(chat).length > 0)
    const again = chats.filter((chat) => answersOf(chat).length > 1)
    await here.stop()
    return findingsOf(verdict, {
      injected: 1,
      failures: [
        ...wrong('clients handed over although no handler ran for replyWithin', handedOver.map(String)),
        ...wrong('clients with more than one answer', again.map(String)),
      ],
      notes: [`${chats.length} chats; ${handedOver.length} handed over`],
    })
  },
}

/** The same with bots that are made with the kit in Python. */
const inPython = ({ name, fault, run, ...scenario }: OfBots): Scenario => ({
  ...scenario,
  name: `${name}-python`,
  fault: `${fault}, in Python`,
  run: async (cluster, size, without) => {
    const environment = await kitVenv()
    return E.isRight(environment)
      ? run(cluster, size, without, environment.right.python)
      : skippedBecause(environment.left.message)
  },
})

export const inPythonToo = [botLoad, botBurst, botKilled].map(inPython)
