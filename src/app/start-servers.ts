import * as E from 'fp-ts/lib/Either.js'
import { startEmbedded } from '../tools/embedded/servers.ts'
import type { KafkaConfig, Settings } from './config.ts'
import type { MongoConfig } from './environment.ts'

/** The default ports of Kafka and MongoDB clients. */
const preferredPorts = { kafka: 9092, mongo: 27_017 }

export type Servers = {
  readonly kafka: KafkaConfig
  readonly mongo: MongoConfig
  readonly stop: () => Promise<void>
}

/** The configured servers, and embedded servers for those that are not configured. Left: what the operator must do. */
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
