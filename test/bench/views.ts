import { MongoClient } from 'mongodb'
import type { Bench } from './bench.ts'

/** The bench's own look at a database, past the bridge. */
export const withDatabase = async <A>(
  bench: Bench,
  database: string,
  ask: (db: ReturnType<MongoClient['db']>) => Promise<A>,
): Promise<A> => {
  await using client = await MongoClient.connect(bench.mongoUrl(database))
  return await ask(client.db())
}

/** The sum of a number over all documents of a collection. */
export const sumOf = async (bench: Bench, database: string, collection: string, field: string): Promise<number> =>
  withDatabase(bench, database, async (db) => {
    const sum = [{ $group: { _id: null, sum: { $sum: `$${field}` } } }]
    const [found] = await db.collection(collection).aggregate<{ readonly sum: number }>(sum).toArray()
    return found?.sum ?? 0
  })

export const countOf = (bench: Bench, database: string, collection: string): Promise<number> =>
  withDatabase(bench, database, (db) => db.collection(collection).countDocuments({}))

/** How many updates mongod has done in its life. */
export const updatesSoFar = (bench: Bench): Promise<number> =>
  withDatabase(bench, 'admin', async (db) => Number((await db.command({ serverStatus: 1 })).opcounters.update))

export const dropDatabase = (bench: Bench, database: string) => withDatabase(bench, database, (db) => db.dropDatabase())
