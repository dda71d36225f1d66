import { type Db, type IndexDescription, MongoServerError } from 'mongodb'
import type { ViewName } from '../../views/index.ts'
import { indexesOf as ownIndexesOf } from '../indexes.ts'

/** The collection of a view's rebuilt documents. Each process that works on a rebuild writes into its own. */
export const rebuiltName = (view: string, writer: string): string => `${view}__rebuild_${writer}`

/** The name of this collection while it is ready for the swap. No process ever writes under this name. */
export const swapName = (view: string, writer: string): string => `${view}__swap_${writer}`

/** The writer of a collection that exists for a rebuild; undefined for every other collection. */
export const writerOf = (name: string): string | undefined => /^[a-z_]+__(?:rebuild|swap)_([0-9a-z]+)$/.exec(name)?.[1]

const namespaceNotFound = 26

const unlessMissing = async <A>(promise: Promise<A>, missing: A): Promise<A> => {
  try {
    return await promise
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return missing
    throw error
  }
}

/**
 * Renames a collection in one step for its readers. Replaces one with the new name. False if there is none to rename.
 */
export const rename = (db: Db, from: string, to: string): Promise<boolean> => {
  const [source, target] = [from, to].map((name) => `${db.databaseName}.${name}`)
  const writeConcern = { w: 'majority', wtimeout: 10_000 }
  return unlessMissing(
    db
      .admin()
      .command({ renameCollection: source, to: target, dropTarget: true, writeConcern })
      .then(() => true),
    false,
  )
}

export const namesIn = async (db: Db): Promise<ReadonlySet<string>> =>
  new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name))

const keyOf = ({ key }: Pick<IndexDescription, 'key'>) => JSON.stringify(key)

/** The view's own indexes, and those that were added to the live collection by hand. */
const indexesOf = async (db: Db, view: ViewName): Promise<ReadonlyArray<IndexDescription>> => {
  const own = ownIndexesOf(view)
  const known = new Set([...own.map(keyOf), keyOf({ key: { _id: 1 } })])
  const live = await unlessMissing(db.collection(view).indexes(), [])
  const others = live.filter((index) => !known.has(keyOf(index))).map(({ v, ...description }) => description)
  return [...own, ...others]
}

/** Creates the missing collections that a rebuild writes into, and all their indexes. */
export const makeRebuilt = async (db: Db, views: ReadonlyArray<ViewName>, writer: string): Promise<void> => {
  const present = await namesIn(db)
  for (const view of views) {
    const name = rebuiltName(view, writer)
    if (!present.has(name)) await db.createCollection(name)
    await db.collection(name).createIndexes([...(await indexesOf(db, view))])
  }
}

/** Adds the documents of the live view that the rebuilt one lacks. */
export const keepOthers = async (db: Db, view: ViewName, writer: string): Promise<void> => {
  const stages = [{ $merge: { into: rebuiltName(view, writer), whenMatched: 'keepExisting' } }]
  await db.collection(view).aggregate(stages).toArray()
}

/** The collections that exist for rebuilds. */
export const leftIn = async (db: Db): Promise<ReadonlyArray<string>> =>
  [...(await namesIn(db))].filter((name) => writerOf(name) !== undefined)

/** Drops those of the collections that exist. */
export const dropAll = async (db: Db, names: Iterable<string>): Promise<void> => {
  const present = await namesIn(db)
  for (const name of names) if (present.has(name)) await db.collection(name).drop()
}

/** The number of documents in the live view and in the rebuilt one. */
export const countBoth = async (db: Db, view: ViewName, writer: string) => {
  const [live, rebuilt] = await Promise.all(
    [view, rebuiltName(view, writer)].map((name) => db.collection(name).countDocuments()),
  )
  return { live: live ?? 0, rebuilt: rebuilt ?? 0 }
}

/** A document of any view. It may have been changed by hand. */
export type Fields = Readonly<Record<string, unknown>>

/** The live and the rebuilt document of one id. At least one of them exists, or existed. */
type Pair = { readonly id: string; readonly live: Fields | undefined; readonly rebuilt: Fields | undefined }

/** Reads the live and the rebuilt documents of some ids. */
export type ReadPairs = () => Promise<ReadonlyArray<Pair>>

/** A damaged document may have an id of any type. Queries use the id unchanged, and results name it by its text. */
type Stored = Fields & { readonly _id: string }

const idsAtOnce = 300
const queryMs = 60_000

const idsIn = async function* (db: Db, collection: string): AsyncGenerator<ReadonlyArray<string>> {
  let ids: Array<string> = []
  const cursor = db
    .collection<Stored>(collection)
    .find({}, { projection: { _id: 1 }, sort: { _id: 1 }, batchSize: 5_000 })
  for await (const { _id } of cursor) {
    ids.push(_id)
    if (ids.length < idsAtOnce) continue
    yield ids
    ids = []
  }
  if (ids.length > 0) yield ids
}

const readOf = async (db: Db, collection: string, ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, Fields>> => {
  const found = await db
    .collection<Stored>(collection)
    .find({ _id: { $in: [...ids] } }, { maxTimeMS: queryMs })
    .toArray()
  return new Map(found.map((document) => [String(document._id), document]))
}

/** Reads the documents of these ids. */
export const readPairs =
  (db: Db, view: ViewName, writer: string, ids: ReadonlyArray<string>): ReadPairs =>
  async () => {
    const [live, rebuilt] = await Promise.all([readOf(db, view, ids), readOf(db, rebuiltName(view, writer), ids)])
    return ids.map((each) => ({ id: String(each), live: live.get(String(each)), rebuilt: rebuilt.get(String(each)) }))
  }

const readIds = async (db: Db, collection: string, ids: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
  const found = await db
    .collection<Stored>(collection)
    .find({ _id: { $in: [...ids] } }, { projection: { _id: 1 }, maxTimeMS: queryMs })
    .toArray()
  return new Set(found.map(({ _id }) => String(_id)))
}

/** Every document of the live or the rebuilt collection, once. Reads up to 300 at a time. */
export const pairsOf = async function* (db: Db, view: ViewName, writer: string): AsyncGenerator<ReadPairs> {
  for await (const ids of idsIn(db, rebuiltName(view, writer))) yield readPairs(db, view, writer, ids)
  for await (const ids of idsIn(db, view)) {
    const both = await readIds(db, rebuiltName(view, writer), ids)
    const others = ids.filter((each) => !both.has(String(each)))
    if (others.length > 0) yield readPairs(db, view, writer, others)
  }
}
