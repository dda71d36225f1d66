import type { TopicName } from '../../contracts/topics.ts'
import type { Consume, EndOffsets, IncomingRecord } from '../domain/ports.ts'

type Log = { readonly consume: Consume; readonly endOffsets: EndOffsets }

/** Reads topics from their present ends on, with a group of its own; resolves when what is appended from now on will come. */
export const tailTopics = async (
  { consume, endOffsets }: Log,
  topics: ReadonlyArray<TopicName>,
  onRecord: (record: IncomingRecord) => void,
): Promise<() => Promise<void>> => {
  const ends = new Map(await Promise.all(topics.map(async (topic) => [topic, await endOffsets(topic)] as const)))
  const consumer = await consume({
    group: 'tail',
    alone: true,
    topics,
    commit: 'by-handler',
    startAt: async (topic, partition) => ends.get(topic)?.get(partition) ?? 0,
    handle: async ({ records }) => records.forEach(onRecord),
  })
  return consumer.stop
}
