import { now } from '../bridge/domain/clock.ts'
import type { KafkaSettings } from '../bridge/kafka/client.ts'
import { connectKafka, type KafkaPorts } from '../bridge/kafka/kafka.ts'
import type { KafkaConfig, ProxyConfig, Settings } from './config.ts'
import { createMetrics } from './metrics.ts'
import { findRunning } from './running.ts'
import { createLog } from './telemetry.ts'

/** The configured broker, or the embedded broker of the bridge that runs on this DATA_DIR. */
export const kafkaOf = ({ kafka, dataDir }: Settings) => {
  if (kafka !== 'embedded') return kafka
  const brokers = findRunning(dataDir, (running) => running.brokers !== undefined)?.brokers
  return brokers && { brokers, ssl: false }
}

export const noMongo = 'No MongoDB is known: start a bridge with npm start, or set MONGODB_URL.'
export const noBroker = 'No bridge runs here with an embedded broker: start one with npm start, or set KAFKA_BROKERS.'

/** The configured MongoDB, or the embedded MongoDB of the bridge that runs on this DATA_DIR. */
export const mongoOf = ({ mongo, dataDir }: Settings) => {
  if (mongo !== 'embedded') return mongo
  const url = findRunning(dataDir, ({ mongoUrl }) => mongoUrl !== undefined)?.mongoUrl
  return url === undefined ? undefined : { url, database: 'livechat' }
}

/** Settings for src/bridge/kafka: brokers, client id, and the names and creation settings of topics. */
export const kafkaSettings = (kafka: KafkaConfig, topics: Settings['topics'], clientId: string): KafkaSettings => {
  const { prefix, partitions, replication } = topics
  return { ...kafka, clientId, topicPrefix: prefix, partitions, ...(replication !== undefined && { replication }) }
}

/** Connects to Kafka for a command. The client id contains the command's name. */
export const kafkaFor = (command: string, kafka: KafkaConfig, { topics }: Settings): KafkaPorts =>
  connectKafka(kafkaSettings(kafka, topics, `livechat-bridge-${command}`), {
    log: createLog('silent'),
    measure: createMetrics().measure,
    now,
  })

/**
 * Lets what this process calls over HTTPS go through the proxy: replies to the service, the identity provider, tokens
 * for Kafka. What it calls over HTTP is on this machine or in its own network.
 */
export const useProxy = async (proxy: ProxyConfig | undefined): Promise<void> => {
  if (proxy === undefined) return
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici')
  setGlobalDispatcher(new EnvHttpProxyAgent({ httpProxy: '', httpsProxy: proxy.url, noProxy: proxy.without }))
}
