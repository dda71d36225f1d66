import { type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { within } from '../shared/timeout.ts'
import { minPoolSizeIn, ownOptionsIn, withoutDecided } from './url-options.ts'

export type MongoLocation = { readonly url: string; readonly database: string }

/**
 * Timeouts for a server that is unavailable or hangs. `timeoutMS` is a no-op in the driver since 7.8 (its own typings
 * say so). So sockets, the queue and write concerns have their own timeouts, and callers add a deadline (`rejectAfter`)
 * for a whole step.
 */
const options: MongoClientOptions = {
  appName: 'livechat-bridge',
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 3_000,
  socketTimeoutMS: 8_000,
  waitQueueTimeoutMS: 3_000,
  heartbeatFrequencyMS: 3_000,
  maxPoolSize: 20,
  retryWrites: true,
  retryReads: true,
  writeConcern: { w: 'majority', wtimeoutMS: 5_000 },
  readPreference: 'primary',
  ignoreUndefined: true,
}

/** The bridge's options, but those that the URL has. A pool has at least as many connections as the URL wants open. */
const optionsFor = (url: string): MongoClientOptions => {
  const ofUrl = new Set(ownOptionsIn(url))
  const maxPoolSize = Math.max(options.maxPoolSize ?? 0, minPoolSizeIn(url))
  return Object.fromEntries(Object.entries({ ...options, maxPoolSize }).filter(([name]) => !ofUrl.has(name)))
}

/** Creates a client. It connects at its first use. Throws on a malformed URL. */
export const mongoClient = ({ url }: MongoLocation, others: MongoClientOptions = {}): MongoClient =>
  new MongoClient(withoutDecided(url), { ...optionsFor(url), ...others })

/** The longest time for one read or write of bounded size. What reads more has a limit of its own. */
export const stepMs = 10_000

/** The promise's outcome, or a rejection after `ms` milliseconds. The operation itself may still complete later. */
export const rejectAfter = <A>(ms: number, promise: Promise<A>): Promise<A> =>
  within(ms, promise, () => Promise.reject(new Error(`MongoDB has not answered within ${ms} ms`)))

/** The time on MongoDB's server, in ms since 1970. */
export const serverTimeOf = async (db: Db): Promise<number> => {
  const { localTime } = await rejectAfter(stepMs, db.command({ hello: 1, maxTimeMS: stepMs }))
  return localTime instanceof Date ? localTime.getTime() : Number.NaN
}
