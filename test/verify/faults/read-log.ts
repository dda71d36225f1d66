import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import '../../../src/bridge/kafka/kafkajs-patches/batch-decoder.ts'
import '../../../src/bridge/kafka/kafkajs-patches/request-queue.ts'
import type { TopicName } from '../../../contracts/topics.ts'
import { plainClient, readTopics } from '../../support/plain-consumer.ts'
import type { LogRecord } from './history.ts'
import { seqOf } from './traffic.ts'

/** Every record of the topics, in the order of each partition. */
export const readLog = async (
  brokers: ReadonlyArray<string>,
  prefix: string,
  topics: ReadonlyArray<TopicName>,
): Promise<ReadonlyArray<IncomingRecord>> => {
  const { records, unread } = await readTopics(brokers, prefix, topics)
  if (unread !== undefined) throw new Error(`the log cannot be read: ${unread}`)
  return records
}

type Offset = { readonly topic: string; readonly partition: number; readonly offset: string }

/** Commits as the only member of a group: kafkajs's `setOffsets` takes five seconds for each topic. */
export const commitAs = async (brokers: ReadonlyArray<string>, groupId: string, offsets: ReadonlyArray<Offset>) => {
  const consumer = plainClient(brokers).consumer({ groupId, maxWaitTimeInMs: 100 })
  const { promise: joined, resolve } = Promise.withResolvers<void>()
  consumer.on(consumer.events.GROUP_JOIN, () => resolve())
  await consumer.connect()
  await consumer.subscribe({ topics: [...new Set(offsets.map(({ topic }) => topic))] })
  await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: async () => {} })
  await joined
  await consumer.commitOffsets([...offsets])
  await consumer.disconnect()
}

/** The parts of a record that the checker needs. */
export const toLogRecord = ({ topic, partition, offset, key, value, headers }: IncomingRecord): LogRecord => ({
  chat: `${topic} ${key}`,
  seq: seqOf(value),
  partition,
  offset,
  id: `${headers.ce_source} ${headers.ce_id}`,
})
