import type { TopicName } from '../../contracts/topics.ts'
import type { CommittedOffsets, EndOffsets } from '../domain/ports.ts'
import { singleFlight } from '../shared/single-flight.ts'
import { monotonic, sleep } from '../shared/time.ts'
import type { Ask, AskOf, Cluster } from './admin.ts'
import { kindOf } from './errors.ts'

/** The first offset that a partition still has, and the one that its next record will get. */
export type Range = { readonly low: number; readonly high: number }
export type Ranges = (topic: TopicName) => Promise<ReadonlyMap<number, Range>>

// A new topic's leader, and one that has just moved, does not know of it yet.
const soon = new Set(['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE', 'UNKNOWN_TOPIC_OR_PARTITION'])
const isSoonOver = (error: unknown) => soon.has(kindOf(error))
const tries = 5
const againAfterMs = 100

const persistently = async <A>(question: () => Promise<A>, passes: (error: unknown) => boolean): Promise<A> => {
  for (let left = tries - 1; ; left--) {
    try {
      return await question()
    } catch (error) {
      if (left === 0 || !passes(error)) throw error
      await sleep(againAfterMs)
    }
  }
}

export const rangesOf = (ask: Ask, prefix: string): Ranges =>
  singleFlight(async (topic: TopicName) => {
    const partitions = await persistently(
      () => ask((admin) => admin.fetchTopicOffsets(`${prefix}${topic}`)),
      isSoonOver,
    )
    return new Map(partitions.map(({ partition, low, high }) => [partition, { low: Number(low), high: Number(high) }]))
  })

/** Deletes a group without members; one that does not exist, or is in use, stays as it is. */
export const forgetGroupOf =
  (ask: Ask, groupPrefix: string) =>
  async (group: string): Promise<void> => {
    await ask((admin) => admin.deleteGroups([`${groupPrefix}${group}`])).catch(() => undefined)
  }

/** Where the log of each partition ends, by one question to each broker; kafkajs's admin client asks three, one after another. */
const endsOf = async (cluster: Cluster, topic: string): Promise<ReadonlyMap<number, number>> => {
  await cluster.addTargetTopic(topic)
  await cluster.refreshMetadataIfNecessary()
  const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ partition: partitionId }))
  const [answer] = await cluster.fetchTopicsOffset([{ topic, fromBeginning: false, partitions }])
  return new Map(answer?.partitions.map(({ partition, offset }) => [partition, Number(offset)]))
}

/** Egress asks hundreds of times a second. An answer is never older than its question. */
export const endOffsetsOf = (ask: AskOf<Cluster>, prefix: string): EndOffsets =>
  singleFlight((topic) =>
    // Each try has a new connection, which knows of leaders that have moved.
    persistently(
      () => ask((cluster) => endsOf(cluster, `${prefix}${topic}`)),
      () => true,
    ),
  )

/** The first offset of each partition with a record from this time on, in milliseconds since 1970, or its end where there is none. */
export const offsetsAtOf =
  (ask: Ask, prefix: string) =>
  async (topic: TopicName, time: number): Promise<ReadonlyMap<number, number>> => {
    const found = await ask((admin) => admin.fetchTopicOffsetsByTimestamp(`${prefix}${topic}`, Math.floor(time)))
    return new Map(found.map(({ partition, offset }) => [partition, Number(offset)]))
  }

/** Deletes what stands before these offsets, for good. */
export const deleteBeforeOf =
  (ask: Ask, prefix: string) =>
  async (topic: TopicName, offsets: ReadonlyMap<number, number>): Promise<void> => {
    const partitions = [...offsets].map(([partition, offset]) => ({ partition, offset: String(offset) }))
    await ask((admin) => admin.deleteTopicRecords({ topic: `${prefix}${topic}`, partitions }))
  }

/** A committed offset, and the id of the topic that it was committed for: empty where that is not known. */
export type Committed = { readonly offset: number; readonly topicId: string }

export const committedOf =
  (ask: Ask, prefix: string, groupPrefix: string) =>
  async (group: string, topic: TopicName): Promise<ReadonlyMap<number, Committed>> => {
    const name = `${prefix}${topic}`
    const answers = await ask((admin) => admin.fetchOffsets({ groupId: `${groupPrefix}${group}`, topics: [name] }))
    const partitions = answers.find((answer) => answer.topic === name)?.partitions ?? []
    const committed = partitions.map(
      ({ partition, offset, metadata }) => [partition, { offset: Number(offset), topicId: metadata ?? '' }] as const,
    )
    return new Map(committed.filter(([, { offset }]) => offset >= 0))
  }

export const committedOffsetsOf =
  (committed: ReturnType<typeof committedOf>): CommittedOffsets =>
  async (group, topic) =>
    new Map([...(await committed(group, topic))].map(([partition, { offset }]) => [partition, offset]))

const readWithinMs = 10_000
const lookAgainMs = 200

/** Whether a group has committed all that a topic has now; waits for it a while. */
export const isReadBy =
  ({ ranges, committedOffsets }: { readonly ranges: Ranges; readonly committedOffsets: CommittedOffsets }) =>
  (group: string, topic: TopicName) =>
  async (signal: AbortSignal): Promise<boolean> => {
    const until = monotonic() + readWithinMs
    const ends = await ranges(topic)
    while (monotonic() < until && !signal.aborted) {
      const committed = await committedOffsets(group, topic)
      if ([...ends].every(([partition, { low, high }]) => (committed.get(partition) ?? low) >= high)) return true
      await sleep(lookAgainMs, signal)
    }
    return false
  }
