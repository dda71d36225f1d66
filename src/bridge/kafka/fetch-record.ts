import type { TopicName } from '../../../contracts/topics.ts'
import type { Ranges } from '../domain/log/positions.ts'
import type { IncomingRecord } from '../domain/log/record.ts'
import { type AskOf, type Cluster, type FetchedMessage, readCommitted } from './admin.ts'
import { kindOf } from './errors.ts'
import { toIncoming } from './wire-record.ts'

/**
 * The record at an offset, or undefined if there is none, for example because it was deleted. Rejects if Kafka does not
 * answer in time.
 */
export type FetchRecord = (topic: TopicName, partition: number, offset: number) => Promise<IncomingRecord | undefined>

/**
 * The next records from an offset on, as many as one answer has. `from` is that offset, or the log's first one if that
 * is later. Rejects if Kafka does not answer in time.
 */
export type FetchFrom = (
  topic: TopicName,
  partition: number,
  offset: number,
) => Promise<{ readonly from: number; readonly records: ReadonlyArray<IncomingRecord> }>

const replicaOfClients = -1

/** A broker returns at least one batch, even if it is larger than `maxBytes`. */
const messagesAt = async (
  cluster: Cluster,
  topic: string,
  partition: number,
  offset: number,
  maxBytes: number,
): Promise<ReadonlyArray<FetchedMessage>> => {
  await cluster.addTargetTopic(topic)
  await cluster.refreshMetadataIfNecessary()
  const led = cluster.findTopicPartitionMetadata(topic).find(({ partitionId }) => partitionId === partition)
  if (led === undefined) return []
  const broker = await cluster.findBroker({ nodeId: led.leader })
  const partitions = [{ maxBytes, partition, fetchOffset: String(offset) }]
  const asked = { maxBytes, replicaId: replicaOfClients, isolationLevel: readCommitted, maxWaitTime: 100 }
  const { responses } = await broker.fetch({ ...asked, topics: [{ topic, partitions }] })
  return responses.flatMap((answer) => answer.partitions.flatMap(({ messages }) => messages))
}

/** The broker's answer to whoever lacks a permission for a topic. */
export const denial = 'TOPIC_AUTHORIZATION_FAILED'

/** Whether the broker denies reading a topic. False if it gives no answer. */
export type IsDenied = (topic: TopicName) => Promise<boolean>

/** Fetches from an offset that no log has, so that the answer has no records. */
export const isDeniedOf =
  (ask: AskOf<Cluster>, prefix: string): IsDenied =>
  async (topic) => {
    const beyondEveryEnd = Number.MAX_SAFE_INTEGER
    const answer = ask((cluster) => messagesAt(cluster, `${prefix}${topic}`, 0, beyondEveryEnd, 1))
    return answer.then(
      () => false,
      (error: unknown) => kindOf(error) === denial,
    )
  }

/** The batch that has the offset, and no more: a megabyte of the log may be a gigabyte once it is decompressed. */
const oneBatch = 1

/** Sends one fetch to the partition's leader. A consumer would first form a group, which takes seconds. */
export const fetchRecordOf =
  (ask: AskOf<Cluster>, prefix: string): FetchRecord =>
  async (topic, partition, offset) => {
    const messages = await ask((cluster) =>
      messagesAt(cluster, `${prefix}${topic}`, partition, offset, oneBatch).catch((error: unknown) => {
        if (kindOf(error) === 'OFFSET_OUT_OF_RANGE') return []
        throw error
      }),
    )
    const found = messages.find((message) => message.offset === String(offset))
    return found && toIncoming(topic, partition, found)
  }

export const fetchFromOf = (ask: AskOf<Cluster>, ranges: Ranges, prefix: string): FetchFrom => {
  const fetch: FetchFrom = async (topic, partition, from) => {
    const messages = await ask((cluster) => messagesAt(cluster, `${prefix}${topic}`, partition, from, 512 * 1024))
    const records = messages.map((message) => toIncoming(topic, partition, message))
    // A batch is sent whole, also if the offset is in its middle.
    return { from, records: records.filter(({ offset }) => offset >= from) }
  }
  return async (topic, partition, offset) => {
    try {
      return await fetch(topic, partition, offset)
    } catch (error) {
      if (kindOf(error) !== 'OFFSET_OUT_OF_RANGE') throw error
      const { low } = (await ranges(topic)).get(partition) ?? { low: 0 }
      // The offset may also be beyond the end: the log has lost its newest records.
      return low > offset ? fetch(topic, partition, low) : { from: offset, records: [] }
    }
  }
}
