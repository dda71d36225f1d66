import type { Collection, Db, Filter } from 'mongodb'
import type { StatsInput } from '../projections/daily-stats.ts'
import { type AccountDay, type StatsView, statsViews, type TalliedView } from '../projections/stats-days.ts'
import type { CollectionOf } from './apply.ts'
import { within } from './client.ts'

type Dated = { readonly accountId: string } & { readonly [field: string]: unknown }

const queryMs = 60_000
/** Few enough that taking them in keeps nothing waiting that shares the thread. */
const documentsAtOnce = 500

/** Instants are text, so those of a day lie between `2026-01-31` and `2026-01-31U`. */
const onDay = ({ accountId, day }: AccountDay, fields: ReadonlyArray<string>): Filter<Dated> => ({
  $or: fields.map((field) => ({ accountId, [field]: { $gte: day, $lt: `${day}U` } })),
})

/** Where a view's documents of the day are. */
type PlaceOf = (view: StatsView) => {
  readonly collection: Collection<Dated>
  readonly filter: Filter<Dated>
}

const placesOf =
  (db: Db, day: AccountDay, collectionOf: CollectionOf): PlaceOf =>
  (view) => ({ collection: db.collection<Dated>(collectionOf(view)), filter: onDay(day, statsViews[view].days) })

const documentsOf = async <V extends Exclude<StatsView, TalliedView>>(
  placeOf: PlaceOf,
  view: V,
): Promise<StatsInput[V]> => {
  const { collection, filter } = placeOf(view)
  const { days, counted } = statsViews[view]
  const fields = Object.fromEntries([...days, ...counted].map((field) => [field, 1]))
  const found = await collection
    .find(filter, { maxTimeMS: queryMs, batchSize: documentsAtOnce })
    .project({ ...fields, _id: 0 })
    .toArray()
  return found as unknown as StatsInput[V]
}

/** Counted where they lie: there may be one for every reply of the day. */
const talliesOf = async <V extends TalliedView>(placeOf: PlaceOf, view: V): Promise<StatsInput[V]> => {
  const { collection, filter } = placeOf(view)
  const alike = Object.fromEntries(statsViews[view].counted.map((field) => [field, `$${field}`]))
  const groups = await collection
    .aggregate<{ _id: object; documents: number }>(
      [{ $match: filter }, { $group: { _id: alike, documents: { $sum: 1 } } }],
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
  const placeOf = placesOf(db, day, collectionOf)
  const [chats, calls, offlineMessages, conversations, deliveries] = await within(
    queryMs,
    Promise.all([
      documentsOf(placeOf, 'chats'),
      talliesOf(placeOf, 'calls'),
      talliesOf(placeOf, 'offline_messages'),
      documentsOf(placeOf, 'conversations'),
      talliesOf(placeOf, 'deliveries'),
    ]),
  )
  return { chats, calls, offline_messages: offlineMessages, conversations, deliveries }
}
