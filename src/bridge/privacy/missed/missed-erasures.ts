import type * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent, ErasureEvent } from '../../../../contracts/events/index.ts'
import { archiveNameOf, type EventTopicName, eventTopicNames, type TopicName } from '../../../../contracts/topics.ts'
import { erasureIn, mayErase } from '../../archive/archiver.ts'
import { keyId, lostText } from '../../archive/data-keys.ts'
import { type Again, type LostKeys, lostOf } from '../../archive/lost-keys.ts'
import { restorer } from '../../archive/restore.ts'
import type { ArchiveKeys } from '../../domain/archive-keys.ts'
import { viewsGroup } from '../../domain/consumer-groups.ts'
import type { CommittedOffsets, EndOffsets, OffsetRange, Ranges, TopicIds } from '../../domain/log/positions.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import { memoized } from '../../shared/memoized.ts'

type Offsets = ReadonlyMap<number, number>

type Deps = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The time until which MongoDB has every erasure of the archive; undefined if that was never known. */
  readonly knownUntil: () => Promise<Date | undefined>
  readonly keepKnownUntil: (time: Date) => Promise<void>
  readonly endOffsets: EndOffsets
  readonly ranges: Ranges
  readonly committed: CommittedOffsets
  readonly topicIds: (topics: ReadonlyArray<TopicName>) => Promise<TopicIds>
  /** The id of the topic from which the views are made; undefined if they are made from none of that name. */
  readonly viewsOf: (topic: TopicName) => Promise<string | undefined>
  readonly offsetsAt: (topic: TopicName, time: number) => Promise<Offsets>
  /** Throws if the topic cannot be read. */
  readonly readTopic: (
    topic: TopicName,
    onSlice: (records: ReadonlyArray<IncomingRecord>) => Promise<void>,
    options: { readonly part: (partition: number, whole: OffsetRange) => OffsetRange },
  ) => Promise<void>
  readonly decode: (record: IncomingRecord) => E.Either<unknown, DomainEvent>
  readonly keys: Pick<ArchiveKeys, 'find' | 'destroy'>
  /** Applies a marker to the views. */
  readonly empty: (record: IncomingRecord, marker: DomainEvent) => Promise<void>
  /** When the newest erasure was requested; undefined if there is none. */
  readonly newestErasure: () => Promise<Date | undefined>
  /** Removes the enrichments of persons who are erased. */
  readonly emptyEnrichments: () => Promise<void>
  /** Stores the receipts of erasures that have none, by their markers. */
  readonly keepReceipts: (markers: ReadonlyArray<ErasureEvent>) => Promise<void>
}

/** Clocks differ, and Kafka finds offsets by the records' own times. */
const marginMs = 10 * 60 * 1000

/** A marker has no personal data, so it needs no key. */
const withoutKeys = restorer({ forOpening: async () => new Map() })

/**
 * The erasures that the archive has and MongoDB may lack, because it was restored from an older copy. The offsets in
 * Kafka say that these erasures were processed. Only records archived since MongoDB last had all of them are read.
 */
export const missedErasures = (deps: Deps) => {
  const { now, knownUntil, keepKnownUntil, endOffsets, committed, topicIds, offsetsAt, readTopic, keys } = deps

  /** Reads the part of an archive topic that MongoDB may lack something of. */
  const readNew = async (name: EventTopicName, onSlice: (records: ReadonlyArray<IncomingRecord>) => Promise<void>) => {
    const since = await knownUntil()
    const archive = archiveNameOf(name)
    const from = since === undefined ? new Map() : await offsetsAt(archive, since.getTime() - marginMs)
    const part = (partition: number, { low, high }: OffsetRange) => ({
      low: Math.max(low, from.get(partition) ?? low),
      high,
    })
    await readTopic(archive, onSlice, { part })
  }

  /** Idempotent. The projector processes by itself, in order, what it has not committed yet. */
  const applyMarkers = async () => {
    const ids = await topicIds(eventTopicNames)
    const taken = new Map<EventTopicName, Offsets>()
    const inViews = new Map<EventTopicName, string | undefined>()
    for (const name of eventTopicNames) {
      taken.set(name, await committed(viewsGroup, name))
      inViews.set(name, await deps.viewsOf(name))
    }
    const found: ErasureEvent[] = []
    const apply = (topic: EventTopicName) => async (archived: ReadonlyArray<IncomingRecord>) => {
      for (const restored of await withoutKeys(archived.filter(mayErase))) {
        if (restored.kind !== 'record') continue
        const { record, generation } = restored
        const event = erasureIn(record, deps.decode(record))
        if (event === undefined) continue
        found.push(event)
        const { partition, offset } = record
        const [id, isCurrent] = [keyId(topic, record.key), generation === ids.get(topic)]
        const erased = (await keys.find([id])).get(id)?.erased
        // A key that was erased in a newer topic of that name was erased in this one before.
        if (isCurrent || erased === undefined || erased.generation === generation)
          await keys.destroy(id, { generation, partition, offset })
        // Nobody processes any more what only an earlier topic had.
        const isTaken = isCurrent ? offset < (taken.get(topic)?.get(partition) ?? 0) : generation === inViews.get(topic)
        if (isTaken) await deps.empty(record, event)
      }
    }
    await Promise.all(eventTopicNames.map((name) => readNew(name, apply(name))))
    await deps.keepReceipts(found)
  }
  /** Enough for those who read no enrichments. */
  const applyToViews = memoized(applyMarkers)

  const apply = memoized(async () => {
    await applyToViews()
    const [since, newest] = [await knownUntil(), await deps.newestErasure()]
    const isNewer = since === undefined || (newest?.getTime() ?? 0) > since.getTime() - marginMs
    if (newest !== undefined && isNewer) await deps.emptyEnrichments()
  })

  /**
   * What the archiver has to archive again, because MongoDB has lost the keys of its copies, or why archiving must not
   * continue: some of these records are in no topic any more. Erasures must be applied before, also to enrichments.
   */
  const lost = async (): Promise<LostKeys> => {
    const again = new Map<EventTopicName, Again>()
    for (const name of eventTopicNames) {
      const found = await lostOf({ ...deps, read: readNew }, name)
      const [one] = found.lost
      if (one !== undefined) return { refusal: lostText(one.id, one.kid) }
      again.set(name, found.again)
    }
    isKnown = true
    return { again }
  }
  let isKnown = false
  let before: { readonly at: number; readonly ends: ReadonlyMap<EventTopicName, Offsets> } | undefined
  /**
   * Must be called repeatedly. What was in the topics at one call and is committed by the projector at a later call is
   * permanently in MongoDB. So MongoDB has every erasure that was archived before the first of these calls.
   */
  const look = async (): Promise<void> => {
    if (!isKnown) return
    const at = now()
    const ends = new Map<EventTopicName, Offsets>()
    for (const name of eventTopicNames) ends.set(name, await endOffsets(name))
    before ??= { at, ends }
    for (const [name, until] of before.ends) {
      const done = await committed(viewsGroup, name)
      if ([...until].some(([partition, end]) => (done.get(partition) ?? 0) < end)) return
    }
    await keepKnownUntil(new Date(before.at))
    before = { at, ends }
  }
  return { applyToViews, apply, lost, look }
}
