import type { IHeaders, KafkaMessage } from 'kafkajs'
import type { TopicName } from '../../contracts/topics.ts'
import type { IncomingRecord, OutgoingRecord } from '../domain/ports.ts'

export type Header = Buffer | string
export type WireHeaders = Readonly<Record<string, Header | ReadonlyArray<Header>>>

/** A record as Kafka takes it: a header may stand more than once, which a port's record cannot say. */
export type WireRecord = Omit<OutgoingRecord, 'headers'> & { readonly headers: WireHeaders }

const repeated = new WeakMap<IncomingRecord, WireHeaders>()

/** Notes the headers of a record that has one more than once, for `allHeaders`. */
const noteHeaders = (record: IncomingRecord, headers: WireHeaders): void => {
  repeated.set(record, headers)
}

/** A record's headers with all repetitions, as they were read. */
export const allHeaders = (record: IncomingRecord): WireHeaders => repeated.get(record) ?? record.headers

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

/** A kafkajs message as a record of the port; of a repeated header, the last. */
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
