import type { ReceivedRequest } from '../../../../src/tools/simulator/state.ts'
import { always, atMost } from '../../../support/behaviours.ts'
import { unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { wait } from '../progress.ts'
import { areFinished, botLogic } from '../replies.ts'
import { checkReplies, type SentReply } from '../reply-checker.ts'
import type { Scenario } from '../scenario.ts'

/** Per second. */
const [offered, capacity] = [15, 30]
const chats = 300
const busy = { kind: 'error', status: 503 } as const
/** In this time since the first failure the breaker has opened, and the requests in flight have failed. */
const openingMs = 3_000
/** The retries that are allowed in a minute without any first attempt. */
const reserve = 6

/** How long this process, and its service, was blocked last and at most, in ms: scenarios share the process. */
const stallClock = () => {
  const everyMs = 100
  let [lookedAt, now, most] = [Date.now(), 0, 0]
  const timer = setInterval(() => {
    now = Date.now() - lookedAt
    lookedAt += now
    most = Math.max(most, now)
  }, everyMs)
  return { now: () => now, most: () => Math.max(0, most - everyMs), stop: () => clearInterval(timer) }
}

type Window = { readonly attempts: number; readonly firsts: number }

/** The requests at the service in each minute between two times. */
const minutesOf = (requests: ReadonlyArray<ReceivedRequest>, from: number, to: number): ReadonlyArray<Window> => {
  const seen = new Set<string>()
  const windows = Array.from({ length: Math.ceil((to - from) / 60_000) }, () => ({ attempts: 0, firsts: 0 }))
  for (const { at, event } of requests) {
    const window = windows[Math.floor((at - from) / 60_000)]
    const isFirst = event !== undefined && !seen.has(event.id)
    if (event !== undefined) seen.add(event.id)
    if (window === undefined || at < from) continue
    window.attempts += 1
    if (isFirst) window.firsts += 1
  }
  return windows
}

/** How long after this time the service accepted four fifths of its capacity for three seconds. */
const fullAfter = (shownAt: ReadonlyArray<number>, full: number): number | undefined =>
  Array.from({ length: 120 }, (_, second) => second * 1_000).find((ms) => {
    const inWindow = shownAt.filter((at) => at >= full + ms && at < full + ms + 3_000).length
    return inWindow >= 0.8 * capacity * 3
  })

/** The service does not answer, then has a fifth of its capacity, then all of it, while replies keep arriving. */
export const egressCapacity: Scenario = {
  name: 'egress-capacity',
  promises: '11',
  fault: 'service away, then back at a fifth of its capacity, then at all of it',
  controls: ['the breaker and the budget for retries'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const patient = { replyWithin: 3_600_000, deadlineMs: 3_600_000, attempts: 100 }
    const here = await observedWorld(cluster, without, patient)
    const stall = stallClock()
    cluster.afterwards(async () => stall.stop())
    const { service, shown } = here
    const place = await here.place(['egress', 'projector'])
    const egress = await place.start()
    await here.ready(egress)
    const bot = await botLogic(here)
    const said: SentReply[] = []
    const say = async (forMs: number) => {
      for (const until = Date.now() + forMs; Date.now() < until; await wait(200)) {
        const replies = Array.from({ length: offered / 5 }, (_, i) => {
          const n = said.length + i
          return { chat: String(1_000 + (n % chats)), id: `r${n}`, text: `reply ${n}` }
        })
        await bot.say(replies)
        said.push(...replies)
      }
    }
    const [awayFor, fifthFor, fullFor] = size === 'long' ? [120_000, 90_000, 60_000] : [5_000, 6_000, 5_000]

    await say(3_000)
    service.misbehave(always({ kind: 'drop' }))
    const away = Date.now()
    await say(awayFor)
    service.misbehave(atMost(capacity / 5, busy, Date.now, stall.now))
    await say(fifthFor)
    service.misbehave(atMost(capacity, busy, Date.now, stall.now))
    const full = Date.now()
    await say(fullFor)
    await bot.stop()
    const finished = await areFinished(here, said.length, without === undefined ? 240_000 : 30_000)
    const end = Date.now()
    await here.stop()

    const verdict = checkReplies(said, shown())
    const shownAt = shown().map(({ at }) => at)
    const minutes = minutesOf(service.requests(), away + openingMs, end)
    const storms = minutes.filter(({ attempts, firsts }) => attempts > 1.1 * firsts + reserve)
    const tell = ({ attempts, firsts }: Window) => `${attempts} attempts for ${firsts} first ones`
    const toFull = fullAfter(shownAt, full)
    return {
      injected: 2,
      accepted: said.length,
      lost: verdict.missing.length,
      duplicated: verdict.repeated,
      inverted: verdict.inverted.length,
      longestStall: verdict.longestStall,
      failures: [
        ...wrong('replies that the service never had', verdict.missing),
        ...wrong('replies out of order', verdict.inverted),
        ...wrong('minutes of a storm', storms.map(tell)),
        ...unless(finished, 'not every reply has an outcome'),
        ...unless(size === 'short' || (toFull !== undefined && toFull <= 60_000), 'not at its full rate within 60 s'),
      ],
      notes: [
        `${offered} replies a second for a service of ${capacity}; by the minute: ${minutes.map(tell).join(', ')}`,
        toFull === undefined ? 'its full rate was not needed' : `full rate after ${toFull / 1_000} s`,
        `the service itself stood still for ${stall.most()} ms at most`,
      ],
    }
  },
}
