import { createRequire } from 'node:module'
import { batchAt, isSound, unreadable } from '../unreadable.ts'

/**
 * Upstream: kafkajs 2.2.4, src/protocol/recordBatch/v0/decoder.js; no issue is known.
 * Problem: the checksum is not looked at, so that what a disk has damaged may be read as something else. And one batch that
 * cannot be read fails the whole fetch, of all partitions, for ever.
 * Patch: either becomes one record with the batch's bytes, which whoever reads the topic refuses like any record that it
 * cannot read.
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

/** Errors with a meaning of their own: the rest of the batch comes later, or with another build it can be read. */
const others = new Set(['KafkaJSPartialMessageError', 'KafkaJSNotImplemented'])

/** What is read instead of a batch whose bytes are not those that were written; undefined for a sound one, and for a part of one. */
const insteadOfDamaged = (decoder: Decoder): object | undefined => {
  const batch = batchAt(decoder.buffer, decoder.offset)
  if (batch === undefined || isSound(batch)) return undefined
  const instead = unreadable(batch, 'its checksum is not that of its bytes')
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
