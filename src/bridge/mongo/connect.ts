import type { Db, MongoClient, MongoClientOptions } from 'mongodb'
import type { CheckHealth, Health } from '../domain/checks.ts'
import { mongoReasonOf } from './classify.ts'
import { type MongoLocation, mongoClient, rejectAfter } from './client.ts'

/** Calls a module's factory with the database. So no other folder needs the driver. */
export type Query = <Made>(queryIn: (db: Db) => Made) => Made

/** The bridge's connection to MongoDB. Connects at the first use and again after every outage. */
export type MongoConnection = {
  readonly query: Query
  /** The same database through a client of its own with these options. It is closed with the connection. */
  readonly databaseWith: (options: MongoClientOptions) => Db
  readonly health: CheckHealth
  /** Closes all clients. Takes a limited time. */
  readonly stop: () => Promise<void>
}

const answerMs = 1_000
const closeMs = 3_000

/** Whether a primary answers within a second. */
const checkMongo = async (db: Db): Promise<Health> => {
  try {
    await rejectAfter(answerMs, db.command({ ping: 1, maxTimeMS: answerMs }))
    return { ok: true, reason: 'the primary answers' }
  } catch (error) {
    return { ok: false, reason: `MongoDB does not answer: ${mongoReasonOf(error)}` }
  }
}

/** Throws on a malformed URL. */
export const connectMongo = (location: MongoLocation): MongoConnection => {
  const clients: Array<MongoClient> = []
  const databaseWith = (options?: MongoClientOptions) => {
    const client = mongoClient(location, options)
    clients.push(client)
    return client.db(location.database)
  }
  const db = databaseWith()
  return {
    query: (queryIn) => queryIn(db),
    databaseWith,
    health: () => checkMongo(db),
    stop: async () => {
      const closed = Promise.all(clients.map((each) => each.close(true)))
      await rejectAfter(closeMs, closed).catch(() => undefined)
    },
  }
}

/**
 * What the bridge needs of MongoDB and a ping does not show, each with its reason: a replica set, the right to read and
 * to write, and the accounts' time zones. Changes nothing.
 */
export const lacksIn =
  (db: Db) =>
  async (timeZones: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const lacks: string[] = []
    const attempt = async (what: string, work: Promise<unknown>) =>
      rejectAfter(answerMs, work).catch((error: unknown) => lacks.push(`${what}: ${mongoReasonOf(error)}`))
    const { setName } = await rejectAfter(answerMs, db.command({ hello: 1 }))
    if (setName === undefined) lacks.push('it is no replica set: see MONGODB_URL')
    await attempt('reading', db.collection('check_config').findOne({ _id: 'none' as never }))
    await attempt('writing', db.collection('check_config').deleteOne({ _id: 'none' as never }))
    for (const timezone of new Set(timeZones)) {
      const date = { $dateToString: { date: '$$NOW', timezone } }
      await attempt(`time zone ${timezone}`, db.aggregate([{ $documents: [{}] }, { $project: { date } }]).toArray())
    }
    return lacks
  }
