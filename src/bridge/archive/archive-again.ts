import type { TopicName } from '../../../contracts/topics.ts'
import { partitionName } from '../domain/log/partition-name.ts'
import type { Slice } from '../domain/log/record.ts'
import type { Again } from './lost.ts'

/** What is to be archived again, because MongoDB has lost the keys of its copies. It is not known at first. */
export const archiveAgain = () => {
  let parts: Map<string, { from: number; readonly to: number }> | undefined
  /** The first offset of a partition that is to be archived again. */
  const from = (topic: string, partition: number): number | undefined =>
    parts?.get(partitionName({ topic, partition }))?.from
  return {
    from,
    isKnown: (): boolean => parts !== undefined,
    begin: (found: ReadonlyMap<string, Again>): void => {
      parts = new Map(
        [...found].flatMap(([topic, ofTopic]) =>
          [...ofTopic].map(([partition, part]) => [partitionName({ topic, partition }), { ...part }] as const),
        ),
      )
    },
    archived: ({ topic, partition, records }: Slice): void => {
      const part = parts?.get(partitionName({ topic, partition }))
      if (part === undefined) return
      part.from = Math.max(part.from, (records.at(-1)?.offset ?? -1) + 1)
      if (part.from >= part.to) parts?.delete(partitionName({ topic, partition }))
    },
    /**
     * The offsets up to which the archive has readable copies, of those that the group has committed. None while it is
     * not known which copies cannot be read.
     */
    readableTo: (topic: TopicName, done: ReadonlyMap<number, number>): ReadonlyMap<number, number> =>
      new Map(
        parts === undefined
          ? []
          : [...done].map(([partition, offset]) => [partition, Math.min(offset, from(topic, partition) ?? offset)]),
      ),
  }
}
