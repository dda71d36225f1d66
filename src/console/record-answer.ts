import type { IncomingRecord } from '../bridge/domain/log/record.ts'
import { allHeaders } from '../bridge/kafka/wire-record.ts'
import { utf8Text } from '../bridge/shared/text.ts'
import type { RecordAnswer } from './answers.ts'

const readable = (bytes: Buffer | string | null): RecordAnswer['key'] => {
  if (bytes === null || typeof bytes === 'string') return bytes === null ? null : { text: bytes }
  const text = utf8Text(bytes)
  return text === undefined ? { base64: bytes.toString('base64') } : { text }
}

const timeOf = (ms: number) => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : '')

/** A complete record for a response. The handler must first record the look on the topic `audit`. */
export const recordAnswer = (record: IncomingRecord): RecordAnswer => {
  const { topic, partition, offset, timestamp, key, value } = record
  const headers = Object.entries(allHeaders(record)).flatMap(([name, values]) =>
    [values].flat().map((each) => ({ name, value: readable(each) })),
  )
  return { topic, partition, offset, time: timeOf(timestamp), key: readable(key), value: readable(value), headers }
}
