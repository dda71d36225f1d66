import type { Batch } from 'kafkajs'
import type { CompareLog } from '../../domain/log/positions.ts'
import { partitionName } from '../../domain/log/record.ts'
import { epochIn, toIncoming } from '../wire-record.ts'
import type { PartitionReader } from './partition-reader.ts'

const fetchedFrom = (batch: Batch): number | undefined =>
  'fetchedOffset' in batch ? Number(batch.fetchedOffset) : undefined

/**
 * Gives a batch to its reader. False if the batch is not accepted. Only a batch that was fetched from the reader's
 * position is accepted: a late response to a fetch of an earlier generation would skip records. If a second batch is
 * also from another offset, kafkajs has moved by itself, as it does when the records at the position are deleted. Then
 * the session ends and a new one starts.
 */
export const batchAcceptor = (onUnexpectedOffset: (name: string) => void) => {
  const rejectedOnce = new WeakSet<PartitionReader>()
  return (batch: Batch, reader: PartitionReader): boolean => {
    if (!reader.wantsMore()) return false
    if (fetchedFrom(batch) !== reader.position()) {
      if (rejectedOnce.has(reader)) onUnexpectedOffset(partitionName(reader))
      rejectedOnce.add(reader)
      return false
    }
    const { topic, partition } = reader
    const last = 'rawMessages' in batch && Array.isArray(batch.rawMessages) ? batch.rawMessages.at(-1) : undefined
    // The batch's last offset, not the last record's: a transaction's marker may follow, which is not a record.
    const next = Number(batch.lastOffset()) + 1
    const records = batch.messages.map((message) => toIncoming(topic, partition, message))
    reader.add(records, next, Number(batch.highWatermark), last && epochIn(last))
    return true
  }
}

/**
 * Whether the log still has the last record before the reader's position. It is asked when a batch has another leader
 * epoch than that record: a leader that has lost the end of its log gives the same offsets to other records.
 */
const continues = async (batch: Batch, reader: PartitionReader, compareLog: CompareLog): Promise<boolean> => {
  const [first] = batch.messages
  const epoch = reader.epochBefore(reader.position())
  if (first === undefined || epoch === undefined || (epochIn(first) ?? epoch) === epoch) return true
  const mark = { epoch, offset: reader.position() - 1 }
  const verdicts = await compareLog(reader.topic, new Map([[reader.partition, mark]]))
  return (verdicts.get(reader.partition)?.kind ?? 'intact') === 'intact'
}

/** Why a session ends if a log has lost records that were read. */
export const lostRecords = (name: string): string => `the log of ${name} has lost records`

/** Takes a batch that continues the log of its reader. False if it is not taken: kafkajs fetches it again. */
export const takingBatches = (compareLog: CompareLog, end: (reason: string) => void) => {
  const accept = batchAcceptor((name) => end(`Kafka sends records from an unexpected offset: ${name}`))
  return async (batch: Batch, reader: PartitionReader): Promise<boolean> => {
    // If Kafka does not answer, the batch is fetched again.
    const isNext = await continues(batch, reader, compareLog).catch(() => undefined)
    if (isNext === false) end(lostRecords(partitionName(reader)))
    return isNext === true && accept(batch, reader)
  }
}
