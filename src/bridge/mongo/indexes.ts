import { isDeepStrictEqual } from 'node:util'
import { type Db, type IndexDescription, MongoServerError } from 'mongodb'
import { flatViews } from '../views/flat-views.ts'
import { contractOf, viewNames } from '../views/index.ts'
import { type MongoLocation, mongoClient } from './client.ts'
import { ensureConsoleIndexes } from './sign-in-sessions.ts'

const namespaceExists = 48

/** Logs show only the name of an error (classify.ts). */
const nameIsTaken = (name: string): Error => {
  const error = new Error(
    `${name} is a collection that the bridge did not create; the bridge needs this name for a view: rename the collection`,
  )
  error.name = error.message
  return error
}

/**
 * Views of MongoDB itself, one row for each session and each message, for tools that cannot unwind arrays. A view with
 * another definition is dropped and created again: altering a view needs more rights than `readWrite` gives.
 */
export const ensureFlatViews = async (db: Db): Promise<void> => {
  for (const [name, { viewOn, pipeline }] of Object.entries(flatViews)) {
    const [found] = await db.listCollections({ name }, { nameOnly: false }).toArray()
    if (isDeepStrictEqual(found?.options, { viewOn, pipeline })) continue
    if (found !== undefined && found.type !== 'view') throw nameIsTaken(name)
    if (found !== undefined) await db.dropCollection(name)
    await db.createCollection(name, { viewOn, pipeline: [...pipeline] }).catch((error: unknown) => {
      // Another process has created it at the same time.
      if (!(error instanceof MongoServerError) || error.code !== namespaceExists) throw error
    })
  }
}

/** Indexes for the queries of the guides, the console, statistics and operations, nearly always of one account. */
export const indexesOf = (collection: string): IndexDescription[] =>
  contractOf(collection).indexes.map((index) => ({ ...index }))

/** Receipts of erasures are no view: nothing can rebuild them. */
const receiptIndexes: IndexDescription[] = [
  { key: { accountId: 1, requestedAt: 1 } },
  { key: { requestedAt: -1 } },
  { key: { keys: 1 } },
]

/**
 * Creates the missing indexes and the flat views. Resolves when they can be used. Throws if an index exists with other
 * options.
 */
export const ensureIndexes = async (db: Db): Promise<void> => {
  await Promise.all([
    ...viewNames.map((name) => db.collection(name).createIndexes(indexesOf(name))),
    db.collection('erasures').createIndexes(receiptIndexes),
  ])
  await ensureConsoleIndexes(db)
  await ensureFlatViews(db)
}

/** Takes long if there are many documents already: longer than the socket timeout of other clients. */
export const ensureIndexesAt = async (location: MongoLocation): Promise<void> => {
  await using patient = mongoClient(location, { socketTimeoutMS: 0 })
  await ensureIndexes(patient.db(location.database))
}
