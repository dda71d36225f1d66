import * as E from 'fp-ts/lib/Either.js'
import { type TopicName, topics } from '../../../contracts/topics.ts'
import type { Headers, OutgoingRecord } from '../domain/log/record.ts'

type Field = string | Buffer | null

const tags = { nothing: 0, text: 1, bytes: 2 } as const
const fieldHead = 5

const encodeField = (field: Field): Buffer => {
  const text = typeof field === 'string'
  const length = field === null ? 0 : Buffer.byteLength(field)
  const encoded = Buffer.allocUnsafe(fieldHead + length)
  encoded.writeUInt8(field === null ? tags.nothing : text ? tags.text : tags.bytes)
  encoded.writeUInt32LE(length, 1)
  if (text) encoded.write(field, fieldHead)
  else field?.copy(encoded, fieldHead)
  return encoded
}

const decodeField = (tag: number, bytes: Buffer): Field | undefined => {
  if (tag === tags.text) return bytes.toString()
  if (tag === tags.bytes) return bytes
  return tag === tags.nothing && bytes.length === 0 ? null : undefined
}

const decodeFields = (body: Buffer): ReadonlyArray<Field> | undefined => {
  const fields: Field[] = []
  for (let offset = 0; offset < body.length; ) {
    const start = offset + fieldHead
    const end = start > body.length ? Number.NaN : start + body.readUInt32LE(offset + 1)
    const field = end <= body.length ? decodeField(body.readUInt8(offset), body.subarray(start, end)) : undefined
    if (field === undefined) return undefined
    fields.push(field)
    offset = end
  }
  return fields
}

const decodeHeaders = (fields: ReadonlyArray<Field>): Headers | undefined => {
  const headers: [string, string | Buffer][] = []
  for (let i = 0; i < fields.length; i += 2) {
    const [name, value] = [fields[i], fields[i + 1]]
    if (typeof name !== 'string' || value === undefined || value === null) return undefined
    headers.push([name, value])
  }
  return Object.fromEntries(headers)
}

const isTopic = (name: Field | undefined): name is TopicName => topics.some((topic) => topic.name === name)

/** Encodes topic, key, value, then name and value of each header. The encoding distinguishes text and bytes. */
export const encodeJournaled = ({ topic, key, value, headers }: OutgoingRecord): Buffer =>
  Buffer.concat([topic, key, value, ...Object.entries(headers).flat()].map(encodeField))

/** The record that was encoded, or why the bytes are not readable. */
export const decodeJournaled = (body: Buffer): E.Either<string, OutgoingRecord> => {
  const [topic, key, value, ...rest] = decodeFields(body) ?? []
  const headers = decodeHeaders(rest)
  if (key === undefined || value === undefined || headers === undefined) return E.left('unreadable record')
  return isTopic(topic) ? E.right({ topic, key, value, headers }) : E.left('unknown topic')
}
