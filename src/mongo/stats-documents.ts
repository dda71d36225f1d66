import { randomUUID } from 'node:crypto'
import type { Db, Filter } from 'mongodb'
import type { DailyStatsDocument } from '../../contracts/views/daily-stats.ts'
import { dailyStats, nothing, type Statistics } from '../projections/daily-stats.ts'
import { accountDay } from '../projections/stats-days.ts'
import { within } from './deadline.ts'
import { computeDay, type Version } from './stats-compute.ts'
import { type Due, tickOff } from './stats-due.ts'

const stepMs = 10_000
const days = (db: Db) => db.collection<DailyStatsDocument>('daily_stats')

/**
 * The version of a day's document. A day that has none gets one of zeros, so that no computation, however late, can put
 * one where none is any more.
 */
const openDay = async (db: Db, _id: string): Promise<Version> => {
  const zeros = { ...dailyStats(accountDay(_id), nothing), version: randomUUID() }
  const options = { upsert: true, returnDocument: 'after', projection: { version: 1 } } as const
  const found = await within(stepMs, days(db).findOneAndUpdate({ _id }, { $setOnInsert: zeros }, options))
  return found?.version ?? null
}

/** Writes a day's statistics, or removes them, where they still are of that version; false where they are not. */
const replaceDay = async (
  db: Db,
  _id: string,
  version: Version,
  statistics: Statistics | undefined,
): Promise<boolean> => {
  // Null finds a document without the field as well.
  const filter = { _id, version } as Filter<DailyStatsDocument>
  if (statistics === undefined) return (await within(stepMs, days(db).deleteOne(filter))).deletedCount > 0
  const document = { ...statistics, version: randomUUID() }
  return (await within(stepMs, days(db).replaceOne(filter, document))).matchedCount > 0
}

/** Computes a day that is due, in its place; undefined removes it. */
export const computeDayIn = (db: Db, compute: (id: string) => Promise<Statistics | undefined>) =>
  computeDay({
    open: (id) => openDay(db, id),
    compute,
    replace: (id, version, statistics) => replaceDay(db, id, version, statistics),
    tickOff: (due: Due) => tickOff(db, due),
  })
