import { createRequire } from 'node:module'
import { batchAt, isSound, unreadable } from '../unreadable.ts'

/**
 * Upstream: kafkajs 2.2.4, src/protocol/recordBatch/v0/decoder.js; no issue is known.
 * Problem: kafkajs does not verify the checksum, so bytes that a disk has damaged may be read as other data. And one
 * unreadable batch permanently fails the whole fetch, of all partitions.
 * Patch: a damaged or unreadable batch becomes one record with the batch's bytes. Readers of the topic refuse it like
 * any record that they cannot read.
 * Test: test/kafka/unreadable.test.ts and the fault scenario damaged-batch
 * Remove when: kafkajs checks the checksum and reports such a batch for its partition alone.
 */

type Decoder = { readonly buffer: Buffer; readonly offset: number; readonly forward: (bytes: number) => void }
type DecodeBatch = (decoder: Decoder) => Promise<object>

const require = createRequire(import.meta.url)
const path = require.resolve('kafkajs/src/protocol/recordBatch/v0/decoder.js')
const decode: DecodeBatch = require(path)
const loaded = require.cache[path]
if (loaded === undefined) throw new Error('kafkajs has no decoder of batches where it is expected')

/** Errors that are passed on: the rest of the batch arrives later, or another build can read the batch. */
const others = new Set(['KafkaJSPartialMessageError', 'KafkaJSNotImplemented'])

/** The replacement for a batch with a wrong checksum. Undefined for an intact batch, and for a part of a batch. */
const insteadOfDamaged = (decoder: Decoder): object | undefined => {
  const batch = batchAt(decoder.buffer, decoder.offset)
  if (batch === undefined || isSound(batch)) return undefined
  const instead = unreadable(batch, 'wrong checksum')
  if (instead !== undefined) decoder.forward(batch.length)
  return instead
}

loaded.exports = async (decoder: Decoder): Promise<object> => {
  const begins = decoder.offset
  const kept = insteadOfDamaged(decoder)
  if (kept !== undefined) return kept
  try {
    return await decode(decoder)
  } catch (error) {
    if (error instanceof Error && others.has(error.name)) throw error
    const batch = decoder.buffer.subarray(begins, decoder.offset)
    const instead = unreadable(batch, error instanceof Error ? error.message : 'unknown error')
    if (instead === undefined) throw error
    return instead
  }
}
