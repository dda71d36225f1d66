import { createCipheriv, randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { type ArchivedEvent, archiveHeaders } from '../../../contracts/archive.ts'
import { archiveNameOf, type EventTopicName } from '../../../contracts/topics.ts'
import type { IncomingRecord, OutgoingRecord } from '../domain/log/record.ts'
import { marksByType, type Split, split } from '../domain/person/personal-data.ts'
import type { SealingKey } from './data-keys.ts'

const base64url = (text: string) => Buffer.from(text).toString('base64url')

/** The place and the event to which a record's encrypted part is bound. In any other place it is refused. */
export const boundTo = (topic: string, topicId: string, { partition, offset, headers }: Place): string =>
  base64url(JSON.stringify([topic, topicId, partition, offset, `${headers.ce_id ?? ''}`, `${headers.ce_type ?? ''}`]))
type Place = Pick<IncomingRecord, 'partition' | 'offset' | 'headers'>

/** A value that is not exactly an event of the bridge cannot be split, so all of it counts as personal. */
const splitOf = ({ headers, value }: IncomingRecord, isEvent: boolean): Split & { readonly data: object } => {
  const marks = marksByType.get(`${headers.ce_type ?? ''}`)
  if (!isEvent || marks === undefined || value === null) return { data: {}, personal: undefined }
  const text = value.toString()
  const data = JSON.parse(text)
  if (JSON.stringify(data) !== text) return { data: {}, personal: undefined }
  const { open, personal } = split(marks, data)
  return { data: Object(open), personal }
}

/** Nothing can compress an encrypted text, so a large one is compressed before: its record had room only compressed. */
const largeBytes = 512 * 1024

/**
 * Makes the same JWE as jose (RFC 7516, section 5.1, for `dir` and A256GCM). jose opens it later. jose would encrypt
 * each record in another thread, by WebCrypto, which takes four times the processor time.
 */
const encrypted = (text: Uint8Array, { kid, key }: SealingKey, cty: 'json' | 'bytes', aad: string) => {
  const isLarge = text.length > largeBytes
  const header = base64url(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid, cty, ...(isLarge && { zip: 'DEF' }) }))
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(`${header}.${aad}`))
  const content = isLarge ? deflateRawSync(text) : text
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()]).toString('base64url')
  const tag = cipher.getAuthTag().toString('base64url')
  return { protected: header, aad, iv: iv.toString('base64url'), ciphertext, tag }
}

const contentOf = (record: IncomingRecord, topicId: string, isEvent: boolean, key: SealingKey): ArchivedEvent => {
  const { data, personal } = splitOf(record, isEvent)
  if (personal === null) return { data: { ...data } }
  const { erased } = key
  // The record is delivered again, and it was erased after its first delivery.
  const isAgain = erased?.topicId === topicId && erased.partition === record.partition && record.offset <= erased.offset
  if (isAgain || record.erased) return { data: { ...data }, erased: true }
  const isJson = personal !== undefined
  const text = isJson ? Buffer.from(JSON.stringify(personal)) : (record.value ?? Buffer.alloc(0))
  const aad = boundTo(record.topic, topicId, record)
  return { data: { ...data }, personal: encrypted(text, key, isJson ? 'json' : 'bytes', aad) }
}

/** The archived form of a record: in the same partition, with its old place, and with personal data encrypted. */
export const seal = (
  record: IncomingRecord & { readonly topic: EventTopicName },
  topicId: string,
  isEvent: boolean,
  key: SealingKey,
): OutgoingRecord => ({
  topic: archiveNameOf(record.topic),
  key: record.key,
  value: record.value === null ? null : JSON.stringify(contentOf(record, topicId, isEvent, key)),
  headers: {
    ...record.headers,
    [archiveHeaders.generation]: topicId,
    [archiveHeaders.partition]: String(record.partition),
    [archiveHeaders.offset]: String(record.offset),
    ...(record.epoch !== undefined && { [archiveHeaders.epoch]: String(record.epoch) }),
    [archiveHeaders.timestamp]: String(record.timestamp),
  },
  partition: record.partition,
})
