import type { IHeaders, Message } from 'kafkajs'
import { crc32c } from './crc32c.ts'
import type { Writer } from './writer.ts'

const magic = 2
const noProducer = -1

const writeHeaders = ({ varint, varbytes }: Writer, headers: IHeaders = {}): void => {
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

/**
 * A batch of records in version 2 of Kafka's format, uncompressed, without a producer's id, all of one time (ms since 1970),
 * with its length before it: what kafkajs writes, without a buffer for every number and every header.
 */
export const writeRecordBatch = (to: Writer, messages: ReadonlyArray<Message>, timestamp: number): void => {
  const { int8, int16, int32, int64, varint, varbytes, position, int32At } = to
  int64(0)
  const lengthAt = position()
  int32(0)
  int32(0)
  int8(magic)
  const crcAt = position()
  int32(0)
  const checkedFrom = position()
  int16(0)
  int32(messages.length - 1)
  int64(timestamp)
  int64(timestamp)
  int64(noProducer)
  int16(0)
  int32(0)
  int32(messages.length)
  for (const [i, { key = null, value, headers }] of messages.entries())
    to.measured(() => {
      int8(0)
      varint(0)
      varint(i)
      varbytes(key)
      varbytes(value)
      writeHeaders(to, headers)
    })
  const end = position()
  int32At(lengthAt, end - lengthAt - 4)
  int32At(crcAt, crc32c(to.bytes(), checkedFrom, end) | 0)
}
