import { crc32c } from '@node-rs/crc32'
import type { IncomingRecord } from '../domain/ports.ts'

/** A batch of records as it stands in the log, from its offset to its end (Kafka's message format 2). */
type RawBatch = Buffer

const at = {
  ...{ firstOffset: 0, length: 8, behindLength: 12, crc: 17, behindCrc: 21 },
  ...{ lastOffsetDelta: 23, maxTimestamp: 35, producerId: 43, count: 57 },
}
const headerBytes = 61

/** The batch that begins there; undefined where only a part of it has come, or it is too short to be one. */
export const batchAt = (bytes: Buffer, begins: number): RawBatch | undefined => {
  const end = begins + at.behindLength + bytes.readInt32BE(begins + at.length)
  return end > bytes.length || end - begins < headerBytes ? undefined : bytes.subarray(begins, end)
}

/** Whether a batch's bytes are those that were written, as its checksum tells. */
export const isSound = (batch: RawBatch): boolean => crc32c(batch.subarray(at.behindCrc)) === batch.readUInt32BE(at.crc)

const reasons = new WeakMap<Buffer, string>()

/**
 * What kafkajs would make of a batch with one record: the batch's bytes as the value, at the batch's last offset, so that
 * reading goes on behind it. Undefined where the batch's own header contradicts itself: then its end is not known.
 */
export const unreadable = (batch: RawBatch, reason: string): object | undefined => {
  if (batch.length < headerBytes) return undefined
  const [delta, count] = [batch.readInt32BE(at.lastOffsetDelta), batch.readInt32BE(at.count)]
  if (delta < 0 || delta !== count - 1) return undefined
  reasons.set(batch, reason)
  const batchContext = {
    firstOffset: String(batch.readBigInt64BE(at.firstOffset)),
    producerId: String(batch.readBigInt64BE(at.producerId)),
    inTransaction: false,
    isControlBatch: false,
  }
  const record = {
    ...{ offset: String(batch.readBigInt64BE(at.firstOffset) + BigInt(delta)), attributes: 0, magicByte: 2 },
    ...{ timestamp: String(batch.readBigInt64BE(at.maxTimestamp)), key: null, value: batch, headers: {} },
    ...{ isControlRecord: false, batchContext },
  }
  return { ...batchContext, records: [record] }
}

/** The cause of a dead letter that is a whole batch. */
export const unreadableBatch = 'unreadable-batch'

/** Why a record's value is a whole batch that could not be read, if it is one. */
export const whyUnreadable = (value: Buffer | null): string | undefined =>
  value === null ? undefined : reasons.get(value)

/** Of a whole batch that could not be read its header, which says where it stood and nothing of its records. */
export const batchHeaderOf = (value: Buffer): Buffer | undefined =>
  whyUnreadable(value) === undefined ? undefined : value.subarray(0, headerBytes)

/** The first offset of what a record stands for: of a whole batch that could not be read its first record's, else its own. */
export const firstOffsetOf = ({ offset, key, value }: Pick<IncomingRecord, 'offset' | 'key' | 'value'>): number => {
  if (key !== null || value === null || value.length < headerBytes) return offset
  const [first, delta] = [Number(value.readBigInt64BE(at.firstOffset)), value.readInt32BE(at.lastOffsetDelta)]
  return delta > 0 && first + delta === offset ? first : offset
}
