import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { crc32c } from '@node-rs/crc32'
import type { WireRecord } from '../wire-record.ts'

/** Writes bytes of Kafka's protocol one after the other into one growing buffer. */
type Writer = {
  readonly position: () => number
  readonly int8: (value: number) => void
  readonly int16: (value: number) => void
  readonly int32: (value: number) => void
  /** An integer that a double can hold exactly. */
  readonly int64: (value: number) => void
  readonly varint: (value: number) => void
  /** The length as a varint, then the bytes. Null has the length -1. */
  readonly varbytes: (value: string | Uint8Array | null) => void
  /** The bytes without a length. */
  readonly raw: (bytes: Uint8Array) => void
  /** The length as an int16, then the text. Null has the length -1. */
  readonly string: (value: string | null) => void
  /** Writes the output of `write`, preceded by its length as a varint. */
  readonly measured: (write: () => void) => void
  /** Overwrites an int32 at a position that was written before. */
  readonly int32At: (place: number, value: number) => void
  readonly bytes: () => Buffer
}

/** Below this length, a loop over the characters is faster than the call into the engine. */
const short = 64
const maxVarintBytes = 10
const shift = 2 ** 32

/** The size of an integer as a varint, in bytes. */
const sizeOfVarint = (value: number): number => {
  let size = 1
  for (let rest = value >= 0 ? value * 2 : -value * 2 - 1; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
  return size
}

const writer = (roomFor: number): Writer => {
  let buffer = Buffer.allocUnsafe(roomFor)
  let at = 0

  const room = (size: number) => {
    if (at + size <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + size))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }
  const varint = (value: number) => {
    room(maxVarintBytes)
    // Zigzag by arithmetic: a delta of milliseconds may not fit into the 32 bits of a shift.
    let rest = value >= 0 ? value * 2 : -value * 2 - 1
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) buffer[at++] = (rest % 0x80) | 0x80
    buffer[at++] = rest
  }
  const text = (value: string, size: number) => {
    room(size)
    if (size === value.length && size < short) for (let i = 0; i < size; i++) buffer[at + i] = value.charCodeAt(i)
    else buffer.write(value, at, size, 'utf8')
    at += size
  }
  const int32 = (value: number) => {
    room(4)
    at = buffer.writeInt32BE(value, at)
  }

  const raw = (bytes: Uint8Array) => {
    room(bytes.length)
    buffer.set(bytes, at)
    at += bytes.length
  }

  return {
    position: () => at,
    int8: (value) => {
      room(1)
      at = buffer.writeInt8(value, at)
    },
    int16: (value) => {
      room(2)
      at = buffer.writeInt16BE(value, at)
    },
    int32,
    int64: (value) => {
      int32(Math.floor(value / shift))
      int32((value - Math.floor(value / shift) * shift) | 0)
    },
    varint,
    varbytes: (value) => {
      if (value === null) return varint(-1)
      if (typeof value === 'string') {
        const size = Buffer.byteLength(value)
        varint(size)
        return text(value, size)
      }
      varint(value.length)
      raw(value)
    },
    raw,
    string: (value) => {
      const size = value === null ? -1 : Buffer.byteLength(value)
      room(2)
      at = buffer.writeInt16BE(size, at)
      if (value !== null) text(value, size)
    },
    measured: (write) => {
      const start = at
      write()
      const size = at - start
      room(maxVarintBytes)
      buffer.copyWithin(start + sizeOfVarint(size), start, at)
      at = start
      varint(size)
      at += size
    },
    int32At: (place, value) => {
      buffer.writeInt32BE(value, place)
    },
    bytes: () => buffer.subarray(0, at),
  }
}

const writeHeaders = ({ varint, varbytes }: Writer, headers: WireRecord['headers']): void => {
  const names = Object.keys(headers)
  let count = 0
  for (const name of names) {
    const value = headers[name]
    count += Array.isArray(value) ? value.length : 1
  }
  varint(count)
  for (const name of names) {
    const value = headers[name]
    for (const one of Array.isArray(value) ? value : [value]) {
      varbytes(name)
      varbytes(one ?? null)
    }
  }
}

/** Writes the fields that do not depend on the record's place in the batch: key, value and headers. */
const writeFields = (to: Writer, { key, value, headers }: Omit<WireRecord, 'topic'>): void => {
  to.varbytes(key)
  to.varbytes(value)
  writeHeaders(to, headers)
}

/** Identifies a batch of a producer. With it the broker recognises a batch that it already has, and appends it once. */
export type Identity = { readonly producerId: number; readonly sequence: number }
export const noIdentity: Identity = { producerId: -1, sequence: 0 }

export type RecordBatch = {
  readonly records: ReadonlyArray<WireRecord>
  readonly identity: Identity
  readonly isCompressed: boolean
}

const magic = 2
const producerEpoch = 0
const gzipped = 1
const usualBytes = 2_048
const compress = promisify(gzip)

const writeRecord = (to: Writer, record: WireRecord, offset: number): void => {
  to.measured(() => {
    to.int8(0)
    to.varint(0)
    to.varint(offset)
    writeFields(to, record)
  })
}
const writeRecords = (to: Writer, records: ReadonlyArray<WireRecord>): void => {
  for (const [offset, record] of records.entries()) writeRecord(to, record, offset)
}

/** Writes a batch's length and the batch, in version 2 of Kafka's format. All records get one timestamp (Unix ms). */
const writeBatch = async (to: Writer, batch: RecordBatch, timestamp: number): Promise<void> => {
  const { records, identity, isCompressed } = batch
  const { int8, int16, int32, int64, position, int32At } = to
  const sizeAt = position()
  int32(0)
  int64(0)
  const lengthAt = position()
  int32(0)
  int32(0)
  int8(magic)
  const crcAt = position()
  int32(0)
  const checkedFrom = position()
  int16(isCompressed ? gzipped : 0)
  int32(records.length - 1)
  int64(timestamp)
  int64(timestamp)
  int64(identity.producerId)
  int16(producerEpoch)
  int32(identity.sequence)
  int32(records.length)
  if (isCompressed) {
    const plain = writer(usualBytes)
    writeRecords(plain, records)
    to.raw(await compress(plain.bytes()))
  } else writeRecords(to, records)
  const end = position()
  int32At(lengthAt, end - lengthAt - 4)
  int32At(crcAt, crc32c(to.bytes().subarray(checkedFrom)) | 0)
  int32At(sizeAt, end - sizeAt - 4)
}

/** A batch and its destination. `topic` is the full name. */
export type ProduceBatch = RecordBatch & { readonly topic: string; readonly partition: number }
type ProduceRequest = {
  readonly acks: number
  readonly timeoutMs: number
  readonly batches: ReadonlyArray<ProduceBatch>
}

/**
 * The body of a Produce request, versions 3 to 8. kafkajs's own encoder allocates a buffer for each number, header and
 * record. That would be two thirds of the cost of a request in this process.
 */
export const encodeProduce = async (
  { acks, timeoutMs, batches }: ProduceRequest,
  timestamp: number,
): Promise<Buffer> => {
  const records = batches.reduce((sum, batch) => sum + batch.records.length, 0)
  const to = writer(usualBytes * (records + 1))
  const byTopic = Map.groupBy(batches, ({ topic }) => topic)
  to.string(null)
  to.int16(acks)
  to.int32(timeoutMs)
  to.int32(byTopic.size)
  for (const [topic, ofTopic] of byTopic) {
    to.string(topic)
    to.int32(ofTopic.length)
    for (const batch of ofTopic) {
      to.int32(batch.partition)
      await writeBatch(to, batch, timestamp)
    }
  }
  return to.bytes()
}
