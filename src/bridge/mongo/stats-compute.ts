import type { Db, Document, Filter } from 'mongodb'
import type { DailyStatsByDocument, DailyStatsDocument } from '../../../contracts/views/daily-stats.ts'
import { spanOf } from '../domain/day.ts'
import type { Measured } from '../domain/figures.ts'
import {
  computeDailyStats,
  type DayStatistics,
  type SessionsInput,
  type StatsInput,
} from '../views/compute-daily-stats.ts'
import { begunAfter, type StatsQuery, statisticsNames, statsQueries } from '../views/daily-stats.ts'
import { type AccountDay, accountDay, type StatsView, type TimeZoneOf } from '../views/stats-days.ts'
import { isOvertaken } from './classify.ts'
import { rejectAfter, serverTimeOf, stepMs } from './client.ts'
import { numberTypesOf } from './number-types.ts'
import { type Due, dueDays } from './stats-due.ts'
import type { CollectionOf } from './store.ts'

const queryMs = 60_000
/** Longer than `queryMs`, so MongoDB itself aborts a query first and reports why. */
const answerMs = queryMs + 5_000

/** A batch is decoded in one step, which must not keep events waiting: a day may have a hundred thousand. */
const documentsAtOnce = 250

const only = (fields: ReadonlyArray<string>) => Object.fromEntries(fields.map((field) => [field, 1]))

/** MongoDB counts these documents: there may be one for every reply of the day. */
const tally = (match: object, fields: ReadonlyArray<string>): Document[] => [
  { $match: match },
  { $group: { _id: Object.fromEntries(fields.map((field) => [field, `$${field}`])), documents: { $sum: 1 } } },
  { $replaceWith: { $mergeObjects: ['$_id', { documents: '$documents' }] } },
]

/** Reads a day's documents, only with the fields that are counted. Uses the live views unless others are named. */
const readStatsInput = async (
  db: Db,
  { accountId, day }: AccountDay,
  timeZoneOf: TimeZoneOf,
  collectionOf: CollectionOf = (view) => view,
): Promise<StatsInput> => {
  const { from, to } = spanOf(day, timeZoneOf(accountId))
  const options = { maxTimeMS: queryMs, batchSize: documentsAtOnce }
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

type StatsDocument = DailyStatsDocument | DailyStatsByDocument

export const statistics = (db: Db) => db.collection<DailyStatsDocument>(statisticsNames.days)
export const statisticsBy = (db: Db) => db.collection<DailyStatsByDocument>(statisticsNames.groups)

/** Whether no document belongs to the day. */
export const isNothing = ({ day, by }: DayStatistics): boolean => {
  const { chats, calls, offlineMessages, replies } = day
  return by.length + offlineMessages + calls.total + Math.max(...Object.values({ ...chats, ...replies })) === 0
}

/** A day's statistics as of a time, from the given collections or from the live views. */
export const computedStatistics = async (
  db: Db,
  id: string,
  timeZoneOf: TimeZoneOf,
  asOf?: Date,
  collectionOf?: CollectionOf,
): Promise<DayStatistics> => {
  const at = asOf ?? new Date(await serverTimeOf(db))
  return computeDailyStats(accountDay(id), await readStatsInput(db, accountDay(id), timeZoneOf, collectionOf), at)
}

/** Matches documents that are older than a computation, or have no `asOf` because they were written by hand. */
const olderThan = (asOf: Date) => ({ asOf: { $not: { $gte: asOf } } })

/**
 * Replaces older documents. A newer one stays, because the insert fails on its `_id`. Then the result is false. Without
 * `upsert` only documents that exist are replaced, and a newer one stays too.
 */
const replaceOlder = async <D extends StatsDocument>(
  view: string,
  bulkWrite: (writes: { replaceOne: { filter: Filter<D>; replacement: D; upsert: boolean } }[]) => Promise<unknown>,
  documents: ReadonlyArray<D>,
  upsert = true,
): Promise<boolean> => {
  if (documents.length === 0) return true
  const encoded = numberTypesOf(view)
  const writes = documents.map((document) => ({
    replaceOne: {
      filter: { _id: document._id, ...olderThan(document.asOf) } as Filter<D>,
      replacement: encoded(document),
      upsert,
    },
  }))
  try {
    await rejectAfter(stepMs, bulkWrite(writes))
    return true
  } catch (error) {
    if (isOvertaken(error)) return false
    throw error
  }
}

/**
 * Computes a day and writes it in place. Any number of processes may do so at the same time, and die or freeze
 * anywhere. `asOf` is the server's time before the documents were read. A result never replaces one with a later
 * `asOf`. A process deletes a mark only if it saw the mark before it read the documents, and has written the result. It
 * keeps a mark that has changed since.
 */
export const computeDayIn =
  (db: Db, timeZoneOf: TimeZoneOf, compute = (id: string) => computedStatistics(db, id, timeZoneOf)) =>
  async ({ _id, mark }: Due): Promise<void> => {
    const computed = await compute(_id)
    const { day, by } = computed
    await replaceOlder(statisticsNames.groups, (writes) => statisticsBy(db).bulkWrite(writes, { ordered: false }), by)
    const { accountId, asOf } = day
    await rejectAfter(stepMs, statisticsBy(db).deleteMany({ accountId, day: day.day, ...olderThan(asOf) }))
    // A day of zeros replaces one that exists, and is never inserted: a rebuild may have deleted that day meanwhile.
    const replaced = await replaceOlder(
      statisticsNames.days,
      (writes) => statistics(db).bulkWrite(writes),
      [day],
      !isNothing(computed),
    )
    if (!replaced) return
    if (mark === undefined) return
    const { deletedCount } = await rejectAfter(stepMs, dueDays(db).deleteOne({ _id, mark }))
    // The day has changed since. The statistics have everything from before the documents were read.
    if (deletedCount === 0) await rejectAfter(stepMs, dueDays(db).updateOne({ _id }, { $max: { since: asOf } }))
  }
