import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent, ErasureEvent } from '../../../contracts/events/index.ts'
import {
  archiveNameOf,
  type EventTopicName,
  eventTopicNames,
  keyOf,
  type TopicName,
} from '../../../contracts/topics.ts'
import type { CheckHealth } from '../domain/checks.ts'
import { archiverGroup } from '../domain/consumer-groups.ts'
import type { ConsumerSpec } from '../domain/log/consumer.ts'
import type { CommittedOffsets, Ranges, TopicIds } from '../domain/log/positions.ts'
import type { Append, IncomingRecord, Slice } from '../domain/log/record.ts'
import type { FindErased } from '../domain/person/erased.ts'
import { type DataKeys, keyId } from './data-keys.ts'
import { archiveAgain, type LostKeys } from './lost-keys.ts'
import { archivedPlace } from './restore.ts'
import { seal } from './seal.ts'

/** Checked before a record is decoded a second time. It is true of few records. */
export const mayErase = ({ headers }: IncomingRecord): boolean => /Erased/.test(`${headers.ce_type ?? ''}`)

/** The event of a marker of an erasure, which has the key that it erases. Undefined for all other records. */
export const erasureIn = (
  { topic, key }: IncomingRecord,
  decoded: E.Either<unknown, DomainEvent>,
): ErasureEvent | undefined => {
  if (E.isLeft(decoded)) return undefined
  const { right: event } = decoded
  if (event.type !== 'ClientErased' && event.type !== 'ChatErased') return undefined
  const isHere = event.type === 'ClientErased' || event.data.topic === topic
  return isHere && `${key}` === keyOf(event) ? event : undefined
}

const appendWithinMs = 30_000

type EventRecord = IncomingRecord & { readonly topic: EventTopicName }

/**
 * Encrypts records of a partition and appends them to its archive. Resolves when all are durable there. `topicId` is
 * the id of their topic.
 */
const copyIntoArchive = ({
  keys,
  decode,
  append,
  findErased,
  batchHeaderOf,
}: {
  readonly keys: DataKeys
  readonly decode: (record: IncomingRecord) => E.Either<unknown, DomainEvent>
  readonly append: Append
  readonly findErased: FindErased
  /** The header of an unreadable batch of records: it says where the batch was. Undefined for other values. */
  readonly batchHeaderOf: (value: Buffer) => Buffer | undefined
}) => {
  const archive = async (records: ReadonlyArray<EventRecord>, topicId: string) => {
    const sealing = await keys.forSealing(new Set(records.map(({ topic, key }) => keyId(topic, key))))
    const all = records.map((record) => ({ record, decoded: decode(record) }))
    const erased = await findErased(all.flatMap(({ decoded }) => (E.isRight(decoded) ? [decoded.right] : [])))
    const sealed = all.map(({ record, decoded }) => {
      const key = sealing.get(keyId(record.topic, record.key))
      if (key === undefined) throw new Error('a data key is missing')
      const isErased = E.isRight(decoded) && erased.has(decoded.right)
      return seal(isErased ? { ...record, erased: true } : record, topicId, E.isRight(decoded), key)
    })
    const outcomes = await Promise.all(sealed.map((record) => append(record, appendWithinMs)))
    const failed = outcomes.find(E.isLeft)
    if (failed !== undefined) throw new Error(`${archiveNameOf(records[0]?.topic ?? 'chats')}: ${failed.left.reason}`)
  }
  /**
   * An erasure finds records by their keys. So the value of a record without a key is never archived. Only the place of
   * an unreadable batch is kept permanently, because a rebuild needs it.
   */
  const archivable = (record: IncomingRecord): IncomingRecord =>
    record.key?.length || record.value === null
      ? record
      : { ...record, value: batchHeaderOf(record.value) ?? Buffer.alloc(0) }
  /** Archives the records before each marker separately, because the data key changes there. */
  return async (name: EventTopicName, records: ReadonlyArray<IncomingRecord>, topicId: string): Promise<void> => {
    let some: EventRecord[] = []
    for (const record of records) {
      if (mayErase(record) && erasureIn(record, decode(record)) !== undefined) {
        if (some.length > 0) await archive(some, topicId)
        await keys.destroy(keyId(name, record.key), { topicId, partition: record.partition, offset: record.offset })
        some = []
      }
      some.push({ ...archivable(record), topic: name })
    }
    if (some.length > 0) await archive(some, topicId)
  }
}

/** The end of each partition's archive, as an offset of the topic `topicId`. 0 if the archive has none of its records. */
export type ArchivedTo = (
  topic: EventTopicName,
  partitions: ReadonlyArray<number>,
  topicId: string,
) => Promise<ReadonlyMap<number, number>>

/** Where the archives of these partitions end, by the last record of each archive. */
export const archivedToIn =
  ({
    ranges,
    fetchRecord,
  }: {
    readonly ranges: Ranges
    readonly fetchRecord: (topic: TopicName, partition: number, offset: number) => Promise<IncomingRecord | undefined>
  }): ArchivedTo =>
  async (topic, partitions, topicId) => {
    const archive = archiveNameOf(topic)
    const ofArchive = await ranges(archive)
    const endOf = async (partition: number) => {
      const { low = 0, high = 0 } = ofArchive.get(partition) ?? {}
      if (low === high) return 0
      const last = await fetchRecord(archive, partition, high - 1)
      const place = last && archivedPlace(last)
      // Another record ends the archive: then only what was committed counts.
      if (place === undefined) return Number.POSITIVE_INFINITY
      // The archive keeps the order of the topics, so it has nothing of the present one.
      return topicId !== '' && place.topicId !== topicId ? 0 : place.offset + 1
    }
    return new Map(await Promise.all(partitions.map(async (partition) => [partition, await endOf(partition)] as const)))
  }

const names = new Map<string, EventTopicName>(eventTopicNames.map((name) => [name, name]))

/**
 * Copies every record of the event topics into the archive, in the same order and partitions. A slice is archived when
 * all its records are durable there. It may be delivered again, so the archive may have a record twice. The marker of
 * an erasure destroys the data key of its record key before any later record is encrypted.
 */
export const archiver = ({
  keys,
  changedArchives,
  archivedTo,
  committed,
  missed,
  reasonOf,
  ...copying
}: Parameters<typeof copyIntoArchive>[0] & {
  /** The archive topics that were created again after they were written to. Their records and offsets are lost. */
  readonly changedArchives: () => Promise<ReadonlyArray<string>>
  readonly archivedTo: ArchivedTo
  /** What the archiver has committed for the topic as it is now. */
  readonly committed: CommittedOffsets
  /** Applies erasures that MongoDB has lost. Says what is to be archived again, or why archiving must not continue. */
  readonly missed: () => Promise<LostKeys>
  /** The text of an error that may be logged. */
  readonly reasonOf: (error: unknown) => string
}) => {
  const copy = copyIntoArchive({ keys, ...copying })
  const again = archiveAgain()
  let topicIds: TopicIds = new Map()
  let trouble: string | undefined
  let fits = false

  const lostArchives = async () => {
    const changed = await changedArchives()
    return changed.length === 0
      ? undefined
      : `${changed.join(', ')}: deleted and created again, so archived records are lost: restore them from a copy`
  }
  const take = async ({ topic, records }: Slice) => {
    const name = names.get(topic)
    if (name !== undefined) await copy(name, records, topicIds.get(name) ?? '')
  }
  const spec: ConsumerSpec = {
    group: archiverGroup,
    topics: eventTopicNames,
    // Each topic has its own archive.
    leftOutIfDenied: eventTopicNames,
    commit: 'when-handled',
    // No process waits for the archive. Larger fetches share the cost of a fetch, a request and a look-up of keys.
    fetchWaitsFor: { bytes: 1024 * 1024, ms: 500 },
    onAssigned: () => {
      keys.forget()
      // The trouble may be of a partition that another process has now.
      trouble = undefined
    },
    refuseTopics: async (ids) => {
      topicIds = new Map([...topicIds, ...ids])
      // Once: the file is read only once too, and this looks at every data key.
      const misfit = fits ? undefined : await keys.misfit()
      if (misfit !== undefined) return misfit
      fits = true
      const lost = await lostArchives()
      if (lost !== undefined) return lost
      if (again.isKnown()) return undefined
      const found = await missed()
      if ('refusal' in found) return found.refusal
      again.begin(found.again)
      return undefined
    },
    mustEnd: lostArchives,
    // The archive's own log may have lost its end. So what it has counts, not only what was committed.
    startAt: async (topic, partition) => {
      const name = names.get(topic)
      const offset = (await committed(archiverGroup, topic)).get(partition)
      if (name === undefined || offset === undefined) return offset
      const from = again.from(topic, partition) ?? offset
      const archived = await archivedTo(name, [partition], topicIds.get(name) ?? '')
      return Math.min(offset, from, archived.get(partition) ?? 0)
    },
    handle: async (slice) => {
      try {
        await take(slice)
        again.archived(slice)
        trouble = undefined
      } catch (error) {
        trouble = reasonOf(error)
        throw error
      }
    },
  }
  const health =
    (ofConsumer: CheckHealth): CheckHealth =>
    async () =>
      trouble === undefined ? ofConsumer() : { ok: false, reason: trouble }
  return { spec, health, readableTo: again.readableTo }
}
