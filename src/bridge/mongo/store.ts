import { isDeepStrictEqual } from 'node:util'
import { type AnyBulkWriteOperation, type Db, MongoServerError } from 'mongodb'
import { tracingWrite } from '../adapters/tracing.ts'
import { chunks } from '../shared/slices.ts'
import type { Reads } from '../views/view.ts'
import { isOvertaken } from './classify.ts'
import { rejectAfter, stepMs } from './client.ts'
import { numberTypesOf } from './number-types.ts'

/** The fields of every document here. A document that is written once has no `applied`. */
export type Stored = {
  readonly _id: string
  readonly latestOf?: string
  readonly applied?: Readonly<Record<string, number>>
}

/** The name of the collection that has a view's documents. */
export type CollectionOf = (view: string) => string

/** A document as it was read, and as it is to be written. */
export type Write<D> = { readonly before: D | undefined; readonly after: D }

/** The existing documents of these ids. With `latestOf`, the newest documents of these chains, by the chains' names. */
export type ReadPresent<D> = (
  collection: string,
  ids: ReadonlyArray<string>,
  by?: '_id' | 'latestOf',
) => Promise<ReadonlyMap<string, D>>

/** Writes documents if they are unchanged since they were read. `overtaken` if another writer was faster. */
export type WriteIfUnchanged<D> = (
  collection: string,
  writes: ReadonlyArray<Write<D>>,
  which?: 'each' | 'all or none',
) => Promise<'written' | 'overtaken'>

/**
 * Documents to fold and write again are read at `majority`. A document that only the primary has may be lost in a
 * failover, so it must not count as done. A read may return an older state. Then the write is `overtaken`.
 */
export const readPresent =
  <D extends Stored>(db: Db, level: 'local' | 'majority'): ReadPresent<D> =>
  async (collection, ids, by = '_id') => {
    const found = await rejectAfter(
      stepMs,
      db
        .collection<Stored>(collection)
        .find({ [by]: { $in: [...ids] } }, { maxTimeMS: stepMs, readConcern: { level } })
        .toArray(),
    )
    return new Map(found.map((document) => [document[by] ?? document._id, document as unknown as D]))
  }

/** The ids of the documents that have these fields. */
export type IdsWhere = (collection: string, where: Readonly<Record<string, string>>) => Promise<ReadonlyArray<string>>

/**
 * Reads at `local`: a newly elected primary has all that a majority has acknowledged, but reads at `majority` may not
 * show it yet.
 */
export const idsWhere =
  (db: Db): IdsWhere =>
  async (collection, where) => {
    const options = { maxTimeMS: stepMs, readConcern: { level: 'local' }, projection: { _id: 1 } } as const
    const found = await rejectAfter(stepMs, db.collection<Stored>(collection).find(where, options).toArray())
    return found.map(({ _id }) => _id)
  }

const idsAtOnce = 1_000

/** What views read before their changes are applied, from the live views unless other collections are named. */
export const readsIn = (db: Db, collectionOf: CollectionOf = (view) => view): Reads => {
  const options = { maxTimeMS: stepMs, readConcern: { level: 'local' } } as const
  return {
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
  }
}

/** The names of its fields in their order. MongoDB always stores `_id` first. */
const fieldsOf = (document: object): string =>
  Object.keys(document)
    .filter((name) => name !== '_id')
    .join()

const operationsOn = (collection: string) => {
  const encoded = numberTypesOf(collection)
  return ({ before, after }: Write<Stored>): AnyBulkWriteOperation<Stored> => {
    if (before === undefined) return { insertOne: { document: encoded(after) } }
    const { _id, applied = { $exists: false } } = before
    const filter = { _id, applied }
    // A new field would come last, and a rebuild has it in another place.
    if (fieldsOf(after) !== fieldsOf(before)) return { replaceOne: { filter, replacement: encoded(after) } }
    // MongoDB leaves indexes of other fields alone, and its oplog gets no copy of the document.
    const isChanged = (name: string) => !isDeepStrictEqual(Reflect.get(after, name), Reflect.get(before, name))
    const changed = Object.entries(after).filter(([name]) => isChanged(name))
    return { updateOne: { filter, update: { $set: encoded(Object.fromEntries(changed)) } } }
  }
}

const each = async <D extends Stored>(db: Db, collection: string, writes: ReadonlyArray<Write<D>>): Promise<number> => {
  const { insertedCount, matchedCount } = await db
    .collection<Stored>(collection)
    .bulkWrite(writes.map(operationsOn(collection)), { ordered: false })
  return insertedCount + matchedCount
}

/** Writes in one transaction. Returns 0 if it has no effect. */
const allOrNone = async <D extends Stored>(db: Db, collection: string, writes: ReadonlyArray<Write<D>>) => {
  await using session = db.client.startSession()
  session.startTransaction()
  const { insertedCount, matchedCount } = await db
    .collection<Stored>(collection)
    .bulkWrite(writes.map(operationsOn(collection)), { session })
  if (insertedCount + matchedCount < writes.length) return 0
  await session.commitTransaction()
  return writes.length
}

const writeConflict = 112
const isWriteConflict = (error: unknown): boolean => error instanceof MongoServerError && error.code === writeConflict

/**
 * One bulk write, acknowledged by a majority. The filter has `applied` as it was read. It may be missing, as in a
 * document made by hand. Every change of a document changes `applied`, so the write of a stale reader matches nothing.
 * This holds for a chain too: the step to its next document changes `applied` of both. A write concern error throws:
 * the write does not count as done and is retried.
 */
export const writeIfUnchanged =
  <D extends Stored>(db: Db): WriteIfUnchanged<D> =>
  async (collection, writes, which = 'each') => {
    if (writes.length === 0) return 'written'
    try {
      const write = which === 'each' ? each : allOrNone
      const written = tracingWrite(collection, writes.length, () => rejectAfter(stepMs, write(db, collection, writes)))
      return (await written) === writes.length ? 'written' : 'overtaken'
    } catch (error) {
      if (isOvertaken(error) || isWriteConflict(error)) return 'overtaken'
      throw error
    }
  }
