import type { KafkaSettings } from '../kafka/client.ts'
import type { KafkaConfig } from './config.ts'
import type { Settings } from './settings.ts'

/** What the Kafka room is told: where the brokers are, who asks, and how the topics are named and made. */
export const kafkaSettings = (kafka: KafkaConfig, topics: Settings['topics'], clientId: string): KafkaSettings => {
  const { prefix, partitions, replication } = topics
  return { ...kafka, clientId, topicPrefix: prefix, partitions, ...(replication !== undefined && { replication }) }
}
