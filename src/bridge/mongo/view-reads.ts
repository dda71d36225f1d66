import type { Db } from 'mongodb'
import { chunks } from '../shared/slices.ts'
import type { Reads } from '../views/view.ts'
import type { CollectionOf } from './apply.ts'
import { rejectAfter, stepMs } from './client.ts'

const idsAtOnce = 1_000
const options = { maxTimeMS: stepMs, readConcern: { level: 'local' } } as const

/** What views read before their changes are applied, from the live views unless other collections are named. */
export const readsIn = (db: Db, collectionOf: CollectionOf = (view) => view): Reads => ({
  find: async (view, ids, fields) => {
    const projection = Object.fromEntries(['_id', ...fields].map((field) => [field, 1]))
    const found = chunks(ids, idsAtOnce).map((some) => {
      const those = db
        .collection<{ readonly _id: string }>(collectionOf(view))
        .find({ _id: { $in: [...some] } }, { ...options, projection })
      return rejectAfter(stepMs, those.toArray())
    })
    return (await Promise.all(found)).flat()
  },
  countOthers: (view, accountId, id) => {
    const others = { accountId, _id: { $ne: id } }
    const collection = db.collection<{ readonly _id: string }>(collectionOf(view))
    return rejectAfter(stepMs, collection.countDocuments(others, { maxTimeMS: stepMs }))
  },
})
