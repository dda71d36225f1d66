import { randomUUID } from 'node:crypto'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { applyChangesIn } from '../../src/bridge/mongo/apply.ts'
import { connectMongo } from '../../src/bridge/mongo/connect.ts'
import { ensureIndexesAt } from '../../src/bridge/mongo/indexes.ts'
import { readDocumentIn } from '../../src/bridge/mongo/read-views.ts'
import { statsRefresherIn } from '../../src/bridge/mongo/stats-refresher.ts'
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
  const started: Array<() => Promise<void>> = []
  return {
    url: mongoUrl,
    database,
    client,
    db: client.db(database),
    /** Connects one more instance of the bridge to the same database: its connection, and what writes the views. */
    connect: (others: { readonly url?: string; readonly timeZoneOf?: (accountId: string) => string } = {}) => {
      const { url = mongoUrl, timeZoneOf = () => 'UTC' } = others
      const connection = connectMongo({ url, database })
      const clock = () => performance.now()
      const statsRefresher = statsRefresherIn(connection, timeZoneOf, { log: silentLog, sleep, clock })
      const stop = async () => {
        await statsRefresher.stop()
        await connection.stop()
      }
      started.push(stop)
      return {
        ...connection,
        stop,
        applyChanges: applyChangesIn(connection, sleep, timeZoneOf),
        readDocument: connection.query(readDocumentIn),
        statsRefresher,
        ensureIndexes: () => ensureIndexesAt({ url, database }),
      }
    },
    drop: async () => {
      await Promise.all(started.map((stop) => stop()))
      await client.db(database).dropDatabase()
      await client.close()
    },
  }
}
