import type { IHeaders, KafkaMessage } from 'kafkajs'
import type { TopicName } from '../../contracts/topics.ts'
import type { IncomingRecord } from '../domain/ports.ts'
import { noteHeaders } from './wire-record.ts'

const none = Buffer.alloc(0)

// kafkajs reads a header without a value as null, and one named like a property of Object as an array that begins with that.
const valuesOf = (header: IHeaders[string] | null): ReadonlyArray<Buffer> => {
  const values = [header].flat().flatMap((value) => (typeof value === 'string' ? Buffer.from(value) : (value ?? none)))
  return values.filter((value) => Buffer.isBuffer(value))
}

const hasOnlyBuffers = (headers: IHeaders): headers is Record<string, Buffer> => {
  for (const name in headers) if (!Buffer.isBuffer(headers[name])) return false
  return true
}

type Message = Pick<KafkaMessage, 'offset' | 'timestamp' | 'key' | 'value' | 'headers'>

/** A record as the other rooms see it; of a header that stands more than once, the last. */
export const toIncoming = (
  topic: TopicName,
  partition: number,
  { offset, timestamp, key, value, headers }: Message,
): IncomingRecord => {
  const record = { topic, partition, offset: Number(offset), timestamp: Number(timestamp), key, value }
  // kafkajs has made the object for this record alone: where each header is one buffer, it is what is wanted.
  if (headers === undefined || hasOnlyBuffers(headers)) return { ...record, headers: headers ?? {} }
  const all = Object.entries(headers).map(([name, header]) => [name, valuesOf(header)] as const)
  const incoming = {
    ...record,
    headers: Object.fromEntries(all.map(([name, values]) => [name, values.at(-1) ?? none])),
  }
  if (all.some(([, values]) => values.length > 1))
    noteHeaders(
      incoming,
      Object.fromEntries(all.map(([name, values]) => [name, values.length === 1 ? (values[0] ?? none) : values])),
    )
  return incoming
}
