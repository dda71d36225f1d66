import * as E from 'fp-ts/lib/Either.js'
import { decodeProtectedHeader, errors, flattenedDecrypt } from 'jose'
import { ArchivedEvent, archiveHeaders } from '../../../contracts/archive.ts'
import { copiedTopicOf } from '../../../contracts/topics.ts'
import type { LogPlace } from '../domain/log/positions.ts'
import type { IncomingRecord } from '../domain/log/record.ts'
import { marksByType, merge, withBlanks } from '../domain/person/personal-data.ts'
import { type DataKeys, keyId, lostText, type OpeningKey, type WantedKey } from './data-keys.ts'
import { boundTo } from './seal.ts'

type Located = { readonly record: IncomingRecord; readonly topicId: string }

export type Content =
  | ({ readonly kind: 'record' | 'nothing' } & Located)
  | ({ readonly kind: 'lost'; readonly detail: string } & Located)
  | { readonly kind: 'corrupt'; readonly detail: string }

/**
 * The content of an archive record. `record`: the archived record at its old place; after an erasure of its key, only
 * what is not personal. `corrupt`: why there is no record. `nothing`: the record was no event and is erased. `lost`:
 * MongoDB has lost the key of this copy; the archive may have another copy of the record further on.
 */
export type Restored = { readonly archived: IncomingRecord } & Content

type Found = {
  readonly archived: IncomingRecord
  readonly record: IncomingRecord
  readonly topicId: string
  readonly content: ArchivedEvent | undefined
  readonly kid: string | undefined
}

/** No record of an event topic is larger. */
const largestBytes = 64 * 1024 * 1024

const own = new Set<string>(Object.values(archiveHeaders))

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
  const topicId = `${headers[archiveHeaders.generation] ?? ''}`
  const topic = copiedTopicOf(archived.topic)
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
  if (value === null) return E.right({ archived, record, topicId, content: undefined, kid: undefined })
  const content = contentOf(value)
  if (E.isLeft(content)) return content
  return E.map((kid: string | undefined) => ({ archived, record, topicId, content: content.right, kid }))(
    kidOf(content.right),
  )
}

/**
 * Where an archived record was, and when Kafka received it there. `wanted`: the data key that it needs; undefined if
 * nothing of it is encrypted.
 */
export type Archived = { readonly place: LogPlace; readonly timestamp: number; readonly wanted?: WantedKey }

/** The place of an archived record in its topic. Undefined if its headers do not say it. */
export const archivedPlace = (
  archived: IncomingRecord,
): (Pick<IncomingRecord, 'offset' | 'epoch' | 'timestamp'> & { readonly topicId: string }) | undefined => {
  const found = read({ ...archived, value: null })
  if (E.isLeft(found)) return undefined
  const { record, topicId } = found.right
  const { offset, epoch, timestamp } = record
  return { offset, ...(epoch !== undefined && { epoch }), timestamp, topicId }
}

const placeOf = ({ record: { partition, offset }, topicId }: Found): LogPlace => ({ topicId, partition, offset })
const wantedOf = (found: Found): WantedKey | undefined =>
  found.kid === undefined
    ? undefined
    : { id: keyId(found.record.topic, found.archived.key), kid: found.kid, place: placeOf(found) }

/** What is known of these records of the archive without opening them. Corrupt records are left out. */
export const archivedOf = (records: ReadonlyArray<IncomingRecord>): ReadonlyArray<Archived> =>
  records.map(read).flatMap((found) => {
    if (E.isLeft(found)) return []
    const wanted = wantedOf(found.right)
    return [{ place: placeOf(found.right), timestamp: found.right.record.timestamp, ...(wanted && { wanted }) }]
  })

const blanked = ({ record, topicId, content }: Found, isBytes: boolean): Content => {
  const marks = marksByType.get(`${record.headers.ce_type}`)
  if (isBytes || marks === undefined || content === undefined) return { kind: 'nothing', record, topicId }
  const value = Buffer.from(JSON.stringify(withBlanks(marks, content.data)))
  return { kind: 'record', record: { ...record, value }, topicId }
}

const opened = async (found: Found, key: OpeningKey | undefined): Promise<Content> => {
  const { archived, record, topicId, content } = found
  const personal = content?.personal
  if (content === undefined) return { kind: 'record', record, topicId }
  if (personal === undefined) {
    if (content.erased) {
      const left = blanked(found, Object.keys(content.data).length === 0)
      return left.kind === 'record' ? { ...left, record: { ...left.record, erased: true } } : left
    }
    return { kind: 'record', record: { ...record, value: Buffer.from(JSON.stringify(content.data)) }, topicId }
  }
  const isBytes = decodeProtectedHeader(personal).cty === 'bytes'
  if (key === 'erased' || key === undefined) return blanked(found, isBytes)
  if (key === 'lost')
    return { kind: 'lost', record, topicId, detail: lostText(keyId(record.topic, archived.key), found.kid ?? '') }
  try {
    const aad = boundTo(record.topic, topicId, record)
    const { plaintext } = await flattenedDecrypt({ ...personal, aad }, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      maxDecompressedLength: largestBytes,
    })
    const bytes = Buffer.from(plaintext)
    const value = isBytes ? bytes : Buffer.from(JSON.stringify(merge(content.data, JSON.parse(bytes.toString()))))
    return { kind: 'record', record: { ...record, value }, topicId }
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof SyntaxError)) throw error
    return { kind: 'corrupt', detail: 'personal: cannot be decrypted, or belongs to another record' }
  }
}

/** Restores records of the archive, in order. */
export const restorer =
  (keys: Pick<DataKeys, 'forOpening'>) =>
  async (records: ReadonlyArray<IncomingRecord>): Promise<ReadonlyArray<Restored>> => {
    const found = records.map((archived) => {
      const content = read(archived)
      return { archived, content, wanted: E.isRight(content) ? wantedOf(content.right) : undefined }
    })
    const opening = await keys.forOpening(found.flatMap(({ wanted }) => wanted ?? []))
    return Promise.all(
      found.map(
        async ({ archived, content, wanted }): Promise<Restored> => ({
          archived,
          ...(E.isLeft(content)
            ? { kind: 'corrupt', detail: content.left }
            : await opened(content.right, wanted && opening.get(wanted))),
        }),
      ),
    )
  }
export type Restore = ReturnType<typeof restorer>
