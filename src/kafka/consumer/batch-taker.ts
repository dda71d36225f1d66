import type { Batch } from 'kafkajs'
import { toIncoming } from '../incoming.ts'
import type { PartitionReader } from './reader.ts'
import { nameOf } from './readers.ts'

const fetchedFrom = (batch: Batch): number | undefined =>
  'fetchedOffset' in batch ? Number(batch.fetchedOffset) : undefined

/**
 * Gives a batch to its reader; false where it is not taken. A fetch of an earlier generation may be answered late, and taking
 * that would skip what lies between: only what was fetched from the reader's own position counts. Where it goes on like that,
 * kafkajs has moved by itself, as it does when the records at the position are gone: `astray` is told.
 */
export const batchTaker = (astray: (name: string) => void) => {
  const strayed = new WeakSet<PartitionReader>()
  return (batch: Batch, reader: PartitionReader): boolean => {
    if (!reader.wantsMore()) return false
    if (fetchedFrom(batch) !== reader.position()) {
      if (strayed.has(reader)) astray(nameOf(reader))
      strayed.add(reader)
      return false
    }
    const { topic, partition } = reader
    // The batch's last offset, not its last record's: a transaction's marker at its end is no record, and is done with it.
    const next = Number(batch.lastOffset()) + 1
    const records = batch.messages.map((message) => toIncoming(topic, partition, message))
    reader.add(records, next, Number(batch.highWatermark))
    return true
  }
}
