import type { Db, Document } from 'mongodb'
import { spanOf } from '../domain/day.ts'
import type { Measured } from '../domain/figures.ts'
import type { SessionsInput, StatsInput } from '../views/compute-daily-stats.ts'
import { begunAfter, type StatsQuery, statsQueries } from '../views/daily-stats.ts'
import type { AccountDay, StatsView, TimeZoneOf } from '../views/stats-days.ts'
import { rejectAfter } from './client.ts'
import type { CollectionOf } from './store.ts'

const queryMs = 60_000
/** Longer than `queryMs`, so MongoDB itself aborts a query first and reports why. */
const answerMs = queryMs + 5_000

const only = (fields: ReadonlyArray<string>) => Object.fromEntries(fields.map((field) => [field, 1]))

/** MongoDB counts these documents: there may be one for every reply of the day. */
const tally = (match: object, fields: ReadonlyArray<string>): Document[] => [
  { $match: match },
  { $group: { _id: Object.fromEntries(fields.map((field) => [field, `$${field}`])), documents: { $sum: 1 } } },
  { $replaceWith: { $mergeObjects: ['$_id', { documents: '$documents' }] } },
]

/** Reads a day's documents, only with the fields that are counted. Uses the live views unless others are named. */
export const readStatsInput = async (
  db: Db,
  { accountId, day }: AccountDay,
  timeZoneOf: TimeZoneOf,
  collectionOf: CollectionOf = (view) => view,
): Promise<StatsInput> => {
  const { from, to } = spanOf(day, timeZoneOf(accountId))
  const options = { maxTimeMS: queryMs }
  const of = (view: StatsView) => db.collection(collectionOf(view))

  const answer = ({ view, field, where, read }: StatsQuery): Promise<unknown> => {
    const match = { accountId, [field]: { $gte: from, $lt: to }, ...where }
    if (read === 'count') return of(view).countDocuments(match, options)
    if ('tally' in read) return of(view).aggregate(tally(match, read.tally), options).toArray()
    return of(view).find(match, options).project(only(read.documents)).toArray()
  }
  const sessionsAndReturns = async () => {
    const sessions = (await answer(statsQueries.sessions)) as ReadonlyArray<Measured>
    const later = begunAfter(accountId, from, sessions)
    if (later === undefined) return { sessions, begun: [] }
    const found = of(later.view).find(later.where, options)
    return { sessions, begun: await found.project<StatsInput['begun'][number]>(only(later.fields)).toArray() }
  }
  const { sessions: _, ...others } = statsQueries
  const [sessions, ...answers] = await rejectAfter(
    answerMs,
    Promise.all([
      sessionsAndReturns(),
      ...Object.entries(others).map(async ([name, query]) => [name, await answer(query)] as const),
    ]),
  )
  // Each query reads the fields of its part of the input.
  return { ...sessions, ...(Object.fromEntries(answers) as Omit<StatsInput, keyof SessionsInput>) }
}
