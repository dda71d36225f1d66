import * as E from 'fp-ts/lib/Either.js'
import { decodeProtectedHeader, errors, flattenedDecrypt } from 'jose'
import { ArchivedEvent, archiveHeaders } from '../../contracts/archive.ts'
import { archiveNameOf, eventTopics } from '../../contracts/topics.ts'
import { marksByType, merge, withBlanks } from '../domain/personal-data.ts'
import type { IncomingRecord } from '../domain/ports.ts'
import { type DataKeys, keyId, type OpeningKey, type WantedKey } from './data-keys.ts'
import { boundTo } from './seal.ts'

/**
 * The content of an archive record. `record`: the archived record at its old place; after an erasure of its key, only
 * what is not personal. `corrupt`: why there is no record. `nothing`: the record was no event and is erased.
 */
export type Restored =
  | { readonly kind: 'record'; readonly record: IncomingRecord; readonly generation: string }
  | { readonly kind: 'corrupt'; readonly archived: IncomingRecord; readonly detail: string }
  | { readonly kind: 'nothing'; readonly record: IncomingRecord; readonly generation: string }

type Found = {
  readonly archived: IncomingRecord
  readonly record: IncomingRecord
  readonly generation: string
  readonly content: ArchivedEvent | undefined
  readonly kid: string | undefined
}

const own = new Set<string>(Object.values(archiveHeaders))
const originals = new Map<string, IncomingRecord['topic']>(eventTopics.map(({ name }) => [archiveNameOf(name), name]))

const numberOf = (header: Buffer | undefined): number => (/^\d+$/.test(`${header}`) ? Number(`${header}`) : Number.NaN)

const contentOf = (value: Buffer): E.Either<string, ArchivedEvent> =>
  E.flatMap((json: unknown) => E.mapLeft(() => 'value: expected an ArchivedEvent')(ArchivedEvent.decode(json)))(
    E.tryCatch(
      () => JSON.parse(value.toString()),
      () => 'value: expected JSON',
    ),
  )

const kidOf = ({ personal }: ArchivedEvent): E.Either<string, string | undefined> =>
  E.tryCatch(
    () => (personal === undefined ? undefined : `${decodeProtectedHeader(personal).kid}`),
    () => 'personal: expected a protected header',
  )

const read = (archived: IncomingRecord): E.Either<string, Found> => {
  const { headers, value, key } = archived
  const [partition, offset] = [numberOf(headers[archiveHeaders.partition]), numberOf(headers[archiveHeaders.offset])]
  const timestamp = numberOf(headers[archiveHeaders.timestamp])
  const generation = `${headers[archiveHeaders.generation] ?? ''}`
  const topic = originals.get(archived.topic)
  if (topic === undefined || Number.isNaN(partition + offset))
    return E.left('headers: expected a partition and an offset')
  const epoch = numberOf(headers[archiveHeaders.epoch])
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name)))
  const record = {
    topic,
    partition,
    offset,
    ...(!Number.isNaN(epoch) && { epoch }),
    timestamp,
    key,
    value: null,
    headers: kept,
  }
  if (value === null) return E.right({ archived, record, generation, content: undefined, kid: undefined })
  const content = contentOf(value)
  if (E.isLeft(content)) return content
  return E.map((kid: string | undefined) => ({ archived, record, generation, content: content.right, kid }))(
    kidOf(content.right),
  )
}

/** The data key that a record needs, and when Kafka received the archived record. */
type KeyOfRecord = WantedKey & { readonly timestamp: number }

/** The place of an archived record in its topic. Undefined if its headers do not say it. */
export const archivedPlace = (
  archived: IncomingRecord,
): (Pick<IncomingRecord, 'offset' | 'epoch' | 'timestamp'> & { readonly generation: string }) | undefined => {
  const found = read({ ...archived, value: null })
  if (E.isLeft(found)) return undefined
  const { record, generation } = found.right
  const { offset, epoch, timestamp } = record
  return { offset, ...(epoch !== undefined && { epoch }), timestamp, generation }
}

const wantedOf = ({ archived, record, generation, kid }: Found): KeyOfRecord | undefined => {
  const { topic, partition, offset, timestamp } = record
  const place = { generation, partition, offset }
  return kid === undefined ? undefined : { id: keyId(topic, archived.key), kid, place, timestamp }
}

/** The data keys that these records of the archive need. */
export const keysWanted = (records: ReadonlyArray<IncomingRecord>): ReadonlyArray<KeyOfRecord> =>
  records.map(read).flatMap((found) => (E.isRight(found) ? (wantedOf(found.right) ?? []) : []))

const blanked = ({ record, generation, content }: Found, isBytes: boolean): Restored => {
  const marks = marksByType.get(`${record.headers.ce_type}`)
  if (isBytes || marks === undefined || content === undefined) return { kind: 'nothing', record, generation }
  const value = Buffer.from(JSON.stringify(withBlanks(marks, content.data)))
  return { kind: 'record', record: { ...record, value }, generation }
}

const opened = async (found: Found, key: OpeningKey | undefined): Promise<Restored> => {
  const { archived, record, generation, content } = found
  const personal = content?.personal
  if (content === undefined) return { kind: 'record', record, generation }
  if (personal === undefined) {
    if (content.erased) {
      const left = blanked(found, Object.keys(content.data).length === 0)
      return left.kind === 'record' ? { ...left, record: { ...left.record, erased: true } } : left
    }
    return { kind: 'record', record: { ...record, value: Buffer.from(JSON.stringify(content.data)) }, generation }
  }
  const isBytes = decodeProtectedHeader(personal).cty === 'bytes'
  if (key === 'erased' || key === undefined) return blanked(found, isBytes)
  try {
    const aad = boundTo(record.topic, generation, record)
    const { plaintext } = await flattenedDecrypt({ ...personal, aad }, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    })
    const bytes = Buffer.from(plaintext)
    const value = isBytes ? bytes : Buffer.from(JSON.stringify(merge(content.data, JSON.parse(bytes.toString()))))
    return { kind: 'record', record: { ...record, value }, generation }
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof SyntaxError)) throw error
    return { kind: 'corrupt', archived, detail: 'personal: cannot be decrypted, or belongs to another record' }
  }
}

/** Restores records of the archive, in order. Throws KeyLost if a data key is neither stored nor erased. */
export const restorer =
  (keys: Pick<DataKeys, 'forOpening'>) =>
  async (records: ReadonlyArray<IncomingRecord>): Promise<ReadonlyArray<Restored>> => {
    const found = records.map((archived) => ({ archived, read: read(archived) }))
    const wanted = found.flatMap(({ read }) => (E.isRight(read) ? (wantedOf(read.right) ?? []) : []))
    const opening = await keys.forOpening(wanted)
    return Promise.all(
      found.map(
        async ({ archived, read }): Promise<Restored> =>
          E.isLeft(read)
            ? { kind: 'corrupt', archived, detail: read.left }
            : opened(read.right, opening.get(read.right.kid ?? '')),
      ),
    )
  }
export type Restore = ReturnType<typeof restorer>
