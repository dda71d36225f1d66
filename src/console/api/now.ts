import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { AccountId, Day } from '../../../contracts/primitives.ts'
import { DailyStatsDocument } from '../../../contracts/views/daily-stats.ts'
import type { Now } from '../../bridge/domain/clock.ts'
import { dayOf, type Span, untilTimeOfDay } from '../../bridge/domain/day.ts'
import { figuresOf } from '../../bridge/domain/figures.ts'
import type { Query } from '../../bridge/mongo/connect.ts'
import { eventsIn, minutesIn, type NowCounts, nowIn, talking } from '../../bridge/mongo/console-now.ts'
import { sessionsIn } from '../../bridge/mongo/console-statistics.ts'
import { dayId } from '../../bridge/views/stats-days.ts'
import type { NowAnswer } from '../answers.ts'
import { type Handlers, ok, unavailable } from '../handler.ts'
import { documentAnswer } from '../mask.ts'
import { readQuery } from '../query.ts'

export type NowDeps = {
  readonly now: Now
  readonly timeZoneOf: (accountId: string) => string
  readonly mongoQuery: Query
}

const NowQuery = t.partial({ waits: t.literal('all', 'all, or nothing') }, 'NowQuery')
const usualWaits = 5
/** More than a page of them is not read by people. */
const maxWaits = 200

const minuteMs = 60_000
const latelyMs = 24 * 60 * minuteMs
const weekMs = 7 * latelyMs
/** Figures of last week are computed once in this time. */
const stepMs = 5 * minuteMs
const statsAnswer = documentAnswer(DailyStatsDocument)

/** The same weekday of the week before. */
const weekBefore = (day: Day): Day => Temporal.PlainDate.from(day).subtract({ days: 7 }).toString() as Day

type LastWeek = NowAnswer['lastWeek']['figures']

const answerOf = (
  asOf: string,
  counts: NowCounts,
  [today, before]: readonly [Day, Day],
  figures: LastWeek,
): NowAnswer => {
  const states = talking.map((state) => [state, counts.states.get(state) ?? 0])
  const [stats] = counts.days.values()
  return {
    asOf,
    waiting: {
      count: counts.waiting,
      longest: counts.longest.flatMap(({ chatId, awaitingReplySince }) =>
        awaitingReplySince === undefined ? [] : [{ chatId, since: awaitingReplySince.toISOString() }],
      ),
    },
    conversations: Object.fromEntries(states) as NowAnswer['conversations'],
    agentChats: counts.agentChats,
    started: counts.started,
    today: { day: today, stats: stats === undefined ? null : statsAnswer(stats, 'masked') },
    lastWeek: { day: before, figures },
  }
}

export const nowHandlers = ({
  now,
  timeZoneOf,
  mongoQuery,
}: NowDeps): Handlers<'GET /api/accounts/:account/now' | 'GET /api/accounts/:account/minutes'> => {
  const known = new Map<string, { readonly until: number; readonly figures: LastWeek }>()
  /** The figures of a day as they were at a time of it: of the sessions that were over by then. */
  const figuresUntil = async (accountId: string, { from, to }: Span) => {
    const until = Math.floor(to.getTime() / stepMs) * stepMs
    const last = known.get(accountId)
    if (last?.until === until) return E.right(last.figures)
    const sessions = await mongoQuery(sessionsIn)(accountId, { from, to: new Date(until) }, 'over')
    if (E.isLeft(sessions)) return sessions
    const all = Object.entries(figuresOf(sessions.right, new Date(until), () => false))
    const figures = Object.fromEntries(
      all.map(([name, { numerator, denominator }]) => [name, { numerator, denominator }]),
    ) as LastWeek
    known.set(accountId, { until, figures })
    return E.right(figures)
  }
  return {
    'GET /api/accounts/:account/minutes': async ({ accountId }) => {
      const asOf = Date.parse(now())
      const minute = Math.floor(asOf / minuteMs) * minuteMs
      // The last hour has 60 minutes, and the last one is not over: so has the hour a week ago.
      const hour = { from: new Date(minute - 59 * minuteMs - weekMs), to: new Date(asOf - weekMs) }
      const [counted, weekAgo] = await Promise.all([
        mongoQuery(minutesIn)(accountId, new Date(minute - latelyMs + minuteMs)),
        mongoQuery(eventsIn)(accountId, hour),
      ])
      if (E.isLeft(counted)) return E.left(unavailable(counted.left.reason))
      if (E.isLeft(weekAgo)) return E.left(unavailable(weekAgo.left.reason))
      const minutes = counted.right.map(({ at, events }) => ({ at: at.toISOString(), events }))
      return ok({ minutes, weekAgo: weekAgo.right })
    },
    'GET /api/accounts/:account/now': async ({ accountId, query }) => {
      const read = readQuery(NowQuery, query)
      if (E.isLeft(read)) return read
      const asOf = now()
      const before = (ms: number) => new Date(Date.parse(asOf) - ms)
      const today = dayOf(new Date(asOf), timeZoneOf(accountId))
      const days = [today, weekBefore(today)] as const
      const untilNow = (day: Day) => untilTimeOfDay(day, new Date(asOf), timeZoneOf(accountId))
      const [counts, figures] = await Promise.all([
        mongoQuery(nowIn)(accountId, {
          lately: before(latelyMs),
          days: [dayId({ accountId: accountId as AccountId, day: today })],
          spans: days.map(untilNow),
          longest: read.right.waits === 'all' ? maxWaits : usualWaits,
        }),
        figuresUntil(accountId, untilNow(days[1])),
      ])
      if (E.isLeft(counts)) return E.left(unavailable(counts.left.reason))
      if (E.isLeft(figures)) return E.left(unavailable(figures.left.reason))
      return ok(answerOf(asOf, counts.right, days, figures.right))
    },
  }
}
