import type * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../contracts/topics.ts'
import type { Failure, Sleep } from '../../domain/ports.ts'
import { type Bounds as BackoffBounds, backoff } from '../../shared/backoff.ts'
import type { Partitioner } from '../partitioner.ts'
import type { WireRecord } from '../wire-record.ts'
import type { PartitionBatch } from './connection.ts'
import { type Identity, noIdentity } from './record-batch.ts'

export type Bounds = { readonly records: number; readonly bytes: number }

/** A record that waits, and whom to tell what became of it; `number` is the order of the calls. */
export type Entry = {
  readonly record: WireRecord
  readonly bytes: number
  readonly number: number
  readonly since: number
  readonly settle: (outcome: E.Either<Failure, void>) => void
}

/**
 * The records of one partition that are not settled, in the order of the calls. A batch whose outcome is not known is sent again as
 * it was, under the same sequence number: the broker appends it once. A number is never given to other records, since the
 * broker would take them for the earlier ones and acknowledge what it does not have.
 */
export type PartitionQueue = {
  readonly topic: TopicName
  readonly partition: number
  readonly add: (entry: Entry) => void
  readonly oldest: () => Entry | undefined
  /** Bytes and records of the next batch. */
  readonly size: () => { readonly records: number; readonly bytes: number }
  readonly needsIdentity: () => boolean
  readonly identify: (producerId: number) => void
  /** The next batch: the one that failed, as it was, or else all that fits. */
  readonly begin: () => PartitionBatch
  /** Takes the batch's entries out: it is in the log. */
  readonly acknowledged: () => ReadonlyArray<Entry>
  /** The broker will never take the batch: takes out the record that is to blame, or makes the next batch half as long. */
  readonly refused: () => Entry | undefined
  /** The broker does not know the numbers of the producer any more: the batch gets others. */
  readonly forgetIdentity: () => void
  /** Takes everything out. */
  readonly clear: () => ReadonlyArray<Entry>
}

const highestSequence = 2 ** 31 - 1

export const partitionQueue = (topic: TopicName, partition: number, limits: Bounds): PartitionQueue => {
  const entries: Entry[] = []
  let identity: Identity | undefined
  let most = limits.records
  let batch: PartitionBatch | undefined

  const size = () => {
    if (batch !== undefined) return { records: batch.records.length, bytes: limits.bytes }
    let bytes = entries[0]?.bytes ?? 0
    let records = 1
    for (; records < most; records++) {
      const next = entries[records]?.bytes
      if (next === undefined || bytes + next > limits.bytes) break
      bytes += next
    }
    return { records, bytes }
  }
  const take = (count: number) => {
    batch = undefined
    return entries.splice(0, count)
  }
  return {
    topic,
    partition,
    size,
    add: (entry) => void entries.push(entry),
    oldest: () => entries[0],
    needsIdentity: () =>
      batch === undefined && (identity === undefined || identity.sequence > highestSequence - limits.records),
    identify: (producerId) => {
      identity = { producerId, sequence: 0 }
    },
    begin: () => {
      const { records, bytes } = size()
      batch ??= {
        ...{ topic, partition, identity: identity ?? noIdentity },
        records: entries.slice(0, records).map(({ record }) => record),
        isCompressed: bytes > limits.bytes,
      }
      return batch
    },
    acknowledged: () => {
      const count = batch?.records.length ?? 0
      if (identity !== undefined && identity.producerId >= 0)
        identity = { ...identity, sequence: identity.sequence + count }
      most = limits.records
      return take(count)
    },
    refused: () => {
      const count = batch?.records.length ?? 0
      batch = undefined
      identity = undefined
      most = Math.max(1, Math.ceil(count / 2))
      return count === 1 ? take(1)[0] : undefined
    },
    forgetIdentity: () => {
      batch = undefined
      identity = undefined
    },
    clear: () => {
      identity = undefined
      return take(entries.length)
    },
  }
}

/** As many queues as one request has room for, at least one. */
export const firstOf = (queues: ReadonlyArray<PartitionQueue>, limits: Bounds): ReadonlyArray<PartitionQueue> => {
  let [records, bytes] = [0, 0]
  const end = queues.findIndex((queue, i) => {
    const size = queue.size()
    records += size.records
    bytes += size.bytes
    return i > 0 && (records > limits.records || bytes > limits.bytes)
  })
  return end < 0 ? queues : queues.slice(0, end)
}

type Deps = {
  readonly partitioner: Pick<Partitioner, 'ready' | 'partitionOf' | 'forget'>
  readonly onAssigned: (entry: Entry, partition: number) => void
  readonly onFailure: (topic: TopicName, error: unknown) => void
  /** All waiting records of the topic have a partition now. */
  readonly onRecovery: (topic: TopicName) => void
  readonly pause: BackoffBounds
  readonly sleep: Sleep
  readonly random: () => number
  readonly signal: AbortSignal
}

/** Assigns each record to its partition, in the order of the calls. A topic whose partitions are not known delays its own records alone. */
export const assigner = (deps: Deps) => {
  const { partitioner, onAssigned, onFailure, onRecovery, pause, sleep, random, signal } = deps
  const waiting = new Map<TopicName, Entry[]>()

  const partitionOf = ({ record: { topic, key, partition } }: Entry) =>
    partitioner.partitionOf(topic, typeof key === 'string' ? Buffer.from(key) : key, partition)

  const assignAll = async (topic: TopicName, entries: Entry[]) => {
    for (let failures = 1; entries.length > 0 && !signal.aborted; failures++) {
      try {
        await partitioner.ready([topic])
        for (let entry = entries[0]; entry !== undefined; entry = entries[0]) {
          const partition = partitionOf(entry)
          if (partition === undefined) {
            // It was forgotten meanwhile, or has too few partitions for a record that wants one of its own.
            partitioner.forget(topic)
            throw new Error(`${topic} has not the partition that a record wants`)
          }
          entries.shift()
          onAssigned(entry, partition)
        }
      } catch (error) {
        onFailure(topic, error)
        await sleep(backoff(failures, pause, random), signal)
      }
    }
    waiting.delete(topic)
    onRecovery(topic)
  }
  /** Assigns entries of one topic as soon as its partitions are known, before later entries. */
  const assignLater = (topic: TopicName, entries: ReadonlyArray<Entry>): void => {
    const before = waiting.get(topic)
    const all = before ?? []
    all.push(...entries)
    all.sort((a, b) => a.number - b.number)
    if (before !== undefined || all.length === 0) return
    waiting.set(topic, all)
    void assignAll(topic, all)
  }
  return {
    assign: (entry: Entry): void => {
      const { topic } = entry.record
      const partition = waiting.has(topic) ? undefined : partitionOf(entry)
      if (partition === undefined) assignLater(topic, [entry])
      else onAssigned(entry, partition)
    },
    assignLater,
  }
}
