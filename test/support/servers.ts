import { join } from 'node:path'
import { places } from './engine.ts'
import { startServers } from './start-servers.ts'

export type Servers = { readonly brokers: ReadonlyArray<string>; readonly mongoUrl: string }

/** What `npm start` has fetched serves the tests as well. */
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
 * A real broker and a real mongod for integration tests: those that the environment names (the runner starts one pair
 * for all files), or else a pair of this process's own, which ends once nothing else is left to do. To be awaited at
 * the top of a test file; topics, groups and databases have to be named so that files do not meet.
 */
export const servers = (): Promise<Servers> => {
  pair ??= Promise.resolve(given() ?? startPair())
  return pair
}

/** The URL of a database on the server of this URL. */
export const databaseUrl = (server: string, database: string): string => {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}
