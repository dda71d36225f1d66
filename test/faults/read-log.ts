import '../../src/kafka/kafkajs-patches/batch-decoder.ts'
import '../../src/kafka/kafkajs-patches/request-queue.ts'
import { randomUUID } from 'node:crypto'
import type { TopicName } from '../../contracts/topics.ts'
import type { IncomingRecord } from '../../src/domain/ports.ts'
import { toIncoming } from '../../src/kafka/incoming.ts'
import { plainClient } from '../support/plain-consumer.ts'
import type { LogRecord } from './history.ts'
import { seqOf } from './traffic.ts'

type Client = ReturnType<typeof plainClient>

export const withAdmin = async <A>(
  brokers: ReadonlyArray<string>,
  ask: (admin: ReturnType<Client['admin']>) => Promise<A>,
): Promise<A> => {
  const admin = plainClient(brokers).admin()
  await admin.connect()
  try {
    return await ask(admin)
  } finally {
    await admin.disconnect()
  }
}

/** Where each partition of a topic ends. */
export const endsOf = (brokers: ReadonlyArray<string>, topics: ReadonlyArray<string>) =>
  withAdmin(brokers, async (admin) => {
    const ends = await Promise.all(
      topics.map(async (topic) =>
        (await admin.fetchTopicOffsets(topic)).map(
          ({ partition, high }) => [`${topic}/${partition}` as string, Number(high)] as const,
        ),
      ),
    )
    return new Map(ends.flat())
  })

/** Every record of the topics, in the order of each partition, by a consumer that has no code of ours. */
export const readLog = async (
  brokers: ReadonlyArray<string>,
  prefix: string,
  topics: ReadonlyArray<TopicName>,
): Promise<ReadonlyArray<IncomingRecord>> => {
  const ends = await endsOf(
    brokers,
    topics.map((topic) => prefix + topic),
  )
  const missing = new Set<string>([...ends].filter(([, end]) => end > 0).map(([name]) => name))
  const records: IncomingRecord[] = []
  if (missing.size === 0) return records
  const consumer = plainClient(brokers).consumer({ groupId: `checker-${randomUUID()}`, maxWaitTimeInMs: 100 })
  const { promise, resolve } = Promise.withResolvers<void>()
  await consumer.connect()
  await consumer.subscribe({ topics: topics.map((topic) => prefix + topic), fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch: { topic, partition, messages } }) => {
      const name = `${topic}/${partition}`
      for (const each of messages) records.push(toIncoming(topic.slice(prefix.length) as TopicName, partition, each))
      if (Number(messages.at(-1)?.offset) + 1 >= (ends.get(name) ?? 0)) missing.delete(name)
      if (missing.size === 0) resolve()
    },
  })
  await promise
  await consumer.disconnect()
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

/** What the checker wants to know of a record. */
export const toLogRecord = ({ topic, partition, offset, key, value, headers }: IncomingRecord): LogRecord => ({
  ...{ chat: `${topic} ${key}`, seq: seqOf(value), partition, offset, id: `${headers.ce_source} ${headers.ce_id}` },
})
