import { type Db, type IndexDescription, MongoServerError } from 'mongodb'
import type { ViewName } from '../../../contracts/views.ts'
import { indexes } from '../indexes.ts'
import { isOfRebuild, rebuiltName } from './names.ts'

const namespaceNotFound = 26

const unlessMissing = async <A>(promise: Promise<A>, missing: A): Promise<A> => {
  try {
    return await promise
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return missing
    throw error
  }
}

/** Renames a collection over whatever has that name, in one step for its readers; false where there is none to rename. */
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

/** The view's own indexes, and what others have added to the live collection. */
const indexesOf = async (db: Db, view: ViewName): Promise<ReadonlyArray<IndexDescription>> => {
  const own = indexes[view]
  const known = new Set([...own.map(keyOf), keyOf({ key: { _id: 1 } })])
  const live = await unlessMissing(db.collection(view).indexes(), [])
  const others = live.filter((index) => !known.has(keyOf(index))).map(({ v, ...description }) => description)
  return [...own, ...others]
}

/** Makes the collections that a rebuild writes into, where they are missing, with every index. */
export const makeRebuilt = async (db: Db, views: ReadonlyArray<ViewName>, writer: string): Promise<void> => {
  const present = await namesIn(db)
  for (const view of views) {
    const name = rebuiltName(view, writer)
    if (!present.has(name)) await db.createCollection(name)
    await db.collection(name).createIndexes([...(await indexesOf(db, view))])
  }
}

/** The collections that rebuilds have left. */
export const leftIn = async (db: Db): Promise<ReadonlyArray<string>> => [...(await namesIn(db))].filter(isOfRebuild)

/** Drops those of the collections that are there. */
export const dropAll = async (db: Db, names: Iterable<string>): Promise<void> => {
  const present = await namesIn(db)
  for (const name of names) if (present.has(name)) await db.collection(name).drop()
}

/** How many documents the live view has, and the rebuilt one. */
export const countBoth = async (db: Db, view: ViewName, writer: string) => {
  const [live, rebuilt] = await Promise.all(
    [view, rebuiltName(view, writer)].map((name) => db.collection(name).countDocuments()),
  )
  return { live: live ?? 0, rebuilt: rebuilt ?? 0 }
}
