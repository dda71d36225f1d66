import type { Offsets } from 'kafkajs'
import type { TopicName } from '../../../../contracts/topics.ts'
import type { ConsumerSpec } from '../../domain/log/consumer.ts'
import type { OffsetRange, Ranges, TopicIds } from '../../domain/log/positions.ts'
import { partitionName } from '../../domain/log/record.ts'
import type { Log } from '../../shared/log.ts'
import { commitMetadata, type ValidCommits } from '../offsets.ts'
import type { PartitionReader } from './partition-reader.ts'

export type TopicPartition = { readonly topic: TopicName; readonly partition: number }

/** `topicId` is empty if the broker has no topic ids. */
export type Start = TopicPartition & {
  readonly start: number
  readonly topicId: string
  /** The leader epoch of the record before `start`, if it is known. */
  readonly epoch?: number | undefined
}
export type FindStartOffsets = (partitions: ReadonlyArray<TopicPartition>) => Promise<ReadonlyArray<Start>>

/** The prefix of a session's end reason if `refuseTopics` of the spec has refused its topics. */
export const refusal = 'refuses to read: '

/**
 * `refuseTopics` has refused the topics, for example because they were created again or because a view has another
 * version. The message says what to do.
 */
export class TopicsRefused extends Error {}

/**
 * The offset where reading of a partition begins: the wanted offset, otherwise the committed offset, otherwise the
 * first record. An offset outside the log is replaced by the first record's: the records were deleted, or the topic was
 * created again.
 */
export const startOffset = (
  wanted: number | undefined,
  committed: number | undefined,
  { low, high }: OffsetRange,
): number => {
  const from = wanted ?? committed ?? low
  return from < low || from > high ? low : from
}

/** What start offsets are found with. */
export type StartOffsets = {
  readonly ranges: Ranges
  readonly validCommits: ValidCommits
  readonly topicIds: (topics: ReadonlyArray<TopicName>) => Promise<TopicIds>
  readonly log: Log
}

/** Finds the start offset of each partition. After a rebalance no other member can commit, so the result is final. */
export const startOffsetsOf =
  (logs: StartOffsets, spec: Pick<ConsumerSpec, 'group' | 'startAt' | 'refuseTopics'>): FindStartOffsets =>
  async (partitions) => {
    const { group, startAt, refuseTopics } = spec
    const topics = [...new Set(partitions.map(({ topic }) => topic))]
    if (topics.length === 0) return []
    const ids = await logs.topicIds(topics)
    const refusal = await refuseTopics?.(ids)
    if (refusal !== undefined) throw new TopicsRefused(refusal)
    const known = new Map(
      await Promise.all(
        topics.map(
          async (topic) => [topic, await Promise.all([logs.ranges(topic), logs.validCommits(group, topic)])] as const,
        ),
      ),
    )
    return Promise.all(
      partitions.map(async ({ topic, partition }) => {
        const [range, ofTopic] = known.get(topic) ?? []
        const bounds = range?.get(partition)
        if (bounds === undefined) throw new Error(`the range of ${partitionName({ topic, partition })} is not known`)
        const topicId = ids.get(topic) ?? ''
        const committed = ofTopic?.get(partition)
        const wanted = await startAt?.(topic, partition)
        if (wanted === undefined && committed?.changed !== undefined)
          logs.log.warn({ group, topic, partition, reason: committed.changed }, 'kafka: the log of a partition was cut')
        const missed = committed === undefined ? 0 : bounds.low - committed.offset
        if (missed > 0)
          logs.log.warn({ group, topic, partition, missed }, 'kafka: records were deleted before a consumer read them')
        if (missed < bounds.low - bounds.high)
          logs.log.warn(
            { group, topic, partition },
            'kafka: a partition ends before the offset that a consumer has reached',
          )
        const start = startOffset(wanted, committed?.offset, bounds)
        return { topic, partition, topicId, start, epoch: start === committed?.offset ? committed.epoch : undefined }
      }),
    )
  }

type OffsetCommitter = {
  /** Commits the finished offsets that are not committed yet. At most one request runs at a time. Never rejects. */
  readonly flush: () => Promise<void>
  readonly failsSince: () => number | undefined
}

/** Commits the finished offsets. The next commit includes the offsets of a failed one. */
export const offsetCommitter = ({
  prefix,
  readers,
  commit,
  clock,
}: {
  readonly prefix: string
  /** The readers of the current generation. This member may commit only for these. */
  readonly readers: () => Iterable<PartitionReader>
  /** Commits as a member of the generation at the time of the call. Undefined while this process is not a member. */
  readonly commit: () => ((offsets: Offsets) => Promise<void>) | undefined
  readonly clock: () => number
}): OffsetCommitter => {
  const committed = new WeakMap<PartitionReader, number>()
  let underWay: Promise<void> | undefined
  let failsSince: number | undefined

  const send = async (
    to: (offsets: Offsets) => Promise<void>,
    due: ReadonlyArray<readonly [PartitionReader, { readonly offset: number; readonly epoch: number | undefined }]>,
  ) => {
    const byTopic = Map.groupBy(due, ([{ topic }]) => topic)
    const topics = [...byTopic].map(([topic, of]) => ({
      topic: `${prefix}${topic}`,
      partitions: of.map(([{ partition, topicId }, { offset, epoch }]) => ({
        partition,
        offset: String(offset),
        metadata: commitMetadata(topicId, epoch),
      })),
    }))
    try {
      await to({ topics })
      for (const [reader, { offset }] of due) committed.set(reader, offset)
      failsSince = undefined
    } catch {
      failsSince ??= clock()
    }
  }
  const flush = (): Promise<void> => {
    if (underWay !== undefined) return underWay
    const to = commit()
    const due = [...readers()].flatMap((reader) => {
      const finished = reader.finished()
      if (finished === undefined || finished === committed.get(reader)) return []
      return [[reader, { offset: finished, epoch: reader.epochBefore(finished) }] as const]
    })
    if (to === undefined || due.length === 0) return Promise.resolve()
    underWay = send(to, due).finally(() => {
      underWay = undefined
    })
    return underWay
  }
  return { flush, failsSince: () => failsSince }
}
