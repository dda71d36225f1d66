import type { IncomingRecord, OutgoingRecord } from '../domain/ports.ts'

type Header = Buffer | string
export type WireHeaders = Readonly<Record<string, Header | ReadonlyArray<Header>>>

/** A record as Kafka takes it: a header may stand more than once, which a port's record cannot say. */
export type WireRecord = Omit<OutgoingRecord, 'headers'> & { readonly headers: WireHeaders }

const lengthOf = (part: Header | null) => (part === null ? 0 : Buffer.byteLength(part))
const perHeader = 8
const perRecord = 32

/** Bytes of a record in a batch, rather too many than too few. */
export const sizeOf = (record: WireRecord): number => {
  const { key, value, headers } = record
  let size = lengthOf(key) + lengthOf(value) + perRecord
  for (const name in headers) {
    const header = headers[name]
    if (header === undefined) continue
    if (typeof header === 'string' || Buffer.isBuffer(header)) size += name.length + lengthOf(header) + perHeader
    else for (const one of header) size += name.length + lengthOf(one) + perHeader
  }
  return size
}

const repeated = new WeakMap<IncomingRecord, WireHeaders>()

/** Notes the headers of a record that has one more than once, for `allHeaders`. */
export const noteHeaders = (record: IncomingRecord, headers: WireHeaders): void => {
  repeated.set(record, headers)
}

/** A record's headers with all repetitions, as they were read. */
export const allHeaders = (record: IncomingRecord): WireHeaders => repeated.get(record) ?? record.headers
