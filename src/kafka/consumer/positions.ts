import type { TopicName } from '../../../contracts/topics.ts'
import type { CommittedOffsets, ConsumerSpec } from '../../domain/ports.ts'
import type { Ranges } from '../offsets.ts'
import { startOffset } from './start-offset.ts'

export type TopicPartition = { readonly topic: TopicName; readonly partition: number }
export type FindStarts = (
  partitions: ReadonlyArray<TopicPartition>,
) => Promise<ReadonlyArray<TopicPartition & { readonly start: number }>>

/** Asks where reading of each partition begins. After a rebalance nobody else can commit any more: the answer is final. */
export const startsOf =
  (ranges: Ranges, committedOffsets: CommittedOffsets, { group, startAt }: ConsumerSpec): FindStarts =>
  async (partitions) => {
    const topics = [...new Set(partitions.map(({ topic }) => topic))]
    const known = new Map(
      await Promise.all(
        topics.map(async (topic) => {
          const [range, committed] = await Promise.all([ranges(topic), committedOffsets(group, topic)])
          return [topic, { range, committed }] as const
        }),
      ),
    )
    return Promise.all(
      partitions.map(async ({ topic, partition }) => {
        const { range, committed } = known.get(topic) ?? {}
        const bounds = range?.get(partition)
        if (bounds === undefined) throw new Error(`the range of ${topic}/${partition} is not known`)
        const wanted = await startAt?.(topic, partition)
        return { topic, partition, start: startOffset(wanted, committed?.get(partition), bounds) }
      }),
    )
  }
