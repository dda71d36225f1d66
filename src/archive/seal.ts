import { FlattenedEncrypt } from 'jose'
import { type ArchivedEvent, archiveHeaders } from '../../contracts/archive.ts'
import { archiveNameOf, type EventTopic } from '../../contracts/topics.ts'
import { marksByType, type Split, split } from '../domain/personal-data.ts'
import type { IncomingRecord, OutgoingRecord } from '../domain/ports.ts'
import type { SealingKey } from './data-keys.ts'

type Name = EventTopic['name']

/** What of a record its encrypted part is bound to: it is refused in any other place. */
export const boundTo = (topic: string, generation: string, { partition, offset, headers }: Place): Uint8Array =>
  Buffer.from(
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

const contentOf = async (
  record: IncomingRecord,
  generation: string,
  isEvent: boolean,
  { kid, key, erased }: SealingKey,
): Promise<ArchivedEvent> => {
  const { data, personal } = splitOf(record, isEvent)
  if (personal === null) return { data: { ...data } }
  // It comes again, and what it said was erased after it had come first.
  const isErased = erased?.generation === generation && erased.partition === record.partition
  if (isErased && record.offset <= erased.offset) return { data: { ...data }, erased: true }
  const isJson = personal !== undefined
  const text = isJson ? Buffer.from(JSON.stringify(personal)) : (record.value ?? Buffer.alloc(0))
  const {
    protected: header = '',
    aad = '',
    iv = '',
    ciphertext,
    tag = '',
  } = await new FlattenedEncrypt(text)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid, cty: isJson ? 'json' : 'bytes' })
    .setAdditionalAuthenticatedData(boundTo(record.topic, generation, record))
    .encrypt(key)
  return { data: { ...data }, personal: { protected: header, aad, iv, ciphertext, tag } }
}

/** A record of an event topic as it goes to the archive: personal data encrypted, in the same partition, with its old place. */
export const seal = async (
  record: IncomingRecord & { readonly topic: Name },
  generation: string,
  isEvent: boolean,
  key: SealingKey,
): Promise<OutgoingRecord> => ({
  topic: archiveNameOf(record.topic),
  key: record.key,
  value: record.value === null ? null : JSON.stringify(await contentOf(record, generation, isEvent, key)),
  headers: {
    ...record.headers,
    [archiveHeaders.generation]: generation,
    [archiveHeaders.partition]: String(record.partition),
    [archiveHeaders.offset]: String(record.offset),
    [archiveHeaders.timestamp]: String(record.timestamp),
  },
  partition: record.partition,
})
