import type { TopicName } from '../../../../contracts/topics.ts'
import { partitionName } from './partition-name.ts'
import type { CompareLog, LogMark, TopicIds, Verdict } from './positions.ts'
import type { IncomingRecord } from './record.ts'

/**
 * The offset after a record, and the leader epoch of that record. It counts only in the log of one topic: an offset of
 * a topic with another id means nothing. Without an epoch nobody knows which leader gave the offset: the broker is older
 * than Kafka 2.3, the log begins with the offset, or an earlier commit of the bridge has stored it.
 */
export type Position = { readonly offset: number; readonly epoch?: number | undefined }

/**
 * The greater one of two positions. A log that has lost its end goes on with lower offsets of a higher epoch, so the
 * epoch decides first. A reader that no longer owns the partition has a lower epoch, or a lower offset of the same one.
 * A position without an epoch is less than any with one.
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

/** How far a log still has the records before a position. Without a verdict, all are taken to be there. */
export const stillThere = ({ offset }: Position, verdict: Verdict | undefined): number =>
  verdict === undefined || verdict.kind === 'intact' ? offset : Math.min(offset, verdict.from)

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
