import { randomUUID } from 'node:crypto'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { connectMongo, type Mongo } from '../../src/bridge/mongo/connect.ts'
import type { Log } from '../../src/bridge/shared/log.ts'
import type { Sleep } from '../../src/bridge/shared/time.ts'
import { servers } from './servers.ts'

export const sleep: Sleep = (ms, signal) => sleepFor(ms, undefined, signal ? { signal } : {}).catch(() => undefined)
const silent = () => {}
export const silentLog: Log = { debug: silent, info: silent, warn: silent, error: silent }

/** A database for one test: `client` and `db` use the driver directly, `connect` uses the bridge's code. */
export const testDatabase = async () => {
  const { mongoUrl } = await servers()
  const database = `test-${randomUUID().slice(0, 8)}`
  const client = new MongoClient(mongoUrl)
  const started: Array<Mongo> = []
  return {
    url: mongoUrl,
    database,
    client,
    db: client.db(database),
    /** Connects one more instance of the bridge to the same database. */
    connect: (others: { readonly url?: string; readonly timeZoneOf?: (accountId: string) => string } = {}): Mongo => {
      const { url = mongoUrl, ...rest } = others
      const mongo = connectMongo({ url, database }, { log: silentLog, sleep, clock: () => performance.now(), ...rest })
      started.push(mongo)
      return mongo
    },
    drop: async () => {
      await Promise.all(started.map(({ stop }) => stop()))
      await client.db(database).dropDatabase()
      await client.close()
    },
  }
}
