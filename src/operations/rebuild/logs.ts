import type { TopicName } from '../../../contracts/topics.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import { type Logs, type Positions, sourceOf } from '../../projections/rebuild/places.ts'

/** Where the logs of the topics begin and end, as of a time after the call. */
export const readLogs = async (
  { ranges }: Pick<KafkaRoom, 'ranges'>,
  topics: ReadonlyArray<TopicName>,
): Promise<Logs> => {
  const all = await Promise.all(topics.map(async (topic) => [topic, await ranges(topic)] as const))
  return new Map(
    all.flatMap(([topic, partitions]) =>
      [...partitions].map(([partition, range]) => [sourceOf(topic, partition), range] as const),
    ),
  )
}

/** What a group has committed. */
export const readCommitted = async (
  { committedOffsets }: Pick<KafkaRoom, 'committedOffsets'>,
  group: string,
  topics: ReadonlyArray<TopicName>,
): Promise<Positions> => {
  const all = await Promise.all(topics.map(async (topic) => [topic, await committedOffsets(group, topic)] as const))
  return new Map(
    all.flatMap(([topic, partitions]) =>
      [...partitions].map(([partition, offset]) => [sourceOf(topic, partition), offset] as const),
    ),
  )
}
