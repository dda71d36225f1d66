import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/ports.ts'
import { startEmbedded } from '../embedded/servers.ts'
import { attempt, makePrivateFolder } from '../journal/files.ts'
import type { KafkaConfig } from './config.ts'
import type { MongoConfig } from './environment.ts'
import type { Settings } from './settings.ts'

/** The ports that every client of Kafka and MongoDB tries first. */
const preferredPorts = { kafka: 9092, mongo: 27_017 }

export type Servers = {
  readonly kafka: KafkaConfig
  readonly mongo: MongoConfig
  readonly stop: () => Promise<void>
}

/** Makes DATA_DIR, or closes it to other users: it holds tokens, events and databases. Left: what to do about it. */
export const closedDataDir = async (dataDir: string): Promise<E.Either<string, void>> =>
  E.mapLeft(({ reason }: Failure) => `${reason}. Set DATA_DIR to a folder that this user may write.`)(
    await attempt(`DATA_DIR ${dataDir} cannot be made or closed to other users`, () => makePrivateFolder(dataDir)),
  )

/** The servers that the configuration names, and embedded ones for those that it does not. Left: what to do about it. */
export const serversFor = async (
  settings: Settings,
  say: (line: string) => void,
): Promise<E.Either<string, Servers>> => {
  const { kafka, mongo, dataDir, mongodBinary } = settings
  const embedded = await startEmbedded({
    dataDir,
    kafka: kafka === 'embedded',
    mongo: mongo === 'embedded',
    say,
    preferredPorts,
    ...(mongodBinary !== undefined && { mongodBinary }),
  })
  if (E.isLeft(embedded)) return E.left(embedded.left.message)
  const { brokers = [], mongoUrl = '', stop } = embedded.right
  return E.right({
    kafka: kafka === 'embedded' ? { brokers, ssl: false } : kafka,
    mongo: mongo === 'embedded' ? { url: mongoUrl, database: 'livechat' } : mongo,
    stop,
  })
}
