import type { TopicName } from '../../contracts/topics.ts'
import type { IncomingRecord } from '../domain/ports.ts'
import type { AskOf, Cluster, FetchedMessage } from './admin.ts'
import { toIncoming } from './wire-record.ts'

/** The record at an offset, or undefined if there is none. Rejects if Kafka does not answer in time. */
export type FetchRecord = (topic: TopicName, partition: number, offset: number) => Promise<IncomingRecord | undefined>

/** A broker returns at least one batch, even if it is larger. */
const bytes = { maxBytes: 1024 * 1024 }
const readCommitted = 1
const replicaOfClients = -1

const messagesAt = async (
  cluster: Cluster,
  topic: string,
  partition: number,
  offset: number,
): Promise<ReadonlyArray<FetchedMessage>> => {
  await cluster.addTargetTopic(topic)
  await cluster.refreshMetadataIfNecessary()
  const led = cluster.findTopicPartitionMetadata(topic).find(({ partitionId }) => partitionId === partition)
  if (led === undefined) return []
  const broker = await cluster.findBroker({ nodeId: led.leader })
  const partitions = [{ ...bytes, partition, fetchOffset: String(offset) }]
  const asked = { ...bytes, replicaId: replicaOfClients, isolationLevel: readCommitted, maxWaitTime: 100 }
  const { responses } = await broker.fetch({ ...asked, topics: [{ topic, partitions }] })
  return responses.flatMap((answer) => answer.partitions.flatMap(({ messages }) => messages))
}

/** Sends one fetch to the partition's leader. A consumer would first form a group, which takes seconds. */
export const fetchRecordOf =
  (ask: AskOf<Cluster>, prefix: string): FetchRecord =>
  async (topic, partition, offset) => {
    const messages = await ask((cluster) => messagesAt(cluster, `${prefix}${topic}`, partition, offset))
    const found = messages.find((message) => message.offset === String(offset))
    return found && toIncoming(topic, partition, found)
  }
