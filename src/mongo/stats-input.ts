import type { Db, Filter } from 'mongodb'
import type { StatsInput } from '../projections/daily-stats.ts'
import { type AccountDay, type StatsView, statsViews, type TalliedView } from '../projections/stats-days.ts'
import { within } from './deadline.ts'
import type { CollectionOf } from './groups.ts'

type Dated = { readonly accountId: string } & { readonly [field: string]: unknown }

const queryMs = 60_000
/** Few enough that taking them in keeps nothing waiting that shares the thread. */
const documentsAtOnce = 500

/** Instants are text, so those of a day lie between `2026-01-31` and `2026-01-31U`. */
const onDay = ({ accountId, day }: AccountDay, fields: ReadonlyArray<string>): Filter<Dated> => ({
  $or: fields.map((field) => ({ accountId, [field]: { $gte: day, $lt: `${day}U` } })),
})

const documentsOf = async <V extends Exclude<StatsView, TalliedView>>(
  db: Db,
  view: V,
  day: AccountDay,
  collectionOf: CollectionOf,
): Promise<StatsInput[V]> => {
  const { days, counted } = statsViews[view]
  const fields = Object.fromEntries([...days, ...counted].map((field) => [field, 1]))
  const found = await db
    .collection<Dated>(collectionOf(view))
    .find(onDay(day, days), { maxTimeMS: queryMs, batchSize: documentsAtOnce })
    .project({ ...fields, _id: 0 })
    .toArray()
  return found as unknown as StatsInput[V]
}

/** Counted where they lie: there may be one for every reply of the day. */
const talliesOf = async <V extends TalliedView>(
  db: Db,
  view: V,
  day: AccountDay,
  collectionOf: CollectionOf,
): Promise<StatsInput[V]> => {
  const { days, counted } = statsViews[view]
  const alike = Object.fromEntries(counted.map((field) => [field, `$${field}`]))
  const groups = await db
    .collection<Dated>(collectionOf(view))
    .aggregate<{ _id: object; documents: number }>(
      [{ $match: onDay(day, days) }, { $group: { _id: alike, documents: { $sum: 1 } } }],
      { maxTimeMS: queryMs },
    )
    .toArray()
  return groups.map(({ _id, documents }) => ({ ..._id, documents })) as unknown as StatsInput[V]
}

/** What the documents of a day say, with no more fields than are counted; of the live views unless others are named. */
export const readStatsInput = async (
  db: Db,
  day: AccountDay,
  collectionOf: CollectionOf = (view) => view,
): Promise<StatsInput> => {
  const [chats, calls, offlineMessages, conversations, deliveries] = await within(
    queryMs,
    Promise.all([
      documentsOf(db, 'chats', day, collectionOf),
      talliesOf(db, 'calls', day, collectionOf),
      talliesOf(db, 'offline_messages', day, collectionOf),
      documentsOf(db, 'conversations', day, collectionOf),
      talliesOf(db, 'deliveries', day, collectionOf),
    ]),
  )
  return { chats, calls, offline_messages: offlineMessages, conversations, deliveries }
}
