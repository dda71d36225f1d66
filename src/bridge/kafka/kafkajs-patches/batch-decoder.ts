import { decodeBatch, replaceDecodeBatch } from '../kafkajs-internals.ts'
import { readBatch } from '../read-batch.ts'
import { batchAt, isSound, unreadable } from '../unreadable.ts'

/**
 * Upstream: kafkajs 2.2.4, src/protocol/recordBatch/v0/decoder.js; no issue is known.
 * Problem: kafkajs does not verify the checksum, so bytes that a disk has damaged may be read as other data. One
 * unreadable batch permanently fails the whole fetch, of all partitions. And each record becomes dozens of objects.
 * Patch: the records are read by read-batch.ts, their headers when somebody asks for one. A damaged or unreadable batch
 * becomes one record with the batch's bytes. Readers of the topic refuse it like any record that they cannot read.
 * Test: test/bridge/kafka/read-batch.test.ts, unreadable.test.ts there, and the fault scenario damaged-batch
 * Remove when: kafkajs checks the checksum, reports such a batch for its partition alone, and decodes lazily.
 */

/** Passed on: another build can read the batch. */
const notImplemented = 'KafkaJSNotImplemented'

replaceDecodeBatch(async (decoder) => {
  const batch = batchAt(decoder.buffer, decoder.offset)
  // Only a part has arrived, or it is too short for a batch: kafkajs reports it.
  if (batch === undefined) return decodeBatch(decoder)
  decoder.forward(batch.length)
  const damaged = isSound(batch) ? undefined : unreadable(batch, 'wrong checksum')
  if (damaged !== undefined) return damaged
  try {
    return await readBatch(batch)
  } catch (error) {
    if (error instanceof Error && error.name === notImplemented) throw error
    const instead = unreadable(batch, error instanceof Error ? error.message : 'unknown error')
    if (instead === undefined) throw error
    return instead
  }
})
