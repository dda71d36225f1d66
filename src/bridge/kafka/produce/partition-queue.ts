import type * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../../contracts/topics.ts'
import type { Failure } from '../../domain/log/record.ts'
import type { WireRecord } from '../wire-record.ts'
import type { PartitionBatch } from './connection.ts'
import { type Identity, noIdentity } from './record-batch.ts'

export type Bounds = { readonly records: number; readonly bytes: number }

/** A record whose key has been encoded. Its partition depends on the bytes of the key. */
export type KeyedRecord = WireRecord & { readonly key: Buffer | null }

/**
 * A waiting record. `bytes` is its estimated size in a batch. `settle` reports its outcome to the caller; `number` is
 * the order of the calls.
 */
export type Entry = {
  readonly record: KeyedRecord
  readonly bytes: number
  readonly number: number
  readonly since: number
  readonly settle: (outcome: E.Either<Failure, void>) => void
}

/**
 * The records of one partition that are not settled, in the order of the calls. A batch with an unknown outcome is sent
 * again unchanged, with the same sequence number: the broker appends it only once. A number is never used for other
 * records: the broker would treat them as the earlier records, and acknowledge records that it does not have.
 */
export type PartitionQueue = {
  readonly topic: TopicName
  readonly partition: number
  readonly add: (entry: Entry) => void
  readonly oldest: () => Entry | undefined
  /** Bytes and records of the next batch. For a repeated batch, `bytes` is the limit of a batch, not its size. */
  readonly size: () => { readonly records: number; readonly bytes: number }
  readonly needsIdentity: () => boolean
  readonly identify: (producerId: number) => void
  /** The next batch: the failed one unchanged, otherwise as many records as fit. */
  readonly begin: () => SizedBatch
  /** The batch is in the log: removes and returns its entries. */
  readonly acknowledged: () => ReadonlyArray<Entry>
  /** The broker will never accept the batch: removes its record if it has only one, otherwise halves the next batch. */
  readonly refused: () => Entry | undefined
  /** The broker no longer knows the producer's sequence numbers: the batch gets new ones. */
  readonly forgetIdentity: () => void
  /** Removes and returns all entries. */
  readonly clear: () => ReadonlyArray<Entry>
}

/** `bytes`: the estimated size of the batch's records. */
export type SizedBatch = PartitionBatch & { readonly bytes: number }

const highestSequence = 2 ** 31 - 1

export const partitionQueue = (topic: TopicName, partition: number, limits: Bounds): PartitionQueue => {
  const entries: Entry[] = []
  let identity: Identity | undefined
  let maxRecords = limits.records
  let batch: SizedBatch | undefined

  const size = () => {
    if (batch !== undefined) return { records: batch.records.length, bytes: limits.bytes }
    let bytes = entries[0]?.bytes ?? 0
    let records = 1
    for (; records < maxRecords; records++) {
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
        topic,
        partition,
        identity: identity ?? noIdentity,
        bytes,
        records: entries.slice(0, records).map(({ record }) => record),
        isCompressed: bytes > limits.bytes,
      }
      return batch
    },
    acknowledged: () => {
      const count = batch?.records.length ?? 0
      if (identity !== undefined && identity.producerId >= 0)
        identity = { ...identity, sequence: identity.sequence + count }
      maxRecords = limits.records
      return take(count)
    },
    refused: () => {
      const count = batch?.records.length ?? 0
      batch = undefined
      identity = undefined
      maxRecords = Math.max(1, Math.ceil(count / 2))
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
