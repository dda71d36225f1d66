// Without this patch kafkajs would repeat a check every millisecond, with a warning of Node.
import type { IncomingRecord } from '../../src/bridge/domain/log/record.ts'
import '../../src/bridge/kafka/kafkajs-patches/request-queue.ts'
import { randomUUID } from 'node:crypto'
import kafkajs from 'kafkajs'
import type { TopicName } from '../../contracts/topics.ts'
import { toIncoming } from '../../src/bridge/kafka/wire-record.ts'
import { eventually } from './eventually.ts'

/** A record as another team's consumer sees it; `topic` has no prefix. */
export type PlainRecord = {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
}

export const plainClient = (brokers: ReadonlyArray<string>) =>
  new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING })

/** A kafkajs consumer without the bridge's code, but for the patch above. It keeps all records of a prefix's topics, from the start. */
export const plainConsumer = async (brokers: ReadonlyArray<string>, prefix: string) => {
  const records: PlainRecord[] = []
  const consumer = plainClient(brokers).consumer({ groupId: `${prefix}plain`, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics: [new RegExp(`^${prefix.replaceAll('.', '\\.')}`)], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ topic, partition, message: { key, value, headers, offset } }) => {
      records.push({
        topic: topic.slice(prefix.length),
        partition,
        offset: Number(offset),
        key: key?.toString() ?? '',
        value: value ?? Buffer.alloc(0),
        headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, header]) => [name, String(header)])),
      })
    },
  })
  return { records, stop: () => consumer.disconnect() }
}

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

const rangesOf = (brokers: ReadonlyArray<string>, topics: ReadonlyArray<string>) =>
  withAdmin(brokers, async (admin) => {
    const ranges = await Promise.all(
      topics.map(async (topic) => {
        // After a restart, a broker is not yet the leader for a moment.
        const ask = () =>
          admin.fetchTopicOffsets(topic).catch((error) => (error.retriable ? undefined : Promise.reject(error)))
        return (await eventually(`the ends of ${topic}`, ask)).map(({ partition, low, high }) => ({
          name: `${topic}/${partition}`,
          low: Number(low),
          high: Number(high),
        }))
      }),
    )
    return ranges.flat()
  })

/** The end offset of each partition of the topics, by `<topic>/<partition>`. */
export const endsOf = async (brokers: ReadonlyArray<string>, topics: ReadonlyArray<string>) =>
  new Map((await rangesOf(brokers, topics)).map(({ name, high }) => [name, high]))

/** Waits until the group is stable, with this number of members. */
export const groupOf = (brokers: ReadonlyArray<string>, group: string, members: number): Promise<true> =>
  withAdmin(brokers, (admin) =>
    eventually(`group ${group} to be stable, with ${members} members`, async () => {
      const [found] = (await admin.describeGroups([group])).groups
      return found?.state === 'Stable' && found.members.length === members
    }),
  )

/** Waits until the topics have this number of partitions in all, and each partition has a leader. */
export const partitionsOf = (brokers: ReadonlyArray<string>, topics: ReadonlyArray<string>, count: number) =>
  eventually(`${topics} to have ${count} partitions with leaders`, () =>
    endsOf(brokers, topics).then(
      ({ size }) => size === count,
      () => false,
    ),
  )

/**
 * Creates topics, and waits until each of their partitions has a leader. kafkajs's own `waitForLeaders` fails if a
 * broker does not know a new topic yet.
 */
export const createTopics = async (brokers: ReadonlyArray<string>, topics: ReadonlyArray<kafkajs.ITopicConfig>) => {
  await withAdmin(brokers, (admin) => admin.createTopics({ topics: [...topics], waitForLeaders: false }))
  const partitions = topics.reduce((sum, { numPartitions = 1 }) => sum + numPartitions, 0)
  const names = topics.map(({ topic }) => topic)
  await partitionsOf(brokers, names, partitions)
}

/**
 * All records of these topics, in order per partition. If a batch cannot be read, `unread` is the error's name and
 * records are missing.
 */
export const readTopics = async (
  brokers: ReadonlyArray<string>,
  prefix: string,
  wanted: ReadonlyArray<TopicName>,
): Promise<{ readonly records: ReadonlyArray<IncomingRecord>; readonly unread?: string }> => {
  const topics = wanted.map((name) => prefix + name)
  const ranges = await rangesOf(brokers, topics)
  const left = new Map(ranges.filter(({ low, high }) => high > low).map(({ name, high }) => [name, high]))
  const records: IncomingRecord[] = []
  if (left.size === 0) return { records }
  const consumer = plainClient(brokers).consumer({ groupId: `reader-${randomUUID()}`, maxWaitTimeInMs: 100 })
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!payload.restart) resolve(payload.error.name)
  })
  await consumer.connect()
  await consumer.subscribe({ topics, fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      const name = `${batch.topic}/${batch.partition}`
      const topic = batch.topic.slice(prefix.length) as TopicName
      for (const each of batch.messages) records.push(toIncoming(topic, batch.partition, each))
      if (Number(batch.lastOffset()) + 1 >= (left.get(name) ?? 0)) left.delete(name)
      if (left.size === 0) resolve(undefined)
    },
  })
  const unread = await promise
  await consumer.disconnect()
  return { records, ...(unread !== undefined && { unread }) }
}
