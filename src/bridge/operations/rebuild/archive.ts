import { archiveHeaders } from '../../../../contracts/archive.ts'
import { archiveNameOf, type EventTopicName, isEventTopic, type TopicName } from '../../../../contracts/topics.ts'
import { archiveReader } from '../../archive/reader.ts'
import { archivedPlace, type Restore } from '../../archive/restore.ts'
import { partitionName } from '../../domain/log/partition-name.ts'
import type { Position } from '../../domain/log/positions.ts'
import type { IncomingRecord, Slice } from '../../domain/log/record.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { type PartOf, readOrThrow } from '../../kafka/read-topic.ts'
import { firstOffsetOf } from '../../kafka/unreadable.ts'
import { type Logs, readLogs } from './places.ts'

export type ArchiveDeps = {
  readonly kafka: Pick<KafkaPorts, 'ranges' | 'readTopic' | 'topicIds' | 'deadLetter' | 'fetchRecord'>
  /** Undefined if ARCHIVE_KEY_FILE is not set. */
  readonly restore?: Restore | undefined
}

type Deps = ArchiveDeps & {
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

const idOf = async ({ kafka }: Deps, topic: EventTopicName): Promise<string> =>
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

/**
 * Folds the archived records of earlier topics of this name, in their order. Their old offsets mean nothing in the
 * present topic, so each record gets its offset in the archive. What the live views have of a deleted topic must be in
 * the archive, because the rebuilt views would lack it.
 */
const readEarlier = async (
  deps: Deps,
  topic: EventTopicName,
  more: ReadonlyArray<readonly [partition: number, from: number]>,
): Promise<void> => {
  const { kafka, restore, fold, signal, inViews, allowGaps } = deps
  const topicId = await idOf(deps, topic)
  const archive = archiveNameOf(topic)
  const { id: former, reached } = await inViews(topic)
  const expected = former === undefined || former === topicId ? new Map<number, Position>() : reached
  const ends = endsOf(former ?? '')
  const partitions = new Set([...more.map(([partition]) => partition), ...expected.keys()])
  const reader = restore && archiveReader(restore)

  const look = async (archived: ReadonlyArray<IncomingRecord>) => {
    for (const record of archived) if (isEarlier(record, topicId)) partitions.add(record.partition)
  }
  const take = async (archived: ReadonlyArray<IncomingRecord>) => {
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
  // The archive keeps the order of the topics. So a partition has earlier records only if it begins with one, or if it
  // has more records than its topic: a copy may have been restored behind newer records.
  await readOrThrow(kafka.readTopic, archive, look, {
    part: (_, { low, high }) => ({ low, high: Math.min(high, low + 1) }),
    signal,
  })
  await readOrThrow(kafka.readTopic, archive, take, {
    part: onlyOf(partitions),
    signal,
  })
  // No record of the present topic may be processed before all of these.
  if (signal.aborted) throw new Error('interrupted')
  // Their topic is gone, so nobody can archive them again.
  for (const { detail } of reader?.missing() ?? []) throw new Error(detail)
  for (const [partition, { offset: next }] of allowGaps ? [] : expected) {
    const end = ends.endOf(partition)
    if (next > end) throw missing(`${partitionName({ topic, partition })} of the deleted topic`, end, next)
  }
}

/**
 * Folds the archived records of one topic, from the saved positions on and without gaps. `partitions`: those that need
 * it, each with the first offset that the topic has.
 */
const readOne = async (deps: Deps, topic: EventTopicName, partitions: ReadonlyMap<number, number>): Promise<void> => {
  const { kafka, restore, positions, fold, setTo, skipTo, allowGaps, signal } = deps
  if (restore === undefined) throw needsKeys(topic)
  const topicId = await idOf(deps, topic)
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
  { kafka }: Deps,
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

/**
 * Folds from the archive what the event topics no longer have. Records of deleted topics with the same names are first.
 * Then each partition continues in its topic, at its position. The archive is read to its end, so records that are
 * deleted during the read are not missed. Throws if records are in neither topic nor archive, unless `allowGaps`.
 */
export const readArchive = async (deps: Deps, topics: ReadonlyArray<TopicName>): Promise<void> => {
  const { kafka, positions, skipTo, allowGaps, signal } = deps
  const archived = topics.filter(isEventTopic)
  // A rebuild that has processed any other record has processed all records of deleted topics.
  const isNew = [...positions.values()].every((position) => position === 0)
  const canRead = deps.restore !== undefined
  const more = isNew || canRead ? await withMoreRecords(deps, archived) : new Map<string, number>()
  if (isNew) for (const topic of archived) await readEarlier(deps, topic, partitionsOf(topic, more))
  for (const topic of canRead ? archived : []) {
    const partitions = partitionsOf(topic, more).filter(
      ([partition]) => !positions.get(partitionName({ topic, partition })),
    )
    if (partitions.length > 0) await readOne(deps, topic, new Map(partitions))
  }
  for (let before = ''; !signal.aborted; ) {
    const wanted = behind(await readLogs(kafka, archived), positions)
    if (wanted.size === 0) return
    const present = [...wanted].map(([source, low]) => `${source} ${positions.get(source) ?? 0} ${low}`).join()
    const [first] = wanted
    if (present === before && first !== undefined) {
      if (!allowGaps) throw missing(first[0], positions.get(first[0]) ?? 0, first[1])
      for (const [source, low] of wanted) skipTo(source, low)
      return
    }
    before = present
    for (const topic of archived) {
      const partitions = partitionsOf(topic, wanted)
      if (partitions.length > 0) await readOne(deps, topic, new Map(partitions))
    }
  }
}
