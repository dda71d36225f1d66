import { MongoClient, type MongoClientOptions } from 'mongodb'

export type MongoLocation = { readonly url: string; readonly database: string }

/**
 * Bounds for a server that is away or hangs. `timeoutMS` is a no-op in the driver since 7.8 (its own typings say so),
 * so sockets, the queue and write concerns have bounds of their own, and callers add a deadline (`within`) for a
 * whole step.
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

/** Makes a client, which connects at its first use. Throws on a malformed URL. */
export const mongoClient = ({ url }: MongoLocation, others: MongoClientOptions = {}): MongoClient =>
  new MongoClient(url, { ...options, ...others })
