import type { Db } from 'mongodb'
import type { ViewName } from '../views/index.ts'
import { contractOf, foldedOf, viewNames } from '../views/index.ts'
import { rejectAfter, stepMs } from './client.ts'

type Document = { readonly _id: ViewName; readonly version: number }

/** The version of the fold that made each view's documents. */
export type ViewVersions = {
  /**
   * The views that lack what the present version makes of the log: of another version, or added to the bridge later. In
   * a new store, the views without documents get the present version.
   */
  readonly others: () => Promise<ReadonlyArray<ViewName>>
  /** Records that the documents of these views have the present version from now on. */
  readonly note: (views: ReadonlyArray<ViewName>) => Promise<void>
}

/** A view without a version is one of them, even if it is empty: it was added later, and its history is in the log. */
export const othersThanNow = (known: ReadonlyMap<ViewName, number>): ReadonlyArray<ViewName> =>
  foldedOf(viewNames).filter((view) => known.get(view) !== contractOf(view).version)

export const viewVersionsIn = (db: Db): ViewVersions => {
  const collection = db.collection<Document>('view_versions', { readConcern: { level: 'majority' } })
  const note = async (views: ReadonlyArray<ViewName>, update: '$set' | '$setOnInsert' = '$set') => {
    const operations = views.map((_id) => ({
      updateOne: { filter: { _id }, update: { [update]: { version: contractOf(_id).version } }, upsert: true },
    }))
    if (operations.length > 0) await rejectAfter(stepMs, collection.bulkWrite(operations, { ordered: false }))
  }
  const read = async () =>
    new Map((await rejectAfter(stepMs, collection.find().toArray())).map((it) => [it._id, it.version]))
  const isEmpty = async (view: ViewName) => (await rejectAfter(stepMs, db.collection(view).findOne({}, {}))) === null
  return {
    others: async () => {
      const known = await read()
      const others = othersThanNow(known)
      if (known.size > 0) return others
      const empty = await Promise.all(others.map(async (view) => ((await isEmpty(view)) ? [view] : [])))
      // If two processes of different versions find a new store at the same time, the first one sets the versions.
      await note(empty.flat(), '$setOnInsert')
      return othersThanNow(await read())
    },
    note: (views) => note(views),
  }
}
