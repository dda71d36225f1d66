import type { TopicName } from '../../../../contracts/topics.ts'
import { partitionName } from './partition-name.ts'
import type { CompareLog, LogMark, TopicIds } from './positions.ts'
import type { IncomingRecord } from './record.ts'

/** The first record of the newest leader epoch that the views have of each partition. */
export type StoredMarks = {
  readonly marks: (topic: TopicName) => Promise<ReadonlyMap<number, LogMark>>
  /** Durable on a majority when it resolves. */
  readonly keepMark: (topic: TopicName, partition: number, mark: LogMark) => Promise<void>
}

const list = (partitions: ReadonlyArray<string>) => partitions.join(', ')

/**
 * Finds out whether the views are made from the log that is read now. Documents have the epoch and the offset of their
 * last record, so a log that has only lost its end is folded on correctly: its next records have newer epochs. This is
 * not so if Kafka was restored from an older copy: then other records may have the same epochs. So before the first
 * record of a new epoch is folded, its place and its time are stored, and later it must be there again.
 */
export const logMarks = ({ marks, keepMark, compareLog }: StoredMarks & { readonly compareLog: CompareLog }) => {
  const known = new Map<string, number>()

  const othersIn = async (topic: TopicName): Promise<ReadonlyArray<string>> => {
    const stored = await marks(topic)
    for (const [partition, { epoch }] of stored) known.set(partitionName({ topic, partition }), epoch)
    return [...(await compareLog(topic, stored))].flatMap(([partition, { kind }]) =>
      kind === 'other' ? [partitionName({ topic, partition })] : [],
    )
  }
  return {
    /** Why the views must not be folded from these topics, and what to do. */
    refusal: async (ids: TopicIds): Promise<string | undefined> => {
      known.clear()
      const others = (await Promise.all([...ids.keys()].map(othersIn))).flat()
      return others.length === 0
        ? undefined
        : `${list(others)}: Kafka lacks records that the views have, and has other records in their place: run livechat-bridge rebuild all`
    },
    /** Must resolve before these records of one partition are folded. */
    before: async (records: ReadonlyArray<IncomingRecord>): Promise<void> => {
      const [first, last] = [records[0], records.at(-1)]
      if (first === undefined || last?.epoch === undefined) return
      const source = partitionName(first)
      if (known.get(source) === last.epoch) return
      const { topic, partition, offset, timestamp } = records.find(({ epoch }) => epoch === last.epoch) ?? last
      await keepMark(topic, partition, { epoch: last.epoch, offset, timestamp })
      known.set(source, last.epoch)
    },
  }
}
