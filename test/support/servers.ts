import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { startEmbedded } from '../../src/embedded/servers.ts'

export type Servers = { readonly brokers: ReadonlyArray<string>; readonly mongoUrl: string }

/** What `npm start` has fetched serves the tests as well. */
export const cacheDir = join(process.env.DATA_DIR ?? '.data', 'cache')

const given = (): Servers | undefined => {
  const { KAFKA_BROKERS: brokers, MONGODB_URL: mongoUrl } = process.env
  return brokers && mongoUrl ? { brokers: brokers.split(','), mongoUrl } : undefined
}

const startPair = async (): Promise<Servers> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'livechat-servers-'))
  const mongodBinary = process.env.MONGOD_BINARY
  const started = await startEmbedded({
    dataDir,
    cacheDir,
    kafka: true,
    mongo: true,
    say: (line) => console.error(line),
    ...(mongodBinary !== undefined && { mongodBinary }),
  })
  if (E.isLeft(started)) throw new Error(started.left.message)
  const { brokers = [], mongoUrl = '', stop } = started.right
  process.once('beforeExit', () => stop().then(() => rm(dataDir, { recursive: true })))
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
