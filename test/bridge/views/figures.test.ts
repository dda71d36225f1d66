import { deepStrictEqual as same } from 'node:assert'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ChatEvent, ConversationEvent } from '../../../contracts/events/index.ts'
import { metrics } from '../../../contracts/metrics.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import type { Figure } from '../../../contracts/views/daily-stats.ts'
import type { SessionDocument } from '../../../contracts/views/session.ts'
import { histogramBound } from '../../../src/bridge/domain/figures.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { computeDailyStats } from '../../../src/bridge/views/compute-daily-stats.ts'
import { accountDay } from '../../../src/bridge/views/stats-days.ts'
import { anEvent, inLog } from '../../support/given-events.ts'
import { memoryViews } from '../../support/memory-views.ts'

type Event = ChatEvent | ConversationEvent
type Timed = { readonly ms: number; readonly event: Event }

const dayStart = Date.UTC(2026, 0, 31)
const second = 1_000
const hour = 3_600_000
const instant = (ms: number) => new Date(dayStart + ms).toISOString() as Instant

/** What happens in one bot session, in seconds after its begin. The sessions of a chat follow one after another. */
const plan = fc.record({
  client: fc.constantFrom('c1', 'c2', 'c3', 'c4'),
  at: fc.integer({ min: 0, max: 20 * 3600 }),
  turns: fc.array(fc.option(fc.integer({ min: 1, max: 90 })), { minLength: 1, maxLength: 3 }),
  asked: fc.option(fc.constantFrom('bot', 'bridge', 'service')),
  answer: fc.option(fc.record({ joined: fc.boolean(), after: fc.integer({ min: 1, max: 120 }) })),
  closed: fc.boolean(),
})
type Plan = typeof plan extends fc.Arbitrary<infer P> ? P : never

const agentPlan = fc.record({
  at: fc.integer({ min: 0, max: 20 * 3600 }),
  agent: fc.constantFrom('a1', 'a2'),
  /** Negative if the client wrote only after the acceptance. */
  waited: fc.integer({ min: -5, max: 600 }),
  answeredAfter: fc.option(fc.integer({ min: 1, max: 90 })),
  lasts: fc.option(fc.integer({ min: 100, max: 4_000 })),
  rate: fc.option(fc.constantFrom('good', 'BAD', 'like', 'dislike', 'so-so')),
  again: fc.boolean(),
})
type AgentPlan = typeof agentPlan extends fc.Arbitrary<infer P> ? P : never

let ids = 0
const event = (type: Event['type'], chatId: string, ms: number, part: object = {}): Timed => {
  const made = anEvent(type, `e${++ids}`, instant(ms), { chatId, ...part }) as Event
  return { ms, event: { ...made, subject: chatId as Event['subject'] } }
}

const botLog = ({ client, at, turns, asked, answer, closed }: Plan, chatId: string): ReadonlyArray<Timed> => {
  const who = { clientId: client }
  let now = at * second
  const log: Timed[] = []
  const add = (type: Event['type'], part: object = {}) => log.push(event(type, chatId, now, { ...who, ...part }))
  for (const after of turns) {
    now += second
    add('ClientMessageReceived')
    if (after === null) continue
    now += after * second
    add('BotReplyDelivered')
  }
  const handOver = { commandType: 'InviteAgent', message: undefined }
  const attempts = { attempts: [{ at: instant(now), durationMs: 1 }] }
  if (asked === 'service') add('AgentInvited')
  else if (asked !== null)
    add('BotReplyDelivered', { ...handOver, ...attempts, ...(asked === 'bridge' && { because: 'no-reply-in-time' }) })
  if (asked !== null && answer !== null) {
    now += answer.after * second
    add(answer.joined ? 'AgentJoined' : 'AgentUnavailable')
  }
  now += second
  if (closed) add('ChatClosed')
  return log
}

const agentLog = (given: AgentPlan, chatId: string): ReadonlyArray<Timed> => {
  const { at, agent, waited, answeredAfter, lasts, rate, again } = given
  const start = at * second
  const messages = [
    { message: 'Hi', timestamp: instant(start - waited * second), type: 'visitor' },
    ...(answeredAfter === null
      ? []
      : [
          {
            message: 'Hello',
            timestamp: instant(start + (answeredAfter - waited) * second),
            type: 'agent',
            agentId: agent,
          },
        ]),
  ]
  const accepted = (ms: number) => event('ChatAccepted', chatId, ms, { agent: { id: agent } })
  if (lasts === null) return [accepted(start)]
  const chat = { messages, blacklisted: false, ...(rate !== null && { rate }) }
  const end = start + lasts * second
  return [
    accepted(start),
    event('ChatFinished', chatId, end, { agents: [{ id: agent }], chat }),
    ...(again ? [accepted(end + 30 * hour)] : []),
  ]
}

const logs = fc
  .record({ bots: fc.array(plan, { maxLength: 8 }), agents: fc.array(agentPlan, { maxLength: 6 }) })
  .map(({ bots, agents }) =>
    [...bots.map((each, i) => botLog(each, `b${i}`)), ...agents.map((each, i) => agentLog(each, `a${i}`))]
      .flat()
      .toSorted((one, other) => one.ms - other.ms),
  )

const asOfMs = 60 * hour

const measuredBy = async (log: ReadonlyArray<Timed>) => {
  const { applyChanges, documents } = memoryViews()
  for (const recorded of inLog(...log.map((each) => each.event))) await applyChanges(changesOfEvent(recorded))
  const sessions = Object.values(documents()).filter(
    (document): document is SessionDocument => 'latestOf' in document || 'ending' in document,
  )
  const onDay = sessions.filter(({ startedAt }) => startedAt.getTime() < dayStart + 24 * hour)
  const begun = sessions.filter(({ kind }) => kind === 'bot')
  const nothing = { accepted: 0, finished: [], calls: [], offlineMessages: 0, deliveries: [] }
  return computeDailyStats(
    accountDay('acme/2026-01-31'),
    { sessions: onDay, begun, ...nothing },
    new Date(dayStart + asOfMs),
  )
}

/** The second way: computes each figure by reading the log of each chat. */
const byLog = (log: ReadonlyArray<Timed>): Readonly<Record<string, readonly [number, number]>> => {
  const chats = [...Map.groupBy(log, ({ event: { subject } }) => subject)]
  const has = (events: ReadonlyArray<Timed>, type: Event['type'], is: (data: object) => boolean = () => true) =>
    events.some((each) => each.event.type === type && is(each.event.data))
  const msOf = (events: ReadonlyArray<Timed>, type: Event['type']) =>
    events.find((each) => each.event.type === type)?.ms
  const isHandOver = (data: object) => 'commandType' in data && data.commandType === 'InviteAgent'
  const isReply = (data: object) => !isHandOver(data)

  const bots = chats
    .filter(([id]) => id.startsWith('b'))
    .map(([, events]) => {
      const began = events[0]?.ms ?? 0
      const ended = msOf(events, 'AgentJoined') ?? msOf(events, 'ChatClosed') ?? (events.at(-1)?.ms ?? 0) + 24 * hour
      const asked = events.find(
        ({ event: { type, data } }) => type === 'AgentInvited' || (type === 'BotReplyDelivered' && isHandOver(data)),
      )
      const joined = msOf(events, 'AgentJoined')
      const times: number[] = []
      let waits: number | undefined
      for (const {
        ms,
        event: { type, data },
      } of events) {
        if (type === 'ClientMessageReceived') waits ??= ms
        if (type !== 'BotReplyDelivered' || !isReply(data) || waits === undefined) continue
        times.push(ms - waits)
        waits = undefined
      }
      const bridge = has(events, 'BotReplyDelivered', (data) => 'because' in data && data.because !== undefined)
      const client = events
        .map(({ event: { data } }) => ('clientId' in data ? data.clientId : ''))
        .find((id) => id !== '')
      const contained = asked === undefined && joined === undefined && has(events, 'BotReplyDelivered', isReply)
      const last = events.at(-1)?.ms ?? 0
      return { began, last, ended, asked: asked?.ms, joined, times, bridge, client, contained }
    })
  const over = bots.filter(({ ended }) => ended <= asOfMs)
  const settled = over.filter(({ ended }) => ended <= asOfMs - 24 * hour)
  const stays = settled.filter(
    (each) =>
      each.contained &&
      !bots.some(
        (other) =>
          other !== each &&
          other.client === each.client &&
          other.began > each.last &&
          other.began <= each.ended + 24 * hour,
      ),
  )
  const asked = over.filter((each) => each.asked !== undefined || each.joined !== undefined)
  const told = over.filter((each) => each.asked !== undefined)
  const waits = told.flatMap((each) => (each.joined === undefined ? [] : [each.joined - (each.asked ?? 0)]))
  const sum = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0)
  const firsts = over.flatMap(({ times }) => times.slice(0, 1))
  const all = over.flatMap(({ times }) => times)

  const agents = chats
    .filter(([id]) => id.startsWith('a'))
    .flatMap(([, events]) => {
      const began = msOf(events, 'ChatAccepted')
      const finish = events.find(({ event: { type } }) => type === 'ChatFinished')
      if (finish === undefined || finish.event.type !== 'ChatFinished' || began === undefined) return []
      const { rate, messages } = finish.event.data.chat ?? {}
      const [question, answer] = messages ?? []
      const word = rate?.toLowerCase()
      const waited = question?.timestamp ? began + dayStart - Date.parse(question.timestamp) : -1
      return [
        {
          began,
          ended: finish.ms,
          rate,
          waited,
          again: events.length === 3,
          good: word === 'good' || word === 'like',
          bad: word === 'bad' || word === 'dislike',
          first:
            question?.timestamp && answer?.timestamp
              ? Date.parse(answer.timestamp) - Date.parse(question.timestamp)
              : undefined,
          agent: finish.event.data.agents?.[0]?.id,
        },
      ]
    })
  const accepted = agents.map(({ waited }) => waited).filter((ms) => ms >= 0)
  const answered = agents.flatMap(({ first }) => (first === undefined ? [] : [first]))
  // For each second: how many sessions each agent has.
  let [load, busy] = [0, 0]
  for (const own of Map.groupBy(agents, ({ agent }) => agent).values()) {
    const perSecond = new Map<number, number>()
    for (const { began, ended } of own)
      for (let at = began; at < ended; at += second) perSecond.set(at, (perSecond.get(at) ?? 0) + 1)
    busy += perSecond.size * second
    load += sum([...perSecond.values()]) * second
  }
  return {
    containment: [over.filter(({ contained }) => contained).length, over.length],
    strictContainment: [stays.length, settled.length],
    handOffRate: [asked.length, over.length],
    abandonment: [asked.filter(({ joined }) => joined === undefined).length, asked.length],
    queueTime: [sum(waits), waits.length],
    serviceLevel: [waits.filter((ms) => ms <= 60_000).length, told.length],
    firstResponseBot: [sum(firsts), firsts.length],
    responseTimeBot: [sum(all), all.length],
    botTurns: [all.length, over.length],
    interventions: [over.filter(({ bridge }) => bridge).length, over.length],
    firstResponseAgent: [sum(answered), answered.length],
    responseTimeAgent: [sum(answered), answered.length],
    waitTime: [sum(accepted), accepted.length],
    handleTime: [sum(agents.map(({ began, ended }) => ended - began)), agents.length],
    csat: [agents.filter(({ good }) => good).length, agents.filter(({ good, bad }) => good || bad).length],
    csatResponseRate: [agents.filter(({ rate }) => rate !== undefined).length, agents.length],
    reopenRate: [agents.filter(({ again }) => again).length, agents.length],
    concurrency: [load, busy],
  }
}

const figures = suite('figures')

figures('equal a second, independent computation from the log', async () => {
  await fc.assert(
    fc.asyncProperty(logs, async (log) => {
      const { day } = await measuredBy(log)
      const found = Object.entries(day.figures).map(([name, { numerator, denominator }]) => [
        name,
        [numerator, denominator],
      ])
      same(Object.fromEntries(found), byLog(log))
    }),
    { numRuns: 300 },
  )
})

figures('that are shares are from 0 to 1, for every group', async () => {
  await fc.assert(
    fc.asyncProperty(logs, async (log) => {
      const { day, by } = await measuredBy(log)
      for (const { figures: all } of [day, ...by])
        for (const [name, figure] of Object.entries<Figure>(all)) {
          const { unit } = metrics[name as keyof typeof metrics]
          if (unit === 'share') assert.ok(figure.numerator <= figure.denominator, name)
          assert.is(figure.value, figure.denominator === 0 ? undefined : figure.numerator / figure.denominator)
        }
    }),
    { numRuns: 100 },
  )
})

figures('that are durations have a histogram that agrees with the number of times and their median', async () => {
  await fc.assert(
    fc.asyncProperty(logs, async (log) => {
      const { day } = await measuredBy(log)
      for (const { denominator, median, histogram = [] } of Object.values(day.figures)) {
        if (median === undefined) continue
        let below = 0
        const ofMedian = histogram.find(({ count }) => {
          below += count
          return below >= denominator / 2
        })
        assert.is(
          histogram.reduce((sum, { count }) => sum + count, 0),
          denominator,
        )
        assert.is(ofMedian?.upToMs, histogramBound(median))
      }
    }),
    { numRuns: 100 },
  )
})

figures('the bound of a part is at most a quarter above its times from 10 ms on, and itself a bound', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 100 * 24 * hour }), (ms) => {
      const bound = histogramBound(ms)
      assert.ok(bound >= ms && bound < ms * 1.26, `${ms}: ${bound}`)
      assert.is(histogramBound(bound), bound)
    }),
  )
  assert.equal([0, 1, 2, 3, 9, 10].map(histogramBound), [0, 1, 2, 3, 10, 10])
})

figures('leave out open sessions, and count them separately', async () => {
  const log = [
    event('ClientMessageReceived', 'b1', hour, { clientId: 'c1' }),
    event('ChatAccepted', 'a1', 2 * hour, { agent: { id: 'a1' } }),
  ]
  const { day } = await measuredBy(log)
  // The bot's session ends a day after its only message. Nobody has finished the agent's session.
  assert.equal(day.sessions, { agent: { started: 1, open: 1 }, bot: { started: 1, open: 0 } })
  assert.equal(
    [day.figures.containment, day.figures.csatResponseRate],
    [
      { numerator: 0, denominator: 1, value: 0 },
      { numerator: 0, denominator: 0 },
    ],
  )
})

figures.run()
