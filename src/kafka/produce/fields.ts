import type { WireRecord } from '../wire-record.ts'
import type { Writer } from './writer.ts'

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

/** What of a record does not depend on its place in a batch: its key, value and headers. */
export const writeFields = (to: Writer, { key, value, headers }: Omit<WireRecord, 'topic'>): void => {
  to.varbytes(key)
  to.varbytes(value)
  writeHeaders(to, headers)
}
