import { MongoClient } from 'mongodb'
import type { Bench } from './bench.ts'

/** Reads a database directly, without the bridge. */
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

/** Reads repeatedly from mongod how many updates it has done since now. */
export const countUpdates = async (bench: Bench) => {
  const client = await MongoClient.connect(bench.mongoUrl('admin'))
  const sinceStart = async () => Number((await client.db().command({ serverStatus: 1 })).opcounters.update)
  const before = await sinceStart()
  return { soFar: async () => (await sinceStart()) - before, stop: () => client.close() }
}

/** Reads repeatedly how many requests mongod has answered since now, without these reads. */
export const countRequests = async (bench: Bench) => {
  const client = await MongoClient.connect(bench.mongoUrl('admin'))
  let own = 0
  const sinceStart = async () => {
    own++
    return Number((await client.db().command({ serverStatus: 1 })).network.numRequests) - own
  }
  const before = await sinceStart()
  return { soFar: async () => (await sinceStart()) - before, stop: () => client.close() }
}

/** Reads repeatedly how many entries the timeline has. */
export const countEntries = async (bench: Bench, database: string) => {
  const client = await MongoClient.connect(bench.mongoUrl(database))
  const timeline = client.db().collection('timeline')
  return { soFar: () => timeline.estimatedDocumentCount(), stop: () => client.close() }
}

export const dropDatabase = (bench: Bench, database: string) => withDatabase(bench, database, (db) => db.dropDatabase())
