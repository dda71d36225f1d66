import type { TopicName } from '../../../../contracts/topics.ts'
/** The ids of topics. A topic that is deleted and created again has a new id. Missing if the broker has none. */
export type TopicIds = ReadonlyMap<TopicName, string>

/** A record that was read: its epoch and offset, and its time if that is to be compared too. */
export type LogMark = { readonly epoch: number; readonly offset: number; readonly timestamp?: number }

/**
 * `intact`: the log still has the record, so also all records before it. `cut`: it has lost the record. Its records
 * from `from` on have newer epochs, or it has none there yet. `other`: it has other records with the same epochs, as
 * after a restore from an older copy; `from` is not after the first of them, as far as the log shows it.
 */
export type Verdict = { readonly kind: 'intact' } | { readonly kind: 'cut' | 'other'; readonly from: number }

/** Compares the log of a topic with one record of each partition that was read from it before. */
export type CompareLog = (
  topic: TopicName,
  marks: ReadonlyMap<number, LogMark>,
) => Promise<ReadonlyMap<number, Verdict>>

/** The first offset that a partition still has, and the offset that its next record will get. */
export type OffsetRange = { readonly low: number; readonly high: number }

/** Where the log of each partition of a topic begins and ends. */
export type Ranges = (topic: TopicName) => Promise<ReadonlyMap<number, OffsetRange>>

/** The offset after the last record of each partition of a topic. */
export type EndOffsets = (topic: TopicName) => Promise<ReadonlyMap<number, number>>

/**
 * The committed offsets of a group for a topic. Missing are partitions without a commit, and those whose commit was
 * made for an earlier topic of that name. If a log has lost its end, only what it still has counts.
 */
export type CommittedOffsets = (group: string, topic: TopicName) => Promise<ReadonlyMap<number, number>>

/** A record's place in the log. `generation` is its topic's id: a topic that is created again begins at offset 0. */
export type LogPlace = { readonly generation: string; readonly partition: number; readonly offset: number }
