import { now } from '../domain/clock.ts'
import type { KafkaSettings } from '../kafka/client.ts'
import { connectKafka, type KafkaRoom } from '../kafka/kafka.ts'
import { reasonOf } from '../mongo/classify.ts'
import { connectMongo, type Mongo } from '../mongo/connect.ts'
import { actionRecorder, commandLineUser, type RecordAction } from '../operations/audit.ts'
import { printableLines } from '../shared/printable.ts'
import { monotonic, sleep } from '../shared/time.ts'
import { exitOfWrongConfig, type KafkaConfig, readSettings, type Settings } from './config.ts'
import type { MongoConfig } from './environment.ts'
import { createMetrics } from './metrics.ts'
import { findRunning } from './running.ts'
import { createLog } from './telemetry.ts'

/** The configured broker, or the embedded broker of the bridge that runs on this DATA_DIR. */
export const kafkaOf = ({ kafka, dataDir }: Settings) => {
  if (kafka !== 'embedded') return kafka
  const brokers = findRunning(dataDir)?.brokers
  return brokers && { brokers, ssl: false }
}

export const noMongo = 'No MongoDB is known: start a bridge with npm start, or set MONGODB_URL.'
export const noBroker = 'No bridge runs here with an embedded broker: start one with npm start, or set KAFKA_BROKERS.'

/** The configured MongoDB, or the embedded MongoDB of the bridge that runs on this DATA_DIR. */
export const mongoOf = ({ mongo, dataDir }: Settings) => {
  if (mongo !== 'embedded') return mongo
  const url = findRunning(dataDir)?.mongoUrl
  return url === undefined ? undefined : { url, database: 'livechat' }
}

/** Settings for src/kafka: brokers, client id, and the names and creation settings of topics. */
export const kafkaSettings = (kafka: KafkaConfig, topics: Settings['topics'], clientId: string): KafkaSettings => {
  const { prefix, partitions, replication } = topics
  return { ...kafka, clientId, topicPrefix: prefix, partitions, ...(replication !== undefined && { replication }) }
}

type ConnectedMongo = Mongo & { readonly config: MongoConfig }

/** The configured Kafka and MongoDB, or the embedded ones of the bridge that runs on this DATA_DIR. */
type ConnectedServers = {
  readonly settings: Settings
  readonly kafka: KafkaRoom
  /** Undefined if MongoDB is not configured and no bridge runs it here. */
  readonly mongo: ConnectedMongo | undefined
  readonly recordAction: RecordAction
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}

/** Connects to Kafka for a command. The client id contains the command's name. */
export const kafkaFor = (command: string, kafka: KafkaConfig, { topics }: Settings): KafkaRoom =>
  connectKafka(kafkaSettings(kafka, topics, `livechat-bridge-${command}`), {
    log: createLog('silent'),
    measure: createMetrics().measure,
    now,
  })

/** Runs a command with both servers, then disconnects. Resolves with an exit code, also if `run` throws. */
export const withServers = async (
  command: string,
  run: (servers: ConnectedServers) => Promise<number>,
): Promise<number> => {
  const settings = await readSettings()
  if (settings === undefined) return exitOfWrongConfig
  // Ids, addresses and texts of others are printed too. Escaped control and direction characters do no harm in JSON.
  const out = (line: string) => console.log(printableLines(line))
  const err = (line: string) => console.error(printableLines(line))
  const [kafkaConfig, mongoConfig] = [kafkaOf(settings), mongoOf(settings)]
  if (kafkaConfig === undefined) {
    err(noBroker)
    return 1
  }
  const kafka = kafkaFor(command, kafkaConfig, settings)
  const connectedTo = (config: MongoConfig): ConnectedMongo => ({
    ...connectMongo(config, { log: createLog('silent'), sleep, clock: monotonic }),
    config,
  })
  const mongo = mongoConfig && connectedTo(mongoConfig)
  try {
    const recordAction = actionRecorder(kafka.append, now, commandLineUser())
    return await run({ settings, kafka, mongo, recordAction, out, err })
  } catch (error) {
    err(`The command failed: ${reasonOf(error)}`)
    return 1
  } finally {
    await kafka.stop()
    await mongo?.stop()
  }
}

/** The same for a command that needs MongoDB. */
export const withBothServers = (
  command: string,
  run: (servers: ConnectedServers & { readonly mongo: ConnectedMongo }) => Promise<number>,
): Promise<number> =>
  withServers(command, async ({ mongo, ...servers }) => {
    if (mongo !== undefined) return run({ ...servers, mongo })
    servers.err(noMongo)
    return 1
  })
