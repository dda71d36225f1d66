import type { Db } from 'mongodb'
import type { ViewName } from '../views/index.ts'
import { contractOf, foldedOf, viewNames } from '../views/index.ts'
import { rejectAfter, stepMs } from './client.ts'

type Document = { readonly _id: ViewName; readonly version: number }

/** The version of the fold that made each view's documents. */
export type ViewVersions = {
  /** The views with documents of another version, or of none. A view without documents gets the present version. */
  readonly others: () => Promise<ReadonlyArray<ViewName>>
  /** Records that the documents of these views have the present version from now on. */
  readonly note: (views: ReadonlyArray<ViewName>) => Promise<void>
}

export const viewVersionsIn = (db: Db): ViewVersions => {
  const collection = db.collection<Document>('view_versions', { readConcern: { level: 'majority' } })
  const note = async (views: ReadonlyArray<ViewName>, update: '$set' | '$setOnInsert' = '$set') => {
    const operations = views.map((_id) => ({
      updateOne: { filter: { _id }, update: { [update]: { version: contractOf(_id).version } }, upsert: true },
    }))
    if (operations.length > 0) await rejectAfter(stepMs, collection.bulkWrite(operations, { ordered: false }))
  }
  const otherThanNow = async () => {
    const known = new Map((await rejectAfter(stepMs, collection.find().toArray())).map((it) => [it._id, it.version]))
    return foldedOf(viewNames).filter((view) => known.get(view) !== contractOf(view).version)
  }
  const isEmpty = async (view: ViewName) => (await rejectAfter(stepMs, db.collection(view).findOne({}, {}))) === null
  return {
    others: async () => {
      const others = await otherThanNow()
      const empty = await Promise.all(others.map(async (view) => ((await isEmpty(view)) ? [view] : [])))
      // If two processes of different versions find an empty view at the same time, the first one sets the version.
      await note(empty.flat(), '$setOnInsert')
      return empty.flat().length > 0 ? otherThanNow() : others
    },
    note: (views) => note(views),
  }
}
