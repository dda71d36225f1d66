import type { TopicName } from '../../../contracts/topics.ts'
import type { ConsumerSpec, Log, TopicIds } from '../../domain/ports.ts'
import type { Committed, Range, Ranges } from '../offsets.ts'

export type TopicPartition = { readonly topic: TopicName; readonly partition: number }
/** `topicId` is empty where the broker has none. */
export type Start = TopicPartition & { readonly start: number; readonly topicId: string }
export type FindStarts = (partitions: ReadonlyArray<TopicPartition>) => Promise<ReadonlyArray<Start>>

/** How the reason begins why a consumer ends that must not read the topics as they are. */
export const refusal = 'refuses to read: '

/** The consumer must not read the topics as they are now; the message says what to do. */
export class TopicsRefused extends Error {}

/**
 * Where reading of a partition begins: where it was asked for, or else what the group has committed, or else the beginning. What
 * lies before the partition's first record begins there, and so does what lies behind its end: the topic was made anew.
 */
export const startOffset = (
  wanted: number | undefined,
  committed: number | undefined,
  { low, high }: Range,
): number => {
  const from = wanted ?? committed ?? low
  return from < low || from > high ? low : from
}

/** What of a commit counts: nothing where it was made for another topic of that name. Its offsets may have grown back. */
export const committedIn = (topicId: string, committed: Committed | undefined): number | undefined => {
  if (committed === undefined) return undefined
  const isOther = committed.topicId !== '' && topicId !== '' && committed.topicId !== topicId
  return isOther ? undefined : committed.offset
}

export type StartsDeps = {
  readonly ranges: Ranges
  readonly committed: (group: string, topic: TopicName) => Promise<ReadonlyMap<number, Committed>>
  readonly topicIds: (topics: ReadonlyArray<TopicName>) => Promise<TopicIds>
  readonly log: Log
}

/** Asks where reading of each partition begins. After a rebalance nobody else can commit any more: the answer is final. */
export const startsOf =
  (deps: StartsDeps, spec: Pick<ConsumerSpec, 'group' | 'startAt' | 'refuseTopics'>): FindStarts =>
  async (partitions) => {
    const { group, startAt, refuseTopics } = spec
    const topics = [...new Set(partitions.map(({ topic }) => topic))]
    if (topics.length === 0) return []
    const ids = await deps.topicIds(topics)
    const refusal = await refuseTopics?.(ids)
    if (refusal !== undefined) throw new TopicsRefused(refusal)
    const known = new Map(
      await Promise.all(
        topics.map(
          async (topic) => [topic, await Promise.all([deps.ranges(topic), deps.committed(group, topic)])] as const,
        ),
      ),
    )
    return Promise.all(
      partitions.map(async ({ topic, partition }) => {
        const [range, ofTopic] = known.get(topic) ?? []
        const bounds = range?.get(partition)
        if (bounds === undefined) throw new Error(`the range of ${topic}/${partition} is not known`)
        const topicId = ids.get(topic) ?? ''
        const committed = ofTopic?.get(partition)
        const counts = committedIn(topicId, committed)
        if (counts !== committed?.offset)
          deps.log.warn(
            { group, topic, partition },
            'kafka: the topic was created again: it is read from its beginning',
          )
        return { topic, partition, topicId, start: startOffset(await startAt?.(topic, partition), counts, bounds) }
      }),
    )
  }
