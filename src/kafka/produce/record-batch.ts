import { crc32c } from '@node-rs/crc32'
import type { Message } from 'kafkajs'
import { writeFields } from './fields.ts'
import { sizeOfVarint, type Writer } from './writer.ts'

/** A message, or one of which all that does not depend on its place has been written already: then nothing else counts. */
export type BatchMessage = Message & { readonly packed?: Uint8Array }

const magic = 2
const noProducer = -1

const bytesBeforeOffset = 2

const writeRecord = (to: Writer, message: BatchMessage, offset: number): void => {
  const { int8, varint } = to
  const begin = () => {
    int8(0)
    varint(0)
    varint(offset)
  }
  const { packed } = message
  if (packed === undefined)
    to.measured(() => {
      begin()
      writeFields(to, message)
    })
  else {
    varint(bytesBeforeOffset + sizeOfVarint(offset) + packed.length)
    begin()
    to.raw(packed)
  }
}

/**
 * A batch of records in version 2 of Kafka's format, uncompressed, without a producer's id, all of one time (ms since 1970),
 * with its length before it: what kafkajs writes, without a buffer for every number and every header.
 */
export const writeRecordBatch = (to: Writer, messages: ReadonlyArray<BatchMessage>, timestamp: number): void => {
  const { int8, int16, int32, int64, position, int32At } = to
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
  for (let i = 0; i < messages.length; i++) writeRecord(to, messages[i] as BatchMessage, i)
  const end = position()
  int32At(lengthAt, end - lengthAt - 4)
  int32At(crcAt, crc32c(to.bytes().subarray(checkedFrom)) | 0)
}
