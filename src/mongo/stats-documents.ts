import { randomUUID } from 'node:crypto'
import type { Db, Filter } from 'mongodb'
import type { DailyStatsDocument } from '../../contracts/views/daily-stats.ts'
import { dailyStats, nothing, type Statistics } from '../projections/daily-stats.ts'
import { accountDay } from '../projections/stats-days.ts'
import type { CollectionOf } from './apply.ts'
import { within } from './client.ts'
import { computeDay, type Version } from './stats-compute.ts'
import { tickOff } from './stats-due.ts'
import { readStatsInput } from './stats-input.ts'

const stepMs = 10_000
const days = (db: Db) => db.collection<DailyStatsDocument>('daily_stats')

const versionOf = async (db: Db, _id: string): Promise<Version | undefined> => {
  const found = await within(stepMs, days(db).findOne({ _id }, { projection: { version: 1 } }))
  return found === null ? undefined : (found.version ?? null)
}

/**
 * A day that has no document gets one of zeros, so that no computation, however late, can put one where none is any more.
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

/** A day's statistics by the collections that are named, or by the live views; undefined where no document belongs to it. */
export const computedStatistics = async (
  db: Db,
  id: string,
  collectionOf?: CollectionOf,
): Promise<Statistics | undefined> => {
  const input = await readStatsInput(db, accountDay(id), collectionOf)
  const isEmpty = Object.values(input).every((documents) => documents.length === 0)
  return isEmpty ? undefined : dailyStats(accountDay(id), input)
}

/** Computes a day that is due, in its place; a day that no document belongs to goes. */
export const computeDayIn = (db: Db, compute = (id: string) => computedStatistics(db, id)) =>
  computeDay({
    versionOf: (id) => versionOf(db, id),
    open: (id) => openDay(db, id),
    compute,
    replace: (id, version, statistics) => replaceDay(db, id, version, statistics),
    tickOff: (due) => tickOff(db, due),
  })
