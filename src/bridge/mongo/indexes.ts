import type { Db, IndexDescription } from 'mongodb'
import { contractOf, viewNames } from '../views/index.ts'
import { type MongoLocation, mongoClient } from './client.ts'
import { ensureConsoleIndexes } from './console-sessions.ts'
import { ensureFlatViews } from './flat-views.ts'

/**
 * Indexes for the queries of analysts, always of one account: by time, agent, widget, state, phone, email. Also for the
 * queries that compute statistics.
 */
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
