import type { IHeaders, KafkaMessage } from 'kafkajs'
import type { TopicName } from '../../contracts/topics.ts'
import type { IncomingRecord, OutgoingRecord } from '../domain/ports.ts'

export type Header = Buffer | string
export type WireHeaders = Readonly<Record<string, Header | ReadonlyArray<Header>>>

/** A record in Kafka's form: a header may be repeated, which the records of `domain/ports.ts` do not support. */
export type WireRecord = Omit<OutgoingRecord, 'headers'> & { readonly headers: WireHeaders }

const repeated = new WeakMap<IncomingRecord, WireHeaders>()

/** Stores the headers of a record with repeated headers for `allHeaders`. */
const noteHeaders = (record: IncomingRecord, headers: WireHeaders): void => {
  repeated.set(record, headers)
}

/** A record's headers as they were read, including repeated headers. */
export const allHeaders = (record: IncomingRecord): WireHeaders => repeated.get(record) ?? record.headers

const none = Buffer.alloc(0)

// kafkajs returns null for a header without a value. A header with the name of an Object property is an array that
// begins with that property.
const valuesOf = (header: IHeaders[string] | null): ReadonlyArray<Buffer> => {
  const values = [header].flat().flatMap((value) => (typeof value === 'string' ? Buffer.from(value) : (value ?? none)))
  return values.filter((value) => Buffer.isBuffer(value))
}

const hasOnlyBuffers = (headers: IHeaders): headers is Record<string, Buffer> => {
  for (const name in headers) if (!Buffer.isBuffer(headers[name])) return false
  return true
}

type Message = Pick<KafkaMessage, 'offset' | 'timestamp' | 'key' | 'value' | 'headers'> & {
  /** kafkajs has the fields of the record's batch here, but not in its types. */
  readonly batchContext?: { readonly partitionLeaderEpoch?: number }
}

/** The leader epoch in which a message was appended. Undefined in a format without epochs. */
export const epochIn = ({ batchContext }: Message): number | undefined => {
  const epoch = batchContext?.partitionLeaderEpoch
  return epoch === undefined || epoch < 0 ? undefined : epoch
}

/** Converts a kafkajs message to a record of `domain/ports.ts`, with the last value of a repeated header. */
export const toIncoming = (topic: TopicName, partition: number, message: Message): IncomingRecord => {
  const { offset, timestamp, key, value, headers } = message
  const epoch = epochIn(message)
  const record = {
    topic,
    partition,
    offset: Number(offset),
    ...(epoch !== undefined && { epoch }),
    timestamp: Number(timestamp),
    key,
    value,
  }
  // kafkajs made this object for this record alone. If each header is one buffer, it can be used unchanged.
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
