import { crc32c } from '@node-rs/crc32'
import type { IncomingRecord } from '../domain/log/record.ts'

/** The bytes of a batch in the log, from its offset field to its end (Kafka's message format 2). */
type RawBatch = Buffer

const at = {
  firstOffset: 0,
  length: 8,
  behindLength: 12,
  leaderEpoch: 12,
  crc: 17,
  behindCrc: 21,
  lastOffsetDelta: 23,
  maxTimestamp: 35,
  producerId: 43,
  count: 57,
}
const headerBytes = 61

/** The batch that begins at `begins`. Undefined if only a part of it was received, or it is too short for a batch. */
export const batchAt = (bytes: Buffer, begins: number): RawBatch | undefined => {
  const end = begins + at.behindLength + bytes.readInt32BE(begins + at.length)
  return end > bytes.length || end - begins < headerBytes ? undefined : bytes.subarray(begins, end)
}

/** Whether the batch's checksum is correct. */
export const isSound = (batch: RawBatch): boolean => crc32c(batch.subarray(at.behindCrc)) === batch.readUInt32BE(at.crc)

const reasons = new WeakMap<Buffer, string>()

/**
 * Replaces a batch by one with a single record, in kafkajs's format: the value is the batch's bytes, the offset is the
 * batch's last one, so that reading continues behind it. Undefined if the batch's header contradicts itself: then its
 * last offset is not known.
 */
export const unreadable = (batch: RawBatch, reason: string): object | undefined => {
  if (batch.length < headerBytes) return undefined
  const [delta, count] = [batch.readInt32BE(at.lastOffsetDelta), batch.readInt32BE(at.count)]
  if (delta < 0 || delta !== count - 1) return undefined
  reasons.set(batch, reason)
  const batchContext = {
    firstOffset: String(batch.readBigInt64BE(at.firstOffset)),
    partitionLeaderEpoch: batch.readInt32BE(at.leaderEpoch),
    producerId: String(batch.readBigInt64BE(at.producerId)),
    inTransaction: false,
    isControlBatch: false,
  }
  const record = {
    offset: String(batch.readBigInt64BE(at.firstOffset) + BigInt(delta)),
    attributes: 0,
    magicByte: 2,
    timestamp: String(batch.readBigInt64BE(at.maxTimestamp)),
    key: null,
    value: batch,
    headers: {},
    isControlRecord: false,
    batchContext,
  }
  return { ...batchContext, records: [record] }
}

/** The cause of a dead letter that is a whole batch. */
export const unreadableBatch = 'unreadable-batch'

/** If the record's value is a whole unreadable batch: the reason. */
export const whyUnreadable = (value: Buffer | null): string | undefined =>
  value === null ? undefined : reasons.get(value)

/** The header of a whole unreadable batch. It contains the batch's offset but no data of its records. */
export const batchHeaderOf = (value: Buffer): Buffer | undefined =>
  whyUnreadable(value) === undefined ? undefined : value.subarray(0, headerBytes)

/** The first offset that a record represents: its own, or the first offset of a whole unreadable batch. */
export const firstOffsetOf = ({ offset, key, value }: Pick<IncomingRecord, 'offset' | 'key' | 'value'>): number => {
  if (key !== null || value === null || value.length < headerBytes) return offset
  const [first, delta] = [Number(value.readBigInt64BE(at.firstOffset)), value.readInt32BE(at.lastOffsetDelta)]
  return delta > 0 && first + delta === offset ? first : offset
}
