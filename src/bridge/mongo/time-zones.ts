import type { Db } from 'mongodb'
import type { Account } from '../domain/accounts.ts'
import { rejectAfter, stepMs } from './client.ts'

type Document = { readonly _id: string; readonly timeZone: string }
type Zoned = Pick<Account, 'id' | 'timeZone'>

const zonesIn = (db: Db) => db.collection<Document>('stats_time_zones')

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
