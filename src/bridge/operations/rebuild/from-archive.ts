import { archiveHeaders } from '../../../../contracts/archive.ts'
import { archiveNameOf, type EventTopicName, isEventTopic, type TopicName } from '../../../../contracts/topics.ts'
import { archiveReader } from '../../archive/reader.ts'
import { archivedPlace, type Restore } from '../../archive/restore.ts'
import type { Position } from '../../domain/log/positions.ts'
import { type IncomingRecord, partitionName, type Slice } from '../../domain/log/record.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { type PartOf, readOrThrow } from '../../kafka/read-topic.ts'
import { firstOffsetOf } from '../../kafka/unreadable.ts'
import { type Logs, readLogs } from './places.ts'

export type ArchiveDeps = {
  readonly kafka: Pick<KafkaPorts, 'ranges' | 'readTopic' | 'topicIds' | 'deadLetter' | 'fetchRecord'>
  /** Undefined if ARCHIVE_KEY_FILE is not set. */
  readonly restore?: Restore | undefined
}

type Reading = ArchiveDeps & {
  /** The topic of that name from which the live views are made, and how far they have it. */
  readonly inViews: (
    topic: EventTopicName,
  ) => Promise<{ readonly id: string | undefined; readonly reached: ReadonlyMap<number, Position> }>
  /** The next offset to fold of each partition. */
  readonly positions: ReadonlyMap<string, number>
  readonly fold: (slice: Slice) => Promise<void>
  /** Continues from this offset. */
  readonly setTo: (source: string, offset: number) => void
  /** Continues from a later offset. */
  readonly skipTo: (source: string, offset: number) => void
  /** True: leaves out records that are neither in the archive nor in the topic. False: they are an error. */
  readonly allowGaps: boolean
  readonly signal: AbortSignal
}

/** The archive topics of these topics. */
export const archivesOf = (topics: ReadonlyArray<TopicName>): ReadonlyArray<TopicName> =>
  topics.filter(isEventTopic).map(archiveNameOf)

/** The partitions of event topics that no longer have their next record, with the first offset that they have. */
const behind = (logs: Logs, positions: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...logs].flatMap(([source, { low }]) => (low > (positions.get(source) ?? 0) ? [[source, low]] : [])))

const partitionsOf = (
  topic: EventTopicName,
  sources: ReadonlyMap<string, number>,
): ReadonlyArray<readonly [number, number]> =>
  [...sources].flatMap(([source, low]) =>
    source.startsWith(`${topic}/`) ? [[Number(source.slice(topic.length + 1)), low] as const] : [],
  )

const onlyOf =
  (partitions: Pick<ReadonlySet<number>, 'has'>): PartOf =>
  (partition, { low, high }) => ({ low: partitions.has(partition) ? low : high, high })

const missing = (source: string, from: number, to: number) =>
  new Error(`${source}: the records from ${from} to ${to - 1} are neither in the topic nor in the archive`)

const needsKeys = (topic: EventTopicName) =>
  new Error(`${topic}: its first records are only in the archive, and ARCHIVE_KEY_FILE is not set`)

const idOf = async ({ kafka }: Reading, topic: EventTopicName): Promise<string> =>
  (await kafka.topicIds([topic])).get(topic) ?? ''

/** True if the record was archived from an earlier topic of that name, which was deleted. */
const isEarlier = ({ headers }: IncomingRecord, topicId: string): boolean => {
  const own = headers[archiveHeaders.generation]
  return own !== undefined && `${own}` !== topicId
}

/** Notes where the archived records of a deleted topic end, by partition. */
const endsOf = (topicId: string) => {
  const ends = new Map<number, number>()
  return {
    note: (record: IncomingRecord): void => {
      const place = archivedPlace(record)
      if (place?.topicId === topicId)
        ends.set(record.partition, Math.max(ends.get(record.partition) ?? 0, place.offset + 1))
    },
    endOf: (partition: number): number => ends.get(partition) ?? 0,
  }
}

const firstOnly: PartOf = (_, { low, high }) => ({ low, high: Math.min(high, low + 1) })

/**
 * The partitions whose archive begins with a record of an earlier topic. The archive keeps the order of the topics, so
 * only these have earlier records, and those that have more records than their topic: a copy may have been restored
 * behind newer records.
 */
const beginningEarlier = async (
  { kafka, signal }: Reading,
  topic: EventTopicName,
  topicId: string,
): Promise<ReadonlyArray<number>> => {
  const found: number[] = []
  const onSlice = async (archived: ReadonlyArray<IncomingRecord>) => {
    for (const record of archived) if (isEarlier(record, topicId)) found.push(record.partition)
  }
  await readOrThrow(kafka.readTopic, archiveNameOf(topic), onSlice, { part: firstOnly, signal })
  return found
}

/** How far the live views have a deleted topic of this name. `id` is the id of that topic. */
type Deleted = { readonly id: string; readonly reached: ReadonlyMap<number, Position> }

const deletedInViews = async (
  { inViews }: Reading,
  topic: EventTopicName,
  topicId: string,
): Promise<Deleted | undefined> => {
  const { id, reached } = await inViews(topic)
  return id === undefined || id === topicId ? undefined : { id, reached }
}

/**
 * Folds the archived records of earlier topics of this name, in their order. Their old offsets mean nothing in the
 * present topic, so each record gets its offset in the archive. What the live views have of a deleted topic must be in
 * the archive, because the rebuilt views would lack it. `longer`: the partitions with more records than their topic.
 */
const readEarlier = async (reading: Reading, topic: EventTopicName, longer: ReadonlyArray<number>): Promise<void> => {
  const { kafka, restore, fold, signal, allowGaps } = reading
  const topicId = await idOf(reading, topic)
  const archive = archiveNameOf(topic)
  const deleted = await deletedInViews(reading, topic, topicId)
  const expected = deleted?.reached ?? new Map<number, Position>()
  const ends = endsOf(deleted?.id ?? '')
  const reader = restore && archiveReader(restore)

  const foldEarlier = async (archived: ReadonlyArray<IncomingRecord>) => {
    const own = archived.filter((record) => isEarlier(record, topicId))
    if (own.length === 0) return
    if (reader === undefined) throw needsKeys(topic)
    own.forEach(ends.note)
    const records: IncomingRecord[] = []
    for (const found of await reader.read(own))
      if (found.kind === 'corrupt') await kafka.deadLetter('rebuild')(found.archived, 'corrupt', found.detail)
      else if (found.kind === 'record') records.push({ ...found.record, topic: archive, offset: found.archived.offset })
    const [first] = records
    if (first !== undefined) await fold({ topic: archive, partition: first.partition, records })
  }
  const partitions = [...longer, ...expected.keys(), ...(await beginningEarlier(reading, topic, topicId))]
  await readOrThrow(kafka.readTopic, archive, foldEarlier, { part: onlyOf(new Set(partitions)), signal })
  // No record of the present topic may be processed before all of these.
  if (signal.aborted) throw new Error('interrupted')
  // Their topic is gone, so nobody can archive them again.
  for (const { detail } of reader?.missing() ?? []) throw new Error(detail)
  if (allowGaps) return
  for (const [partition, { offset: next }] of expected) {
    const end = ends.endOf(partition)
    if (next > end) throw missing(`${partitionName({ topic, partition })} of the deleted topic`, end, next)
  }
}

/**
 * Folds the archived records of one topic, from the saved positions on and without gaps. `partitions`: those that need
 * it, each with the first offset that the topic has.
 */
const readOne = async (
  reading: Reading,
  topic: EventTopicName,
  partitions: ReadonlyMap<number, number>,
): Promise<void> => {
  const { kafka, restore, positions, fold, setTo, skipTo, allowGaps, signal } = reading
  if (restore === undefined) throw needsKeys(topic)
  const topicId = await idOf(reading, topic)
  const deadLetter = kafka.deadLetter('rebuild')
  const positionOf = (partition: number) => positions.get(partitionName({ topic, partition })) ?? 0
  const archive = archiveReader(restore, positionOf)
  // The original place of a corrupt record is unknown, and so is the number of records in an unreadable batch. So
  // corrupt records are counted by the archive's own offsets.
  const corrupt = new Map<string, number>()

  const take = async (archived: ReadonlyArray<IncomingRecord>) => {
    const partition = archived[0]?.partition ?? 0
    const source = partitionName({ topic, partition })
    const records: IncomingRecord[] = []
    let next = positionOf(partition)
    for (const found of await archive.read(archived.filter((record) => !isEarlier(record, topicId)))) {
      if (found.kind === 'corrupt') {
        const count = found.archived.offset + 1 - firstOffsetOf(found.archived)
        corrupt.set(source, (corrupt.get(source) ?? 0) + count)
        await deadLetter(found.archived, 'corrupt', found.detail)
        continue
      }
      const first = firstOffsetOf(found.record)
      if (first > next + (corrupt.get(source) ?? 0) && !allowGaps) throw missing(source, next, first)
      corrupt.delete(source)
      next = found.record.offset + 1
      if (found.kind === 'record') records.push(found.record)
    }
    if (records.length > 0) await fold({ topic, partition, records })
    setTo(source, next)
  }
  await readOrThrow(kafka.readTopic, archiveNameOf(topic), take, {
    part: onlyOf(partitions),
    signal,
  })
  // Without the copy, the topic itself must have the record.
  const ranges = await kafka.ranges(topic)
  for (const { partition, detail } of archive.missing()) {
    const low = ranges.get(partition)?.low ?? 0
    if (low > positionOf(partition)) throw new Error(detail)
  }
  // The corrupt records at the end. No later record shows where they ended.
  for (const [partition, low] of partitions) {
    const source = partitionName({ topic, partition })
    const next = positionOf(partition)
    skipTo(source, Math.max(next, Math.min(low, next + (corrupt.get(source) ?? 0))))
  }
}

/**
 * The partitions whose archive has more records than the topic up to the last archived one. These are records that the
 * topic has lost, or repeated ones.
 */
const withMoreRecords = async (
  { kafka }: Reading,
  topics: ReadonlyArray<EventTopicName>,
): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>()
  for (const topic of topics)
    for (const [partition, { low, high }] of await kafka.ranges(archiveNameOf(topic))) {
      const last = low < high ? await kafka.fetchRecord(archiveNameOf(topic), partition, high - 1) : undefined
      const place = last && archivedPlace(last)
      if (place !== undefined && high - low > place.offset + 1) found.set(partitionName({ topic, partition }), 0)
    }
  return found
}

/** Reads these partitions of the topics. `low`: the first offset that the topic has. */
const readEach = async (reading: Reading, topics: ReadonlyArray<EventTopicName>, low: ReadonlyMap<string, number>) => {
  for (const topic of topics) {
    const partitions = partitionsOf(topic, low)
    if (partitions.length > 0) await readOne(reading, topic, new Map(partitions))
  }
}

/**
 * Reads from the archive until each partition has its next record in its topic: records may be deleted during the read.
 * A reading that brings nothing shows a gap.
 */
const readDeleted = async (reading: Reading, topics: ReadonlyArray<EventTopicName>): Promise<void> => {
  const { kafka, positions, skipTo, allowGaps, signal } = reading
  let before = ''
  while (!signal.aborted) {
    const lacking = behind(await readLogs(kafka, topics), positions)
    const [first] = lacking
    if (first === undefined) return
    const present = [...lacking].map(([source, low]) => `${source} ${positions.get(source) ?? 0} ${low}`).join()
    if (present === before) {
      if (!allowGaps) throw missing(first[0], positions.get(first[0]) ?? 0, first[1])
      for (const [source, low] of lacking) skipTo(source, low)
      return
    }
    before = present
    await readEach(reading, topics, lacking)
  }
}

/**
 * Folds from the archive what the event topics no longer have. Records of deleted topics with the same names are first.
 * Then each partition continues in its topic, at its position. Throws if records are in neither topic nor archive,
 * unless `allowGaps`.
 */
export const readArchive = async (reading: Reading, topics: ReadonlyArray<TopicName>): Promise<void> => {
  const { positions, restore } = reading
  const archived = topics.filter(isEventTopic)
  // A rebuild that has processed any other record has processed all records of deleted topics.
  const isNew = [...positions.values()].every((position) => position === 0)
  const longer = isNew || restore !== undefined ? await withMoreRecords(reading, archived) : new Map<string, number>()
  if (isNew)
    for (const topic of archived)
      await readEarlier(
        reading,
        topic,
        partitionsOf(topic, longer).map(([partition]) => partition),
      )
  if (restore !== undefined)
    await readEach(reading, archived, new Map([...longer].filter(([source]) => !positions.get(source))))
  await readDeleted(reading, archived)
}
