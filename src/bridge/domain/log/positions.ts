import type { TopicName } from '../../../../contracts/topics.ts'
import { type IncomingRecord, partitionName } from './record.ts'

/**
 * Where a record is in a log, how far a log was read, and whether it is still the log that was read. One word each:
 * - `place`: where a record is: the id of its topic, its partition and its offset.
 * - `position`: where reading goes on: the offset after a record, with the leader epoch of that record.
 * - `topicId`: a topic that is deleted and created again has another id, and begins at offset 0. Places and positions
 *   count only with the id of their topic.
 * - `epoch`: Kafka numbers the leaders of a partition. Each new leader, and each restart of a leader, begins a new epoch,
 *   and a batch has the epoch in which it was appended. Two logs that have a record of the same epoch at the same offset
 *   are equal up to it. So an offset is valid only together with an epoch: a broker that has lost the end of its log
 *   gives the same offsets to other records.
 * - `mark`: a record that was read: its epoch and offset, and its time if that is to be compared too.
 * - A log is, for a mark of it, `intact`, `cut` or `replaced` (`LogState`).
 */

/** The ids of topics. Missing if the broker has none. */
export type TopicIds = ReadonlyMap<TopicName, string>

export type LogPlace = { readonly topicId: string; readonly partition: number; readonly offset: number }

/**
 * Without an epoch nobody knows which leader gave the offset: the broker is older than Kafka 2.3, the log begins with
 * the offset, or an earlier commit of the bridge has stored it.
 */
export type Position = { readonly offset: number; readonly epoch?: number | undefined }

export type LogMark = { readonly epoch: number; readonly offset: number; readonly timestamp?: number }

/**
 * `intact`: the log still has the record, so also all records before it. `cut`: it has lost the record. Its records
 * from `from` on have newer epochs, or it has none there yet. `replaced`: it has other records with the same epochs, as
 * after a restore from an older copy; `from` is not after the first of them, as far as the log shows it.
 */
export type LogState = { readonly kind: 'intact' } | { readonly kind: 'cut' | 'replaced'; readonly from: number }

/** Compares the log of a topic with one record of each partition that was read from it before. */
export type CompareLog = (
  topic: TopicName,
  marks: ReadonlyMap<number, LogMark>,
) => Promise<ReadonlyMap<number, LogState>>

/** The first offset that a partition still has, and the offset that its next record will get. */
export type OffsetRange = { readonly low: number; readonly high: number }

/** Where the log of each partition of a topic begins and ends. */
export type Ranges = (topic: TopicName) => Promise<ReadonlyMap<number, OffsetRange>>

/** The offset after the last record of each partition of a topic. */
export type EndOffsets = (topic: TopicName) => Promise<ReadonlyMap<number, number>>

/**
 * The committed offsets of a group for a topic. Missing are partitions without a commit, and those whose commit was
 * made for an earlier topic of that name. If a log was cut, only what it still has counts.
 */
export type CommittedOffsets = (group: string, topic: TopicName) => Promise<ReadonlyMap<number, number>>

/**
 * The greater one of two positions. A log that was cut goes on with lower offsets of a higher epoch, so the epoch
 * decides first. A reader that no longer owns the partition has a lower epoch, or a lower offset of the same one. A
 * position without an epoch is less than any with one.
 */
export const furthest = (a: Position, b: Position): Position => {
  const [ofA, ofB] = [a.epoch ?? -1, b.epoch ?? -1]
  return ofA > ofB || (ofA === ofB && a.offset >= b.offset) ? a : b
}

/** The marks of the records before these positions, as far as their epochs are known. */
export const marksBefore = (positions: ReadonlyMap<number, Position>): ReadonlyMap<number, LogMark> =>
  new Map(
    [...positions].flatMap(([partition, { epoch, offset }]) =>
      epoch === undefined || offset === 0 ? [] : [[partition, { epoch, offset: offset - 1 }] as const],
    ),
  )

/** The offset up to which a log still has the records before a position. A log that was not compared counts as intact. */
export const intactUpTo = ({ offset }: Position, state: LogState | undefined): number =>
  state === undefined || state.kind === 'intact' ? offset : Math.min(offset, state.from)

/** The first record of the newest epoch that the views have of each partition. */
export type StoredMarks = {
  readonly marks: (topic: TopicName) => Promise<ReadonlyMap<number, LogMark>>
  /** Durable on a majority when it resolves. */
  readonly keepMark: (topic: TopicName, partition: number, mark: LogMark) => Promise<void>
}

/**
 * Finds out whether the views are made from the log that is read now. Documents have the epoch and the offset of their
 * last record, so a log that was cut is folded on correctly: its next records have newer epochs. This is not so if the
 * log was replaced. So before the first record of a new epoch is folded, its mark is stored, and later it must be there
 * again.
 */
export const logMarks = ({ marks, keepMark, compareLog }: StoredMarks & { readonly compareLog: CompareLog }) => {
  const known = new Map<string, number>()

  const replacedIn = async (topic: TopicName): Promise<ReadonlyArray<string>> => {
    const stored = await marks(topic)
    for (const [partition, { epoch }] of stored) known.set(partitionName({ topic, partition }), epoch)
    return [...(await compareLog(topic, stored))].flatMap(([partition, { kind }]) =>
      kind === 'replaced' ? [partitionName({ topic, partition })] : [],
    )
  }
  return {
    /** Why the views must not be folded from these topics, and what to do. */
    refusal: async (ids: TopicIds): Promise<string | undefined> => {
      known.clear()
      const replaced = (await Promise.all([...ids.keys()].map(replacedIn))).flat()
      return replaced.length === 0
        ? undefined
        : `${replaced.join(', ')}: Kafka lacks records that the views have, and has other records in their place: run livechat-bridge rebuild all`
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
