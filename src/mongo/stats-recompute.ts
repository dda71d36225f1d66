import { isDeepStrictEqual } from 'node:util'
import type { Db } from 'mongodb'
import type { DailyStatsDocument } from '../../contracts/views/daily-stats.ts'
import { dailyStats, nothing, type Statistics } from '../projections/daily-stats.ts'
import { accountDay, type StatsView, statsViews } from '../projections/stats-days.ts'
import { chunks } from '../shared/slices.ts'
import type { CollectionOf } from './apply.ts'
import { within } from './client.ts'
import { computeDayIn, computedStatistics } from './stats-documents.ts'
import { type DueDocument, markDays } from './stats-due.ts'

const stepMs = 10_000
const daysAtOnce = 50

const statistics = (db: Db) => db.collection<DailyStatsDocument>('daily_stats')

const text = (field: string) => ({ $eq: [{ $type: `$${field}` }, 'string'] })

/** The ids of the days to which documents of a collection belong by a field. */
const daysBy = async (db: Db, collection: string, field: string): Promise<ReadonlyArray<string>> => {
  const found = await db
    .collection(collection)
    .aggregate<{ _id: { accountId: string; day: string } }>([
      { $match: { $expr: { $and: [text('accountId'), text(field)] } } },
      { $group: { _id: { accountId: '$accountId', day: { $substrCP: [`$${field}`, 0, 10] } } } },
    ])
    .toArray()
  return found.map(({ _id }) => `${_id.accountId}/${_id.day}`)
}

/** Every day that has statistics, or should have: in order. */
export const allDays = async (db: Db, collectionOf: CollectionOf = (view) => view): Promise<ReadonlyArray<string>> => {
  const days = new Set<string>()
  for await (const { _id } of statistics(db).find({}, { projection: { _id: 1 } })) days.add(String(_id))
  for (const view of Object.keys(statsViews) as ReadonlyArray<StatsView>)
    for (const field of statsViews[view].days)
      for (const id of await daysBy(db, collectionOf(view), field)) days.add(id)
  return [...days].sort()
}

const isDay = (id: string): boolean => /^[^/]+\/\d{4}-\d{2}-\d{2}$/.test(id)

/**
 * Computes days anew from the live views, in place, each in the refresher's own way: marked as due first, and written only
 * where nobody has computed it since; who has, computes it from what is there by then. A day that no document belongs to
 * goes. Each day is replaced in one step, so that readers see the old or the new one.
 */
export const recomputeDays = async (
  db: Db,
  ids: ReadonlyArray<string>,
  done: (days: number) => void,
): Promise<void> => {
  const computeDay = computeDayIn(db)
  for (const some of chunks(ids, daysAtOnce)) {
    const { true: days = [], false: others = [] } = Object.groupBy(some, (id) => `${isDay(id)}` as const)
    await within(stepMs, statistics(db).deleteMany({ _id: { $in: others } }))
    await markDays(db, days, true)
    const due = db.collection<DueDocument>('stats_due').find({ _id: { $in: days } })
    for (const { _id, mark, fresh } of await within(stepMs, due.toArray()))
      await computeDay({ _id, mark, fresh, calm: false })
    done(some.length)
  }
}

const nothingOn = (id: string): Statistics => dailyStats(accountDay(id), nothing)

/** A day's statistics as they are, as they should be (none where nothing happened), and whether they are about to be renewed. */
export type Day = {
  readonly id: string
  readonly live: Statistics | undefined
  readonly rebuilt: Statistics | undefined
  readonly due: boolean
}

/** The day by the documents of the collections that are named, or of the live views. */
export const readDay = async (db: Db, id: string, collectionOf?: CollectionOf): Promise<Day> => {
  const due = (await db.collection<DueDocument>('stats_due').findOne({ _id: id, fresh: true })) !== null
  const live = (await statistics(db).findOne({ _id: id }, { projection: { version: 0 } })) ?? undefined
  const rebuilt = isDay(id) ? await computedStatistics(db, id, collectionOf) : undefined
  // A day that is being computed is opened as zeros: that says the same as none.
  const isZero = rebuilt === undefined && live !== undefined && isDeepStrictEqual(live, nothingOn(id))
  return { id, live: isZero ? undefined : live, rebuilt, due }
}
