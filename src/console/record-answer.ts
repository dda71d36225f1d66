import * as t from 'io-ts'
import { Count, exactShape } from '../../contracts/primitives.ts'
import type { IncomingRecord } from '../bridge/domain/log/record.ts'
import { allHeaders } from '../bridge/kafka/wire-record.ts'
import { utf8Text } from '../bridge/shared/text.ts'

/** The place of a record. */
export const place = { topic: t.string, partition: Count, offset: Count }

/** A header value, key or value: `text`, or `base64` if the bytes are not UTF-8. */
const Bytes = t.union([t.strict({ text: t.string }), t.strict({ base64: t.string }), t.null])
/** A complete record. */
export const RecordAnswer = exactShape(
  { ...place, time: t.string, key: Bytes, value: Bytes, headers: t.array(t.strict({ name: t.string, value: Bytes })) },
  {},
  'RecordAnswer',
)
export type RecordAnswer = t.TypeOf<typeof RecordAnswer>

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
