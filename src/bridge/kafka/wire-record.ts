import type { IHeaders, KafkaMessage } from 'kafkajs'
import type { TopicName } from '../../../contracts/topics.ts'
import type { IncomingRecord, OutgoingRecord } from '../domain/log/record.ts'
import { encodedOf, lastHeaders, repeatedHeaders } from './record-headers.ts'

export type Header = Buffer | string
export type WireHeaders = Readonly<Record<string, Header | ReadonlyArray<Header>>>

/** A record in Kafka's form: a header may be repeated, which the records of `domain/log/record.ts` do not support. */
export type WireRecord = Omit<OutgoingRecord, 'headers'> & { readonly headers: WireHeaders }

/** A record's headers as they were read, including repeated headers. */
export const allHeaders = ({ headers }: Pick<IncomingRecord, 'headers'>): WireHeaders => {
  const encoded = encodedOf(headers)
  return encoded === undefined ? headers : repeatedHeaders(encoded)
}

/** Headers that kafkajs itself has decoded, from a log in a format of before Kafka 0.11: there are none. */
const decoded = (headers: IHeaders | undefined): IncomingRecord['headers'] =>
  Object.fromEntries(
    Object.entries(headers ?? {}).flatMap(([name, header]) => {
      const last = [header].flat().at(-1)
      return last === undefined ? [] : [[name, Buffer.from(last)]]
    }),
  )

type Message = Pick<KafkaMessage, 'offset' | 'timestamp' | 'key' | 'value' | 'headers'> & {
  /** kafkajs has the fields of the record's batch here, but not in its types. */
  readonly batchContext?: { readonly partitionLeaderEpoch?: number }
}

/** The leader epoch in which a message was appended. Undefined in a format without epochs. */
export const epochIn = ({ batchContext }: Message): number | undefined => {
  const epoch = batchContext?.partitionLeaderEpoch
  return epoch === undefined || epoch < 0 ? undefined : epoch
}

/** Converts a kafkajs message to a record of `domain/log/record.ts`, with the last value of a repeated header. */
export const toIncoming = (topic: TopicName, partition: number, message: Message): IncomingRecord => {
  const { offset, timestamp, key, value, headers } = message
  const epoch = epochIn(message)
  const encoded = headers && encodedOf(headers)
  return {
    topic,
    partition,
    offset: Number(offset),
    ...(epoch !== undefined && { epoch }),
    timestamp: Number(timestamp),
    key,
    value,
    headers: encoded === undefined ? decoded(headers) : lastHeaders(encoded),
  }
}
