import { setImmediate as afterOthers } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type AccountId, Day, Id } from '../../../contracts/primitives.ts'
import { DailyStatsByDocument, DailyStatsDocument } from '../../../contracts/views/daily-stats.ts'
import type { Now } from '../../bridge/domain/clock.ts'
import { dayOf, untilTimeOfDay } from '../../bridge/domain/day.ts'
import { marksOf } from '../../bridge/domain/person/personal-data.ts'
import { invalid, type Refusal } from '../../bridge/http/answer.ts'
import type { Query } from '../../bridge/mongo/connect.ts'
import { agentNamesIn, sessionsIn, statisticsIn } from '../../bridge/mongo/console-statistics.ts'
import { fairSemaphore } from '../../bridge/shared/semaphore.ts'
import { chunks } from '../../bridge/shared/slices.ts'
import { sessionStatsAt } from '../../bridge/views/compute-daily-stats.ts'
import { NamesBody, type StatisticsAnswer } from '../answers.ts'
import { cellAt, columnsOf, csv, csvFile } from '../csv.ts'
import { type DayOfSessions, definitions } from '../definitions.ts'
import {
  type ConsoleHandler,
  decodeAs,
  type Handlers,
  ok,
  type RecordActionOf,
  recordLook,
  unavailable,
} from '../handler.ts'
import { documentAnswer } from '../mask.ts'
import { readQuery } from '../query.ts'
import type { ConsoleRoute } from '../routes.ts'

export type StatisticsDeps = {
  readonly now: Now
  readonly timeZoneOf: (accountId: string) => string
  readonly mongoQuery: Query
  readonly recordActionOf: RecordActionOf
}

const StatisticsQuery = t.partial(
  {
    from: Day,
    to: Day,
    by: t.keyof({ day: null, agent: null, widget: null, bot: null }, 'day, agent, widget or bot'),
    id: Id,
    until: t.literal('now', 'now, or nothing'),
  },
  'StatisticsQuery',
)

const usualDays = 30
const maxDays = 400
/** A row has 3 kB as JSON and a tenth of that as CSV. */
const maxRows = { json: 5_000, csv: 20_000 }
/** After this many rows the process handles other requests, such as events of bots. */
const rowsAtOnce = 100

const inPieces = async <A, B>(rows: ReadonlyArray<A>, made: (row: A) => B): Promise<B[]> => {
  const all: B[] = []
  for (const some of chunks(rows, rowsAtOnce)) {
    for (const row of some) all.push(made(row))
    await afterOthers()
  }
  return all
}

type Days = { readonly from: Day; readonly to: Day }

/** The requested days. Default: the last 30. */
export const daysOf = ({ from, to }: Partial<Days>, today: string): E.Either<Refusal, Days> => {
  const last = Temporal.PlainDate.from(to ?? today)
  const first = from === undefined ? last.subtract({ days: usualDays - 1 }) : Temporal.PlainDate.from(from)
  const days = first.until(last, { largestUnit: 'days' }).days + 1
  return days >= 1 && days <= maxDays
    ? E.right({ from: first.toString() as Day, to: last.toString() as Day })
    : E.left(invalid(400, `from, to: expected 1 to ${maxDays} days, the first one first`))
}

const tooMany = (most: number) =>
  invalid(400, `from, to: expected a span of at most ${most} rows: choose fewer days, or one id`)

const dayAnswer = documentAnswer(DailyStatsDocument)
const byAnswer = documentAnswer(DailyStatsByDocument)
type Stats = DailyStatsDocument | DailyStatsByDocument | DayOfSessions
const rowOf = (stats: Stats) => ('by' in stats ? byAnswer(stats, 'masked') : dayAnswer(stats, 'masked'))
const columns = { day: columnsOf(marksOf(DailyStatsDocument)), by: columnsOf(marksOf(DailyStatsByDocument)) }

/** `acme-2026-01-01-2026-01-31-agent.csv`. Account ids and days have only characters that need no escape. */
const fileName = (accountId: string, { from, to, by }: Pick<StatisticsAnswer, 'from' | 'to' | 'by'>) =>
  `${accountId}-${from}-${to}-${by}.csv`

/** Handlers that make one response at a time, the accounts in turns: the rows of many responses would fill the memory. */
export const oneAtATime = () => {
  const acquire = fairSemaphore({ inAll: 1, ofOne: 1 })
  return <R extends ConsoleRoute>(handler: ConsoleHandler<R>): ConsoleHandler<R> =>
    async (request) => {
      using _permit = await acquire(request.accountId, request.signal)
      return request.signal.aborted ? E.left(unavailable('the caller has gone')) : await handler(request)
    }
}

/** Agents appear by id. Names are personal data, so a lead asks for them, and the audit log records that. */
export const statisticsHandlers = ({
  now,
  timeZoneOf,
  mongoQuery,
  recordActionOf,
}: StatisticsDeps): Handlers<
  | 'GET /api/accounts/:account/statistics'
  | 'GET /api/accounts/:account/statistics.csv'
  | 'POST /api/accounts/:account/statistics/names'
> => {
  const inTurn = oneAtATime()
  /** The sessions with agents of a day, as they were at this time of it. Nothing if there was none. */
  const untilNow = async (accountId: string, day: Day) => {
    const span = untilTimeOfDay(day, new Date(now()), timeZoneOf(accountId))
    const sessions = await mongoQuery(sessionsIn)(accountId, span, 'of agents')
    if (E.isLeft(sessions)) return sessions
    const stats = sessionStatsAt({ accountId: accountId as AccountId, day }, sessions.right, span.to)
    return E.right({ day: sessions.right.length === 0 ? [] : [stats.day], by: stats.by })
  }
  const read = async (accountId: string, query: URLSearchParams, most: number) => {
    const asked = readQuery(StatisticsQuery, query)
    if (E.isLeft(asked)) return asked
    const { by = 'day', id, until, ...days } = asked.right
    if (until !== undefined && by !== 'day' && by !== 'agent')
      return E.left(invalid(400, 'until: expected with `by` day or agent'))
    if (by === 'day' && id !== undefined) return E.left(invalid(400, 'id: expected with `by` agent, widget or bot'))
    const span = daysOf(days, dayOf(new Date(now()), timeZoneOf(accountId)))
    if (E.isLeft(span)) return span
    const [found, lastDay] = await Promise.all([
      mongoQuery(statisticsIn)(accountId, { ...span.right, by, limit: most + 1, ...(id && { id }) }),
      until === undefined ? undefined : untilNow(accountId, span.right.to),
    ])
    if (E.isLeft(found)) return E.left(unavailable(found.left.reason))
    if (found.right.length > most) return E.left(tooMany(most))
    if (lastDay !== undefined && E.isLeft(lastDay)) return E.left(unavailable(lastDay.left.reason))
    const documents: ReadonlyArray<Stats> =
      lastDay === undefined
        ? found.right
        : [
            ...found.right.filter(({ day }) => day !== span.right.to),
            ...(by === 'day'
              ? lastDay.right.day
              : lastDay.right.by.filter((each) => each.by === by && (id === undefined || each.id === id))),
          ]
    return E.right({ ...span.right, by, documents })
  }
  return {
    'POST /api/accounts/:account/statistics/names': async (request) => {
      const body = decodeAs(NamesBody, request.body)
      if (E.isLeft(body)) return body
      const recorded = await recordLook(recordActionOf)(request, 'names of agents')
      if (E.isLeft(recorded)) return recorded
      const names = await mongoQuery(agentNamesIn)(request.accountId, body.right.ids)
      if (E.isLeft(names)) return E.left(unavailable(names.left.reason))
      return ok({ names: Object.fromEntries(names.right) })
    },
    'GET /api/accounts/:account/statistics': inTurn<'GET /api/accounts/:account/statistics'>(
      async ({ accountId, query }) => {
        const found = await read(accountId, query, maxRows.json)
        if (E.isLeft(found)) return found
        const { documents, ...asked } = found.right
        const rows = await inPieces(documents, rowOf)
        const answer: StatisticsAnswer = { ...asked, rows, definitions: [...definitions] }
        return ok(answer)
      },
    ),
    'GET /api/accounts/:account/statistics.csv': inTurn<'GET /api/accounts/:account/statistics.csv'>(
      async ({ accountId, query }) => {
        const found = await read(accountId, query, maxRows.csv)
        if (E.isLeft(found)) return found
        const { by, documents } = found.right
        const names = by === 'day' ? columns.day : columns.by
        const lines = await inPieces(documents, (each) => {
          const row = rowOf(each)
          return csv([names.map((name) => cellAt(row, name))])
        })
        return E.right(csvFile(fileName(accountId, found.right), csv([names]) + lines.join('')))
      },
    ),
  }
}
