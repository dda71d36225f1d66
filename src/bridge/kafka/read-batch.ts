import { lookupCodecByAttributes } from './kafkajs-internals.ts'
import { type Cursor, repeatedHeaders, skipField, skipHeaders, varint } from './record-headers.ts'

/** Where the fields of a batch are (Kafka's message format 2). */
const at = {
  firstOffset: 0,
  leaderEpoch: 12,
  attributes: 21,
  lastOffsetDelta: 23,
  firstTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  count: 57,
  records: 61,
}
const appendTimes = 0x08
const transactional = 0x10
const control = 0x20

/** The fields that all records of a batch share, under kafkajs's names. */
type BatchContext = {
  readonly firstOffset: string
  readonly lastOffsetDelta: number
  readonly partitionLeaderEpoch: number
  readonly producerId: string
  readonly inTransaction: boolean
  readonly isControlBatch: boolean
}

const fieldAt = ({ bytes, at: end }: Cursor, length: number): Buffer | null =>
  length < 0 ? null : bytes.subarray(end - length, end)

/** One record in kafkajs's form. Throws if its fields do not fill its length. */
const readRecord = (
  cursor: Cursor,
  batchContext: BatchContext,
  first: number,
  timestampOf: (delta: number) => string,
) => {
  const length = varint(cursor)
  const end = cursor.at + length
  if (length < 0 || end > cursor.end) throw new RangeError('a record ends after its batch')
  const attributes = cursor.bytes[cursor.at++] ?? 0
  const timestamp = timestampOf(varint(cursor))
  const offset = String(first + varint(cursor))
  const key = fieldAt(cursor, skipField(cursor))
  const value = fieldAt(cursor, skipField(cursor))
  const from = cursor.at
  skipHeaders(cursor)
  if (cursor.at !== end) throw new RangeError('a record has another length than its fields')
  const headers = repeatedHeaders({ bytes: cursor.bytes, from, to: end })
  const isControlRecord = batchContext.isControlBatch
  return { magicByte: 2, attributes, timestamp, offset, key, value, headers, isControlRecord, batchContext }
}

/**
 * The records of a batch, in the form of kafkajs. Its own decoder makes a few dozen objects for each record, most of
 * them for headers, which need more memory than the records themselves.
 */
export const readBatch = async (batch: Buffer) => {
  const attributes = batch.readInt16BE(at.attributes)
  const firstOffset = batch.readBigInt64BE(at.firstOffset)
  const context: BatchContext = {
    firstOffset: String(firstOffset),
    lastOffsetDelta: batch.readInt32BE(at.lastOffsetDelta),
    partitionLeaderEpoch: batch.readInt32BE(at.leaderEpoch),
    producerId: String(batch.readBigInt64BE(at.producerId)),
    inTransaction: (attributes & transactional) !== 0,
    isControlBatch: (attributes & control) !== 0,
  }
  const [firstTimestamp, maxTimestamp] = [at.firstTimestamp, at.maxTimestamp].map((place) =>
    Number(batch.readBigInt64BE(place)),
  ) as [number, number]
  const appended = (attributes & appendTimes) !== 0 ? String(maxTimestamp) : undefined
  const timestampOf = (delta: number) => appended ?? String(firstTimestamp + delta)
  const codec = lookupCodecByAttributes(attributes)
  const encoded = batch.subarray(at.records)
  // A copy: otherwise one record that waits would keep the whole answer of the broker in memory, with all partitions.
  const bytes = codec === null ? Buffer.from(encoded) : await codec.decompress(encoded)
  const cursor = { bytes, at: 0, end: bytes.length }
  const records: Array<ReturnType<typeof readRecord>> = []
  for (let left = batch.readInt32BE(at.count); left > 0; left--)
    records.push(readRecord(cursor, context, Number(firstOffset), timestampOf))
  return { ...context, records }
}
