import { setImmediate as afterOthers } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type AccountId, Day, exactShape, Id } from '../../../../contracts/primitives.ts'
import { DailyStatsByDocument, DailyStatsDocument } from '../../../../contracts/views/daily-stats.ts'
import { SessionDocument } from '../../../../contracts/views/session.ts'
import { dayOf, type Span, untilTimeOfDay } from '../../../bridge/domain/day.ts'
import { type Measured, measuredFields } from '../../../bridge/domain/figures.ts'
import { marksOf } from '../../../bridge/domain/person/personal-data.ts'
import { invalid } from '../../../bridge/http/answer.ts'
import { type Find, only } from '../../../bridge/mongo/source.ts'
import { chunks } from '../../../bridge/shared/slices.ts'
import { sessionStatsAt } from '../../../bridge/views/compute-daily-stats.ts'
import type { Backend } from '../../backend.ts'
import { cellAt, columnsOf, csv, csvFile } from '../../csv.ts'
import { documentOf } from '../../documents.ts'
import { documentAnswer } from '../../mask.ts'
import { decodeAs, everyone, ok, page, recordLook } from '../../page.ts'
import { readQuery } from '../../query.ts'
import { daysOf, oneAtATime } from './days.ts'
import { DayOfSessions, Definition, definitions } from './definitions.ts'
import { failedReplies } from './failed-replies.ts'

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

/**
 * Query: days `from` and `to`; `by` day, agent, widget or bot; `id` of one of the last three. At most 400 days. With
 * `until` now, the last day has only its sessions with agents, as they were at this time of day: for a comparison with
 * days of which the last one is not over.
 */
export const StatisticsAnswer = exactShape(
  {
    from: t.string,
    to: t.string,
    by: t.keyof({ day: null, agent: null, widget: null, bot: null }),
    definitions: t.array(Definition),
    /** By day the documents of daily_stats, otherwise those of daily_stats_by. `until` now: the last day of its sessions. */
    rows: t.array(
      t.union([documentOf(DailyStatsDocument), documentOf(DailyStatsByDocument), documentOf(DayOfSessions)]),
    ),
  },
  {},
  'StatisticsAnswer',
)
export type StatisticsAnswer = t.TypeOf<typeof StatisticsAnswer>

/** Body: ids of agents. */
const NamesBody = exactShape({ ids: t.array(Id) }, {}, 'NamesBody')

/** The names of agents by id, as far as they are known. */
const NamesAnswer = exactShape({ names: t.record(t.string, t.string) }, {}, 'NamesAnswer')
export type NamesAnswer = t.TypeOf<typeof NamesAnswer>

const batchSize = 200

type Asked = {
  /** Days, the last one included. */
  readonly from: string
  readonly to: string
  readonly limit: number
}

/** The statistics of some days, in the order of the days. */
export const statsOfDays = (accountId: string, { from, to, limit }: Asked): Find<DailyStatsDocument> => ({
  view: 'daily_stats',
  row: DailyStatsDocument,
  where: { accountId, day: { $gte: from, $lte: to } },
  sort: { day: 1 },
  limit,
  batchSize,
})

/** The same by agent, widget or bot, of all or of one. */
export const statsBy = (
  accountId: string,
  by: DailyStatsByDocument['by'],
  { from, to, limit, id }: Asked & { readonly id?: string | undefined },
): Find<DailyStatsByDocument> => ({
  view: 'daily_stats_by',
  row: DailyStatsByDocument,
  where: { accountId, day: { $gte: from, $lte: to }, by, ...(id !== undefined && { id }) },
  sort: { day: 1 },
  limit,
  batchSize,
})

/** What the figures need of the sessions that began in a span of time: of those with agents, or those over by its end. */
export const measuredSessions = (
  accountId: string,
  { from, to }: Span,
  which: 'of agents' | 'over',
): Find<Measured> => ({
  view: 'sessions',
  ...only(SessionDocument, measuredFields),
  where: {
    accountId,
    startedAt: { $gte: from, $lt: to },
    ...(which === 'over' ? { endsAt: { $lte: to } } : { kind: 'agent' }),
  },
  batchSize,
})

const maxNames = 100
const Agents = only(SessionDocument, ['agents'])

/** The newest session of an agent. */
const newestOf = (accountId: string, agent: string): Find<t.TypeOf<typeof Agents.row>> => ({
  view: 'sessions',
  ...Agents,
  where: { accountId, 'agents.id': agent },
  sort: { startedAt: -1 },
  limit: 1,
})

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

/** Agents appear by id. Names are personal data, so a lead asks for them, and the audit log records that. */
export const statistics = page({
  name: 'statistics',
  title: 'Statistics',
  key: 's',
  roles: everyone,
  routes: {
    'GET /api/accounts/:account/statistics': { answer: StatisticsAnswer },
    'GET /api/accounts/:account/statistics.csv': { answer: 'text/csv' },
    'POST /api/accounts/:account/statistics/names': { answer: NamesAnswer, roles: ['lead'] },
    ...failedReplies.routes,
  },
  handlers: (backend: Pick<Backend, 'now' | 'timeZoneOf' | 'read' | 'recordActionOf'>) => {
    const { now, timeZoneOf, read, recordActionOf } = backend
    const inTurn = oneAtATime()
    /** The name of an agent in the newest session, which is one read of an index. */
    const nameOf = async (accountId: string, agent: string) =>
      E.map(([newest]: ReadonlyArray<t.TypeOf<typeof Agents.row>>): ReadonlyArray<readonly [string, string]> => {
        const name = newest?.agents.find(({ id }) => id === agent)?.name
        return name === undefined ? [] : [[agent, name]]
      })(await read(newestOf(accountId, agent)))
    /** The sessions with agents of a day, as they were at this time of it. Nothing if there was none. */
    const untilNow = async (accountId: string, day: Day) => {
      const span = untilTimeOfDay(day, new Date(now()), timeZoneOf(accountId))
      const sessions = await read(measuredSessions(accountId, span, 'of agents'))
      if (E.isLeft(sessions)) return sessions
      const stats = sessionStatsAt({ accountId: accountId as AccountId, day }, sessions.right, span.to)
      return E.right({ day: sessions.right.length === 0 ? [] : [stats.day], by: stats.by })
    }
    const rowsFor = async (accountId: string, query: URLSearchParams, most: number) => {
      const asked = readQuery(StatisticsQuery, query)
      if (E.isLeft(asked)) return asked
      const { by = 'day', id, until, ...days } = asked.right
      if (until !== undefined && by !== 'day' && by !== 'agent')
        return E.left(invalid(400, 'until: expected with `by` day or agent'))
      if (by === 'day' && id !== undefined) return E.left(invalid(400, 'id: expected with `by` agent, widget or bot'))
      const span = daysOf(days, dayOf(new Date(now()), timeZoneOf(accountId)))
      if (E.isLeft(span)) return span
      const limit = most + 1
      const [found, lastDay] = await Promise.all([
        by === 'day'
          ? read(statsOfDays(accountId, { ...span.right, limit }))
          : read(statsBy(accountId, by, { ...span.right, limit, id })),
        until === undefined ? undefined : untilNow(accountId, span.right.to),
      ])
      if (E.isLeft(found)) return found
      if (found.right.length > most) return E.left(tooMany(most))
      if (lastDay !== undefined && E.isLeft(lastDay)) return lastDay
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
      ...failedReplies.handlers(backend),
      'POST /api/accounts/:account/statistics/names': async (request) => {
        const body = decodeAs(NamesBody, request.body)
        if (E.isLeft(body)) return body
        const recorded = await recordLook(recordActionOf)(request, 'names of agents')
        if (E.isLeft(recorded)) return recorded
        const ids = body.right.ids.slice(0, maxNames)
        const names = E.sequenceArray(await Promise.all(ids.map((id) => nameOf(request.accountId, id))))
        return E.isLeft(names) ? names : ok({ names: Object.fromEntries(names.right.flat()) })
      },
      'GET /api/accounts/:account/statistics': inTurn(async ({ accountId, query }) => {
        const found = await rowsFor(accountId, query, maxRows.json)
        if (E.isLeft(found)) return found
        const { documents, ...asked } = found.right
        const rows = await inPieces(documents, rowOf)
        const answer: StatisticsAnswer = { ...asked, rows, definitions: [...definitions] }
        return ok(answer)
      }),
      'GET /api/accounts/:account/statistics.csv': inTurn(async ({ accountId, query }) => {
        const found = await rowsFor(accountId, query, maxRows.csv)
        if (E.isLeft(found)) return found
        const { by, documents } = found.right
        const names = by === 'day' ? columns.day : columns.by
        const lines = await inPieces(documents, (each) => {
          const row = rowOf(each)
          return csv([names.map((name) => cellAt(row, name))])
        })
        return E.right(csvFile(fileName(accountId, found.right), csv([names]) + lines.join('')))
      }),
    }
  },
})
