import '../../src/kafka/codecs.ts'
import { randomUUID } from 'node:crypto'
import { topics } from '../../contracts/topics.ts'
import type { IncomingRecord } from '../../src/domain/ports.ts'
import { toIncoming } from '../../src/kafka/incoming.ts'
import { withAdmin } from '../faults/read-log.ts'
import { plainClient } from '../support/plain-consumer.ts'

const names = topics.map(({ name }) => name)

/** By the prefix: which of the bridge's topics are on the broker. */
export type Places = ReadonlyMap<string, ReadonlyArray<IncomingRecord['topic']>>

export const placesOn = async (brokers: ReadonlyArray<string>): Promise<Places> => {
  const all = await withAdmin(brokers, (admin) => admin.listTopics())
  const ours = all.flatMap((topic) => {
    const name = names.find((each) => topic.endsWith(`.${each}`))
    return name === undefined ? [] : [{ prefix: topic.slice(0, -name.length), name }]
  })
  const grouped = Map.groupBy(ours, ({ prefix }) => prefix)
  return new Map([...grouped].map(([prefix, found]) => [prefix, found.map(({ name }) => name)]))
}

/** Where each partition ends that has records still. */
const endsOf = (brokers: ReadonlyArray<string>, wanted: ReadonlyArray<string>) =>
  withAdmin(brokers, async (admin) => {
    const offsets = await Promise.all(
      wanted.map(async (topic) =>
        (await admin.fetchTopicOffsets(topic)).flatMap(({ partition, low, high }) =>
          Number(high) > Number(low) ? [[`${topic}/${partition}`, Number(high)] as const] : [],
        ),
      ),
    )
    return new Map<string, number>(offsets.flat())
  })

/** Every record of these topics of a prefix, and why it is not every one, where a batch cannot be read. */
export const readPrefix = async (
  brokers: ReadonlyArray<string>,
  prefix: string,
  wanted: ReadonlyArray<IncomingRecord['topic']>,
): Promise<{ readonly records: ReadonlyArray<IncomingRecord>; readonly unread?: string }> => {
  const full = wanted.map((name) => prefix + name)
  const ends = await endsOf(brokers, full)
  const records: IncomingRecord[] = []
  const left = new Set(ends.keys())
  if (left.size === 0) return { records }
  const consumer = plainClient(brokers).consumer({ groupId: `truth-${randomUUID()}`, maxWaitTimeInMs: 100 })
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  consumer.on(consumer.events.CRASH, ({ payload }) => resolve(payload.error.name))
  await consumer.connect()
  await consumer.subscribe({ topics: full, fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      const name = `${batch.topic}/${batch.partition}`
      const topic = batch.topic.slice(prefix.length) as IncomingRecord['topic']
      for (const each of batch.messages) records.push(toIncoming(topic, batch.partition, each))
      if (Number(batch.lastOffset()) + 1 >= (ends.get(name) ?? 0)) left.delete(name)
      if (left.size === 0) resolve(undefined)
    },
  })
  const unread = await promise
  await consumer.disconnect()
  return { records, ...(unread !== undefined && { unread }) }
}
