import { sequenceT } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type AccountId, BsonDate, Count, type Day, exactShape, Id } from '../../../../contracts/primitives.ts'
import { ConversationDocument } from '../../../../contracts/views/conversation.ts'
import { DailyStatsDocument } from '../../../../contracts/views/daily-stats.ts'
import { dayOf, type Span, untilTimeOfDay } from '../../../bridge/domain/day.ts'
import { figuresOf } from '../../../bridge/domain/figures.ts'
import { counting, countOf, type Find, only, type Pipeline } from '../../../bridge/mongo/source.ts'
import { dayMs } from '../../../bridge/shared/time.ts'
import { dayId } from '../../../bridge/views/stats-days.ts'
import type { Backend } from '../../backend.ts'
import { documentOf } from '../../documents.ts'
import { documentAnswer } from '../../mask.ts'
import { everyone, ok, page } from '../../page.ts'
import { readQuery } from '../../query.ts'
import { MetricNames } from '../statistics/definitions.ts'
import { measuredSessions } from '../statistics/page.ts'

/** Of each figure what it is divided from. */
const FiguresSoFar = t.record(MetricNames, t.strict({ numerator: Count, denominator: Count }))
const StartedSessions = t.strict({ bot: Count, agent: Count })

/** `agentCalled`: nobody has answered, and an agent was called meanwhile. */
const Wait = exactShape({ chatId: t.string, since: t.string }, { agentCalled: t.literal(true) }, 'Wait')
const Waits = t.strict({ count: Count, longest: t.array(Wait) })

/** The current state of the account, and the statistics of today. Query: `waits` all: up to 200 of the longest waits. */
const NowAnswer = exactShape(
  {
    asOf: t.string,
    /** Clients who have waited for a reply for less than 24 h: how many, and the five who have waited longest, or up to 200. */
    waiting: Waits,
    /** Clients whose messages are answered, and who wait for an agent that was asked for within 24 h: the same. */
    waitingForAgent: Waits,
    /** Bot conversations by state that had an event within 24 h. */
    conversations: t.strict({ bot: Count, invited: Count, agent: Count, unavailable: Count }),
    /** Open chats with agents that had an event within 24 h. */
    agentChats: Count,
    /** Sessions that began today, and on the same weekday last week until the same time of day. */
    started: t.strict({ today: StartedSessions, lastWeek: StartedSessions }),
    /** The document of daily_stats of today; null if there is none. */
    today: t.strict({ day: t.string, stats: t.union([documentOf(DailyStatsDocument), t.null]) }),
    /** The figures of the same weekday last week, as they were at the same time of day, to five minutes. */
    lastWeek: t.strict({ day: t.string, figures: FiguresSoFar }),
  },
  {},
  'NowAnswer',
)
export type NowAnswer = t.TypeOf<typeof NowAnswer>

/**
 * Events in each minute of the last 24 hours in which there was one, oldest first. `weekAgo`: events of the last hour,
 * as it was at this time a week ago. Null if no event of that time or before is stored.
 */
const MinutesAnswer = exactShape(
  { minutes: t.array(t.strict({ at: t.string, events: Count })), weekAgo: t.union([Count, t.null]) },
  {},
  'MinutesAnswer',
)
export type MinutesAnswer = t.TypeOf<typeof MinutesAnswer>

const NowQuery = t.partial({ waits: t.literal('all', 'all, or nothing') }, 'NowQuery')
const usualWaits = 5
/** More than a page of them is not read by people. */
const maxWaits = 200

const minuteMs = 60_000
const weekMs = 7 * dayMs
/** Figures of last week are computed once in this time. */
const stepMs = 5 * minuteMs
const statsAnswer = documentAnswer(DailyStatsDocument)

/** The same weekday of the week before. */
const weekBefore = (day: Day): Day => Temporal.PlainDate.from(day).subtract({ days: 7 }).toString() as Day

/** Also clients for whom an agent was invited or no agent was available: nobody has answered them. */
const waits = (accountId: string, since: Date) => ({ accountId, awaitingReplySince: { $gte: since } })

/** How many clients have waited for a reply since this time. */
export const waitingClients = (accountId: string, since: Date) => counting('conversations', waits(accountId, since))

const Waiting = only(ConversationDocument, ['chatId', 'state', 'awaitingReplySince'])

const longestWaits = (accountId: string, since: Date, limit: number): Find<t.TypeOf<typeof Waiting.row>> => ({
  view: 'conversations',
  ...Waiting,
  where: waits(accountId, since),
  sort: { awaitingReplySince: 1 },
  limit,
})

/**
 * An agent was asked for and has not joined, or could not be asked. Whose message has no answer is among those who wait
 * for a reply.
 */
const waitsForAgent = (accountId: string, since: Date) => ({
  $or: [
    {
      accountId,
      state: 'invited',
      lastEventAt: { $gte: since },
      invitedAt: { $gte: since },
      awaitingReplySince: { $exists: false },
    },
    {
      accountId,
      silentSince: { $gte: since },
      'handOverFailed.at': { $gte: since },
      awaitingReplySince: { $exists: false },
    },
  ],
})

/** How many clients wait for an agent who was asked for since this time, and not for a reply. */
export const waitingForAgent = (accountId: string, since: Date) =>
  counting('conversations', waitsForAgent(accountId, since))

const WaitForAgent = t.strict({ chatId: Id, since: BsonDate })

const longestForAgent = (accountId: string, since: Date, limit: number): Pipeline<t.TypeOf<typeof WaitForAgent>> => ({
  view: 'conversations',
  row: WaitForAgent,
  stages: [
    { $match: waitsForAgent(accountId, since) },
    { $project: { _id: 0, chatId: 1, since: { $ifNull: ['$handOverFailed.at', '$invitedAt'] } } },
    { $sort: { since: 1 } },
    { $limit: limit },
  ],
})

const talking = ['bot', 'invited', 'agent', 'unavailable'] as const
const State = t.strict({ _id: t.keyof({ bot: null, invited: null, agent: null, unavailable: null }), count: Count })

/** How many conversations with an event since this time are in each state. */
const statesOf = (accountId: string, since: Date): Pipeline<t.TypeOf<typeof State>> => ({
  view: 'conversations',
  row: State,
  stages: [
    { $match: { accountId, state: { $in: [...talking] }, lastEventAt: { $gte: since } } },
    { $group: { _id: '$state', count: { $sum: 1 } } },
  ],
})

const openChats = (accountId: string, since: Date) =>
  counting('chats', { accountId, state: 'open', lastEventAt: { $gte: since } })

const sessionsBegun = (accountId: string, kind: 'bot' | 'agent', { from, to }: Span) =>
  counting('sessions', { accountId, kind, startedAt: { $gte: from, $lt: to } })

const statsOf = (id: string): Find<DailyStatsDocument> => ({
  view: 'daily_stats',
  row: DailyStatsDocument,
  where: { _id: id },
})

type NowAsked = {
  /** Conversations and chats with an event since this time count, and clients whose wait began since then. */
  readonly since: Date
  /** The id of a document of daily_stats. */
  readonly today: string
  /** Sessions that began in the first span are those of today, in the second those of last week. */
  readonly spans: readonly [Span, Span]
  /** How many of the longest waits are read. */
  readonly most: number
}

/** What happens in an account now. */
export const sourcesOfNow = (accountId: string, { since, today, spans: [now, before], most }: NowAsked) =>
  ({
    waiting: waitingClients(accountId, since),
    longest: longestWaits(accountId, since, most),
    waitingForAgent: waitingForAgent(accountId, since),
    longestForAgent: longestForAgent(accountId, since, most),
    states: statesOf(accountId, since),
    agentChats: openChats(accountId, since),
    bot: sessionsBegun(accountId, 'bot', now),
    agent: sessionsBegun(accountId, 'agent', now),
    botBefore: sessionsBegun(accountId, 'bot', before),
    agentBefore: sessionsBegun(accountId, 'agent', before),
    stats: statsOf(today),
  }) as const

const Minute = t.strict({ at: BsonDate, events: Count })

/** How many events came in each minute since then. MongoDB reads only the index of account and time. */
const minutesSince = (accountId: string, since: Date): Pipeline<t.TypeOf<typeof Minute>> => ({
  view: 'timeline',
  row: Minute,
  stages: [
    { $match: { accountId, time: { $gte: since } } },
    { $project: { _id: 0, time: 1 } },
    { $group: { _id: { $dateTrunc: { date: '$time', unit: 'minute' } }, events: { $sum: 1 } } },
    { $sort: { _id: 1 } },
    { $project: { _id: 0, at: '$_id', events: 1 } },
  ],
})

const eventsIn = (accountId: string, { from, to }: Span) =>
  counting('timeline', { accountId, time: { $gte: from, $lt: to } })

const eventsBefore = (accountId: string, time: Date) => counting('timeline', { accountId, time: { $lt: time } }, 1)

type LastWeek = NowAnswer['lastWeek']['figures']
const all = sequenceT(E.Apply)

export const now = page({
  name: 'now',
  title: 'Now',
  key: 'n',
  roles: everyone,
  routes: {
    'GET /api/accounts/:account/now': { answer: NowAnswer },
    'GET /api/accounts/:account/minutes': { answer: MinutesAnswer },
  },
  handlers: ({ now: clock, timeZoneOf, read }: Pick<Backend, 'now' | 'timeZoneOf' | 'read'>) => {
    const known = new Map<string, { readonly until: number; readonly figures: LastWeek }>()
    /** The figures of a day as they were at a time of it: of the sessions that were over by then. */
    const figuresUntil = async (accountId: string, { from, to }: Span) => {
      const until = Math.floor(to.getTime() / stepMs) * stepMs
      const last = known.get(accountId)
      if (last?.until === until) return E.right(last.figures)
      const sessions = await read(measuredSessions(accountId, { from, to: new Date(until) }, 'over'))
      if (E.isLeft(sessions)) return sessions
      const measured = Object.entries(figuresOf(sessions.right, new Date(until), () => false))
      const figures = Object.fromEntries(
        measured.map(([name, { numerator, denominator }]) => [name, { numerator, denominator }]),
      ) as LastWeek
      known.set(accountId, { until, figures })
      return E.right(figures)
    }
    /** How many events came in a span of time. Null if the account had none by then: a quiet hour is not an unknown one. */
    const countEvents = async (accountId: string, span: Span) => {
      const [events, before] = await Promise.all([
        read(eventsIn(accountId, span)),
        read(eventsBefore(accountId, span.from)),
      ])
      if (E.isLeft(events)) return events
      if (E.isLeft(before)) return before
      return E.right(countOf(events.right) > 0 || countOf(before.right) > 0 ? countOf(events.right) : null)
    }
    return {
      'GET /api/accounts/:account/minutes': async ({ accountId }) => {
        const asOf = Date.parse(clock())
        const minute = Math.floor(asOf / minuteMs) * minuteMs
        // The last hour has 60 minutes, and the last one is not over: so has the hour a week ago.
        const hour = { from: new Date(minute - 59 * minuteMs - weekMs), to: new Date(asOf - weekMs) }
        const found = all(
          ...(await Promise.all([
            read(minutesSince(accountId, new Date(minute - dayMs + minuteMs))),
            countEvents(accountId, hour),
          ])),
        )
        if (E.isLeft(found)) return found
        const [counted, weekAgo] = found.right
        return ok({ minutes: counted.map(({ at, events }) => ({ at: at.toISOString(), events })), weekAgo })
      },
      'GET /api/accounts/:account/now': async ({ accountId, query }) => {
        const asked = readQuery(NowQuery, query)
        if (E.isLeft(asked)) return asked
        const asOf = clock()
        const today = dayOf(new Date(asOf), timeZoneOf(accountId))
        const before = weekBefore(today)
        const untilNow = (day: Day) => untilTimeOfDay(day, new Date(asOf), timeZoneOf(accountId))
        const sources = sourcesOfNow(accountId, {
          since: new Date(Date.parse(asOf) - dayMs),
          today: dayId({ accountId: accountId as AccountId, day: today }),
          spans: [untilNow(today), untilNow(before)],
          most: asked.right.waits === 'all' ? maxWaits : usualWaits,
        })
        const found = all(
          ...(await Promise.all([
            read(sources.waiting),
            read(sources.longest),
            read(sources.waitingForAgent),
            read(sources.longestForAgent),
            read(sources.states),
            read(sources.agentChats),
            read(sources.bot),
            read(sources.agent),
            read(sources.botBefore),
            read(sources.agentBefore),
            read(sources.stats),
            figuresUntil(accountId, untilNow(before)),
          ])),
        )
        if (E.isLeft(found)) return found
        const [waiting, longest, forAgent, longestOfAgent, states, agentChats, ...others] = found.right
        const [bot, agent, botBefore, agentBefore, [stats], figures] = others
        const inState = (state: (typeof talking)[number]) => states.find(({ _id }) => _id === state)?.count ?? 0
        const answer: NowAnswer = {
          asOf,
          waiting: {
            count: countOf(waiting),
            longest: longest.flatMap(({ chatId, state, awaitingReplySince }) =>
              awaitingReplySince === undefined
                ? []
                : [
                    {
                      chatId,
                      since: awaitingReplySince.toISOString(),
                      ...(state === 'invited' && { agentCalled: true as const }),
                    },
                  ],
            ),
          },
          waitingForAgent: {
            count: countOf(forAgent),
            longest: longestOfAgent.map(({ chatId, since }) => ({ chatId, since: since.toISOString() })),
          },
          conversations: {
            bot: inState('bot'),
            invited: inState('invited'),
            agent: inState('agent'),
            unavailable: inState('unavailable'),
          },
          agentChats: countOf(agentChats),
          started: {
            today: { bot: countOf(bot), agent: countOf(agent) },
            lastWeek: { bot: countOf(botBefore), agent: countOf(agentBefore) },
          },
          today: { day: today, stats: stats === undefined ? null : statsAnswer(stats, 'masked') },
          lastWeek: { day: before, figures },
        }
        return ok(answer)
      },
    }
  },
})
