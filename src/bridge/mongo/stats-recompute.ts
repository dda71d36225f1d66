import { isDeepStrictEqual } from 'node:util'
import type { Db } from 'mongodb'
import type { DailyStatsByDocument, DailyStatsDocument } from '../../../contracts/views/daily-stats.ts'
import type { Account } from '../domain/accounts.ts'
import { dayOf } from '../domain/day.ts'
import { chunks } from '../shared/slices.ts'
import { hourMs } from '../shared/time.ts'
import { type AccountDay, accountDay, dayId, type StatsView, statsViews, type TimeZoneOf } from '../views/stats-days.ts'
import { rejectAfter, stepMs } from './client.ts'
import { computeDayIn, computedStatistics, isNothing, statistics, statisticsBy } from './stats-compute.ts'
import { dueDays, markDays } from './stats-due.ts'
import type { CollectionOf } from './store.ts'

const daysAtOnce = 50

const is = (type: string, field: string) => ({ $eq: [{ $type: `$${field}` }, type] })

/**
 * The ids of the days to which a field assigns the documents of a collection. MongoDB finds the hours and this process
 * the days, as everywhere else: MongoDB may lack a time zone, or know other rules of it. In an hour with midnight both
 * days are named. One of them may be without a document.
 */
const daysBy = async (
  db: Db,
  collection: string,
  field: string,
  timeZoneOf: TimeZoneOf,
): Promise<ReadonlyArray<string>> => {
  const accounts = await db.collection(collection).distinct('accountId')
  const days = accounts
    .filter((accountId) => typeof accountId === 'string')
    .map(async (accountId) => {
      const found = await db
        .collection(collection)
        .aggregate<{ _id: Date }>([
          { $match: { accountId, $expr: is('date', field) } },
          { $group: { _id: { $dateTrunc: { date: `$${field}`, unit: 'hour' } } } },
        ])
        .toArray()
      const timeZone = timeZoneOf(accountId)
      return found.flatMap(({ _id: hour }) =>
        [hour, new Date(hour.getTime() + hourMs - 1)].map((time) => `${accountId}/${dayOf(time, timeZone)}`),
      )
    })
  return (await Promise.all(days)).flat()
}

/** Every day that has or should have statistics, in order. */
export const allDays = async (
  db: Db,
  timeZoneOf: TimeZoneOf,
  collectionOf: CollectionOf = (view) => view,
): Promise<ReadonlyArray<string>> => {
  const days = new Set<string>()
  for await (const { _id } of statistics(db).find({}, { projection: { _id: 1 } })) days.add(String(_id))
  for await (const { _id } of statisticsBy(db).aggregate<{ _id: AccountDay }>([
    { $match: { accountId: { $type: 'string' }, day: { $type: 'string' } } },
    { $group: { _id: { accountId: '$accountId', day: '$day' } } },
  ]))
    days.add(dayId(_id))
  for (const view of Object.keys(statsViews) as ReadonlyArray<StatsView>)
    for (const field of statsViews[view])
      for (const id of await daysBy(db, collectionOf(view), field, timeZoneOf)) days.add(id)
  return [...days].sort()
}

const isDay = (id: string): boolean => /^[^/]+\/\d{4}-\d{2}-\d{2}$/.test(id)

/**
 * Recomputes days from the live views, in place, in the same way as the refresher. Deletes a day to which no document
 * belongs. Each document is replaced in one step, so readers see the old or the new one.
 */
export const recomputeDays = async (
  db: Db,
  timeZoneOf: TimeZoneOf,
  ids: ReadonlyArray<string>,
  done: (days: number) => void,
): Promise<void> => {
  const compute = (id: string) => computedStatistics(db, id, timeZoneOf)
  for (const some of chunks(ids, daysAtOnce)) {
    const { true: days = [], false: others = [] } = Object.groupBy(some, (id) => `${isDay(id)}` as const)
    await rejectAfter(stepMs, statistics(db).deleteMany({ _id: { $in: others } }))
    await markDays(db, days)
    for (const due of await rejectAfter(
      stepMs,
      dueDays(db)
        .find({ _id: { $in: days } })
        .toArray(),
    ))
      await computeDayIn(db, timeZoneOf, async (id) => {
        const computed = await compute(id)
        if (isNothing(computed)) await rejectAfter(stepMs, statistics(db).deleteOne({ _id: id }))
        return computed
      })(due)
    done(some.length)
  }
}

/** A day with its statistics by agent, widget and bot. */
type WithGroups = DailyStatsDocument & { readonly by: Readonly<Record<string, DailyStatsByDocument>> }

const withGroups = (day: DailyStatsDocument, by: ReadonlyArray<DailyStatsByDocument>): WithGroups => ({
  ...day,
  by: Object.fromEntries(by.map((group) => [`${group.by}/${group.id}`, group])),
})

/** A day's statistics as they are and as they should be (undefined if nothing happened), and whether the day is due. */
export type Day = {
  readonly id: string
  readonly live: WithGroups | undefined
  readonly rebuilt: WithGroups | undefined
  readonly due: boolean
}

/**
 * The day, computed from the given collections or from the live views, as of the time of the live document. Without one
 * any time will do, if it is the same each time the day is read.
 */
export const readDay = async (
  db: Db,
  timeZoneOf: TimeZoneOf,
  id: string,
  collectionOf?: CollectionOf,
): Promise<Day> => {
  const due = (await dueDays(db).findOne({ _id: id })) !== null
  const day = await statistics(db).findOne({ _id: id })
  const by = await statisticsBy(db).find(accountDay(id)).toArray()
  const live = day === null ? undefined : withGroups(day, by)
  if (!isDay(id)) return { id, live, rebuilt: undefined, due }
  const computed = await computedStatistics(db, id, timeZoneOf, live?.asOf ?? new Date(0), collectionOf)
  const rebuilt = withGroups(computed.day, computed.by)
  // Zeros mean the same as no document.
  if (!isNothing(computed)) return { id, live, rebuilt, due }
  return { id, live: isDeepStrictEqual(live, rebuilt) ? undefined : live, rebuilt: undefined, due }
}

type StoredZone = { readonly _id: string; readonly timeZone: string }
type Zoned = Pick<Account, 'id' | 'timeZone'>

const zonesIn = (db: Db) => db.collection<StoredZone>('stats_time_zones')

/** The accounts with days in another time zone than now. Stores the time zone of accounts that have none stored. */
export const timeZonesChanged = async (db: Db, accounts: ReadonlyArray<Zoned>): Promise<ReadonlyArray<string>> => {
  const zones = zonesIn(db)
  const known = new Map((await rejectAfter(stepMs, zones.find().toArray())).map(({ _id, timeZone }) => [_id, timeZone]))
  const added = accounts
    .filter(({ id }) => !known.has(id))
    .map(({ id, timeZone }) => ({
      updateOne: { filter: { _id: id }, update: { $setOnInsert: { timeZone } }, upsert: true },
    }))
  if (added.length > 0) await rejectAfter(stepMs, zones.bulkWrite(added, { ordered: false }))
  return accounts.filter(({ id, timeZone }) => known.has(id) && known.get(id) !== timeZone).map(({ id }) => id)
}

/** Stores each account's present time zone, after all days have been recomputed in it. */
export const noteTimeZones = async (db: Db, timeZoneOf: (accountId: string) => string): Promise<void> => {
  const zones = zonesIn(db)
  const updates = (await rejectAfter(stepMs, zones.find().toArray())).map(({ _id }) => ({
    updateOne: { filter: { _id }, update: { $set: { timeZone: timeZoneOf(_id) } } },
  }))
  if (updates.length > 0) await rejectAfter(stepMs, zones.bulkWrite(updates, { ordered: false }))
}
