import * as E from 'fp-ts/lib/Either.js'
import type { AccountId, Day } from '../../../contracts/primitives.ts'
import { DailyStatsDocument } from '../../../contracts/views/daily-stats.ts'
import { dayOf, spanOf } from '../../domain/day.ts'
import type { Now } from '../../domain/ports.ts'
import { type minutesIn, type NowCounts, type nowIn, talking } from '../../mongo/console-now.ts'
import { dayId } from '../../views/stats-days.ts'
import type { NowAnswer } from '../answers.ts'
import { type Handlers, ok, unavailable } from '../handler.ts'
import { documentAnswer } from '../mask.ts'

export type NowDeps = {
  readonly now: Now
  readonly timeZoneOf: (accountId: string) => string
  readonly countNow: ReturnType<typeof nowIn>
  readonly countMinutes: ReturnType<typeof minutesIn>
}

const minuteMs = 60_000
const latelyMs = 24 * 60 * minuteMs
const statsAnswer = documentAnswer(DailyStatsDocument)

/** The same weekday of the week before. */
const weekBefore = (day: Day): Day => Temporal.PlainDate.from(day).subtract({ days: 7 }).toString() as Day

const answerOf = (asOf: string, counts: NowCounts, days: ReadonlyArray<readonly [Day, string]>): NowAnswer => {
  const states = talking.map((state) => [state, counts.states.get(state) ?? 0])
  const [today, lastWeek] = days.map(([day, id]) => {
    const stats = counts.days.get(id)
    return { day, stats: stats === undefined ? null : statsAnswer(stats, 'masked') }
  })
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
    today: today ?? { day: '', stats: null },
    lastWeek: lastWeek ?? { day: '', stats: null },
  }
}

export const nowHandlers = ({
  now,
  timeZoneOf,
  countNow,
  countMinutes,
}: NowDeps): Handlers<'GET /api/accounts/:account/now' | 'GET /api/accounts/:account/minutes'> => ({
  'GET /api/accounts/:account/minutes': async ({ accountId }) => {
    const minute = Math.floor(Date.parse(now()) / minuteMs) * minuteMs
    const counted = await countMinutes(accountId, new Date(minute - latelyMs + minuteMs))
    if (E.isLeft(counted)) return E.left(unavailable(counted.left.reason))
    return ok({ minutes: counted.right.map(({ at, events }) => ({ at: at.toISOString(), events })) })
  },
  'GET /api/accounts/:account/now': async ({ accountId }) => {
    const asOf = now()
    const before = (ms: number) => new Date(Date.parse(asOf) - ms)
    const today = dayOf(new Date(asOf), timeZoneOf(accountId))
    const days = [today, weekBefore(today)].map(
      (day) => [day, dayId({ accountId: accountId as AccountId, day })] as const,
    )
    const startOfToday = spanOf(today, timeZoneOf(accountId)).from
    const counts = await countNow(accountId, {
      lately: before(latelyMs),
      days: days.map(([, id]) => id),
      spans: days.map(([day]) => {
        const { from } = spanOf(day, timeZoneOf(accountId))
        return { from, to: new Date(from.getTime() + Date.parse(asOf) - startOfToday.getTime()) }
      }),
    })
    if (E.isLeft(counts)) return E.left(unavailable(counts.left.reason))
    return ok(answerOf(asOf, counts.right, days))
  },
})
