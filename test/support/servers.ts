import { join } from 'node:path'
import { places } from './engine.ts'
import { startServers } from './start-servers.ts'

export type Servers = { readonly brokers: ReadonlyArray<string>; readonly mongoUrl: string }

/** Tests use the files that `npm start` has fetched. */
export const cacheDir = join(process.env.DATA_DIR ?? '.data', 'cache')

const given = (): Servers | undefined => {
  const { KAFKA_BROKERS: brokers, MONGODB_URL: mongoUrl } = process.env
  return brokers && mongoUrl ? { brokers: brokers.split(','), mongoUrl } : undefined
}

const startPair = async (): Promise<Servers> => {
  const [place = ''] = places
  const say = (line: string) => console.error(line)
  const { brokers = [], mongoUrl = '', stop } = await startServers(place, { cacheDir, kafka: true, mongo: true, say })
  process.once('beforeExit', stop)
  return { brokers, mongoUrl }
}

let pair: Promise<Servers> | undefined

/**
 * A real broker and a real mongod for integration tests. The environment names them (the runner starts one pair for all
 * files), or this process starts its own pair and stops it when it has nothing left to do. Await this at the top of a
 * test file. Files share the servers, so topics, groups and databases need unique names.
 */
export const servers = (): Promise<Servers> => {
  pair ??= Promise.resolve(given() ?? startPair())
  return pair
}

/** The URL of a database on the given server. */
export const databaseUrl = (server: string, database: string): string => {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}
