import type { DomainEvent, ErasureEvent } from '../../../../contracts/events/index.ts'
import { archiveNameOf, type EventTopicName, eventTopicNames, type TopicName } from '../../../../contracts/topics.ts'
import { erasureIn, mayErase } from '../../archive/archiver.ts'
import { keyId, lostText } from '../../archive/data-keys.ts'
import { type Again, type LostKeys, lostOf } from '../../archive/lost-keys.ts'
import { restorer } from '../../archive/restore.ts'
import type { ArchiveKeys } from '../../domain/archive-keys.ts'
import { viewsGroup } from '../../domain/consumer-groups.ts'
import type { OffsetRange } from '../../domain/log/positions.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { readOrThrow } from '../../kafka/read-topic.ts'
import { fromRecord } from '../../kafka/records.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import { memoized } from '../../shared/memoized.ts'

type Offsets = ReadonlyMap<number, number>

/** Clocks differ, and Kafka finds offsets by the records' own times. */
const marginMs = 10 * 60 * 1000

/** A marker has no personal data, so it needs no key. */
const withoutKeys = restorer({ forOpening: async () => new Map() })

type Marker = { readonly event: ErasureEvent; readonly record: IncomingRecord; readonly topicId: string }

/** The markers of erasures among archived records. */
const markersAmong = async (archived: ReadonlyArray<IncomingRecord>): Promise<ReadonlyArray<Marker>> =>
  (await withoutKeys(archived.filter(mayErase))).flatMap((restored) => {
    if (restored.kind !== 'record') return []
    const { record, topicId } = restored
    const event = erasureIn(record, fromRecord(record))
    return event === undefined ? [] : [{ event, record, topicId }]
  })

/**
 * The erasures that the archive has and MongoDB may lack, because it was restored from an older copy. The offsets in
 * Kafka say that these erasures were processed. Only records archived since MongoDB last had all of them are read.
 */
export const missedErasures = ({
  now,
  kafka,
  erasures,
  keys,
  viewsOf,
  empty,
  emptyEnrichments,
  storeReceipts,
}: {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly kafka: Pick<
    KafkaPorts,
    'committedOffsets' | 'endOffsets' | 'offsetsAt' | 'ranges' | 'readTopic' | 'topicIds'
  >
  readonly erasures: Pick<Erasures, 'keepKnownUntil' | 'knownUntil' | 'newestErasure'>
  readonly keys: Pick<ArchiveKeys, 'find' | 'destroy'>
  /** The id of the topic from which the views are made; undefined if they are made from none of that name. */
  readonly viewsOf: (topic: TopicName) => Promise<string | undefined>
  /** Applies a marker to the views. */
  readonly empty: (record: IncomingRecord, marker: DomainEvent) => Promise<void>
  /** Removes the enrichments of persons who are erased. */
  readonly emptyEnrichments: () => Promise<void>
  /** Stores the receipts of erasures that have none, by their markers. */
  readonly storeReceipts: (markers: ReadonlyArray<ErasureEvent>) => Promise<void>
}) => {
  /** Reads the part of an archive topic that MongoDB may lack something of. */
  const readNew = async (name: EventTopicName, onSlice: (records: ReadonlyArray<IncomingRecord>) => Promise<void>) => {
    const since = await erasures.knownUntil()
    const archive = archiveNameOf(name)
    const from = since === undefined ? new Map() : await kafka.offsetsAt(archive, since.getTime() - marginMs)
    const part = (partition: number, { low, high }: OffsetRange) => ({
      low: Math.max(low, from.get(partition) ?? low),
      high,
    })
    await readOrThrow(kafka.readTopic, archive, onSlice, { part })
  }

  const destroyKey = async (topic: EventTopicName, { record, topicId }: Marker, isCurrent: boolean) => {
    const id = keyId(topic, record.key)
    const erased = (await keys.find([id])).get(id)?.erased
    // A key that was erased in a newer topic of that name was erased in this one before.
    if (isCurrent || erased === undefined || erased.topicId === topicId)
      await keys.destroy(id, { topicId, partition: record.partition, offset: record.offset })
  }
  /** Applies the markers in the archive of a topic, and returns them. `present`: the id of the topic. */
  const applyOf = async (topic: EventTopicName, present: string | undefined): Promise<ReadonlyArray<ErasureEvent>> => {
    const committed = await kafka.committedOffsets(viewsGroup, topic)
    const inViews = await viewsOf(topic)
    const found: ErasureEvent[] = []
    await readNew(topic, async (archived) => {
      for (const marker of await markersAmong(archived)) {
        const { event, record, topicId } = marker
        const isCurrent = topicId === present
        found.push(event)
        await destroyKey(topic, marker, isCurrent)
        // The projector itself processes what it has not committed. What only an earlier topic had nobody reads again.
        const isProcessed = isCurrent ? record.offset < (committed.get(record.partition) ?? 0) : topicId === inViews
        if (isProcessed) await empty(record, event)
      }
    })
    return found
  }
  /** Idempotent. */
  const applyMarkers = async () => {
    const ids = await kafka.topicIds(eventTopicNames)
    const found = await Promise.all(eventTopicNames.map((topic) => applyOf(topic, ids.get(topic))))
    await storeReceipts(found.flat())
  }
  /** Enough for those who read no enrichments. */
  const applyToViews = memoized(applyMarkers)

  const apply = memoized(async () => {
    await applyToViews()
    const [since, newest] = [await erasures.knownUntil(), await erasures.newestErasure()]
    const isNewer = since === undefined || (newest?.getTime() ?? 0) > since.getTime() - marginMs
    if (newest !== undefined && isNewer) await emptyEnrichments()
  })

  let isLostKnown = false
  /** Some of the lost records may be in no topic any more. Erasures must be applied before, also to enrichments. */
  const lostKeys = async (): Promise<LostKeys> => {
    const again = new Map<EventTopicName, Again>()
    for (const name of eventTopicNames) {
      const { ranges, topicIds } = kafka
      const found = await lostOf({ keys, ranges, topicIds, read: readNew }, name)
      const [one] = found.lost
      if (one !== undefined) return { refusal: lostText(one.id, one.kid) }
      again.set(name, found.again)
    }
    isLostKnown = true
    return { again }
  }

  let checkpoint: { readonly at: number; readonly ends: ReadonlyMap<EventTopicName, Offsets> } | undefined
  /**
   * Called every minute. Notes where the topics end. When the projector has committed all that, MongoDB has every
   * erasure that was archived until then, and this time is stored.
   */
  const storeKnownUntil = async (): Promise<void> => {
    if (!isLostKnown) return
    const at = now()
    const ends = new Map<EventTopicName, Offsets>()
    for (const name of eventTopicNames) ends.set(name, await kafka.endOffsets(name))
    checkpoint ??= { at, ends }
    for (const [name, until] of checkpoint.ends) {
      const done = await kafka.committedOffsets(viewsGroup, name)
      if ([...until].some(([partition, end]) => (done.get(partition) ?? 0) < end)) return
    }
    await erasures.keepKnownUntil(new Date(checkpoint.at))
    checkpoint = { at, ends }
  }
  return { applyToViews, apply, lostKeys, storeKnownUntil }
}
