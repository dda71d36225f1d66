import { createCipheriv, randomBytes } from 'node:crypto'
import { type ArchivedEvent, archiveHeaders } from '../../contracts/archive.ts'
import { archiveNameOf, type EventTopic } from '../../contracts/topics.ts'
import { marksByType, type Split, split } from '../domain/personal-data.ts'
import type { IncomingRecord, OutgoingRecord } from '../domain/ports.ts'
import type { SealingKey } from './data-keys.ts'

type Name = EventTopic['name']

const base64url = (text: string) => Buffer.from(text).toString('base64url')

/** What of a record its encrypted part is bound to: it is refused in any other place. */
export const boundTo = (topic: string, generation: string, { partition, offset, headers }: Place): string =>
  base64url(
    JSON.stringify([topic, generation, partition, offset, `${headers.ce_id ?? ''}`, `${headers.ce_type ?? ''}`]),
  )
type Place = Pick<IncomingRecord, 'partition' | 'offset' | 'headers'>

/** What is not exactly an event of ours cannot be split: all of it counts as personal. */
const splitOf = ({ headers, value }: IncomingRecord, isEvent: boolean): Split & { readonly data: object } => {
  const marks = marksByType.get(`${headers.ce_type ?? ''}`)
  if (!isEvent || marks === undefined || value === null) return { data: {}, personal: undefined }
  const text = value.toString()
  const data = JSON.parse(text)
  if (JSON.stringify(data) !== text) return { data: {}, personal: undefined }
  const { open, personal } = split(marks, data)
  return { data: Object(open), personal }
}

/**
 * A JWE just as jose makes it (RFC 7516, section 5.1, for `dir` and A256GCM), and opens it later. jose encrypts each record in another
 * thread, by WebCrypto, which takes four times the processor time.
 */
const encrypted = (text: Uint8Array, { kid, key }: SealingKey, cty: 'json' | 'bytes', aad: string) => {
  const header = base64url(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid, cty }))
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(`${header}.${aad}`))
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]).toString('base64url')
  const tag = cipher.getAuthTag().toString('base64url')
  return { protected: header, aad, iv: iv.toString('base64url'), ciphertext, tag }
}

const contentOf = (record: IncomingRecord, generation: string, isEvent: boolean, key: SealingKey): ArchivedEvent => {
  const { data, personal } = splitOf(record, isEvent)
  if (personal === null) return { data: { ...data } }
  // It comes again, and what it said was erased after it had come first.
  const { erased } = key
  const isErased = erased?.generation === generation && erased.partition === record.partition
  if (isErased && record.offset <= erased.offset) return { data: { ...data }, erased: true }
  const isJson = personal !== undefined
  const text = isJson ? Buffer.from(JSON.stringify(personal)) : (record.value ?? Buffer.alloc(0))
  const aad = boundTo(record.topic, generation, record)
  return { data: { ...data }, personal: encrypted(text, key, isJson ? 'json' : 'bytes', aad) }
}

/** A record of an event topic as it goes to the archive: personal data encrypted, in the same partition, with its old place. */
export const seal = (
  record: IncomingRecord & { readonly topic: Name },
  generation: string,
  isEvent: boolean,
  key: SealingKey,
): OutgoingRecord => ({
  topic: archiveNameOf(record.topic),
  key: record.key,
  value: record.value === null ? null : JSON.stringify(contentOf(record, generation, isEvent, key)),
  headers: {
    ...record.headers,
    [archiveHeaders.generation]: generation,
    [archiveHeaders.partition]: String(record.partition),
    [archiveHeaders.offset]: String(record.offset),
    [archiveHeaders.timestamp]: String(record.timestamp),
  },
  partition: record.partition,
})
