import * as E from 'fp-ts/lib/Either.js'
import {
  archiveNameOf,
  archiveTopics,
  type EventTopicName,
  enrichments,
  eventTopicNames,
  segmentMarker,
} from '../../../contracts/topics.ts'
import type { CheckHealth } from '../domain/checks.ts'
import { archiverGroup, viewsGroup } from '../domain/consumer-groups.ts'
import type { CommittedOffsets, OffsetRange, Ranges } from '../domain/log/positions.ts'
import type { Append } from '../domain/log/record.ts'
import type { Log } from '../shared/log.ts'
import { repeat } from '../shared/repeat.ts'
import { dayMs, type Sleep } from '../shared/time.ts'
import { type Upkeep, upkeep } from './upkeep.ts'

type Offsets = ReadonlyMap<number, number>

type Deps = {
  readonly days: number
  /** Only the archiver deletes. Other processes report what it has not deleted yet. */
  readonly deletes: boolean
  readonly ranges: Ranges
  /** What a consumer group has committed for the present topic. */
  readonly committed: CommittedOffsets
  /** The offset after the last record that the archive of each partition has. */
  readonly archivedTo: (topic: EventTopicName, partitions: ReadonlyArray<number>) => Promise<Offsets>
  /** The first offsets with a record of this time or later. */
  readonly offsetsAt: (topic: EventTopicName, time: number) => Promise<Offsets>
  readonly deleteBefore: (topic: EventTopicName, offsets: Offsets) => Promise<void>
  /** Archive topics that have lost their records. What was archived there must not be deleted. */
  readonly changedArchives: () => Promise<ReadonlyArray<string>>
  /** Milliseconds since 1970, by two clocks. Throws if they do not agree. */
  readonly now: () => Promise<number>
  readonly sleep: Sleep
  readonly reasonOf: (error: unknown) => string
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** These groups must process a record before it is deleted: the projector too, as it does not read the archive. */
const readers = [archiverGroup, viewsGroup]

const minPauseMs = 1_000
const maxPauseMs = 60_000
/** After a failure: health must not report an outage for a minute after its end. */
const retryPauseMs = 2_000

/**
 * `before`: the offset up to which a partition may be deleted. `old`: the number of records past the retention time.
 * `overdue`: the old ones that must stay because a group has not processed them yet.
 */
export const dueOf = (
  { low, high }: OffsetRange,
  old: number | undefined,
  done: ReadonlyArray<number | undefined>,
): { readonly before: number; readonly old: number; readonly overdue: number } => {
  const tooOld = Math.min(Math.max(old ?? low, low), high)
  const before = Math.max(low, Math.min(tooOld, ...done.map((offset) => offset ?? low)))
  return { before, old: tooOld - low, overdue: tooOld - before }
}

type Overdue = { readonly records: number; readonly behind: ReadonlyArray<string> }

/**
 * Deletes records of event topics that are older than `days` and are in the archive and in the views. Kafka's own
 * retention would not check this. Old records that are not there yet stay and are reported.
 */
export const retention = (deps: Deps) => {
  const { days, deletes, ranges, committed, archivedTo, offsetsAt, deleteBefore, changedArchives } = deps
  const { now, sleep, reasonOf, log } = deps
  const overdue = new Map<EventTopicName, Overdue>(eventTopicNames.map((name) => [name, { records: 0, behind: [] }]))
  const troubles = new Map<EventTopicName, string>()

  const look = async (topic: EventTopicName) => {
    const archive = archiveNameOf(topic)
    if ((await changedArchives()).includes(archive)) throw new Error(`${archive}: deleted and created again`)
    // Called before the others: its error says why it fails if the topic is missing.
    const known = await ranges(topic)
    const time = await now()
    const [old, ...done] = await Promise.all([
      offsetsAt(topic, time - days * dayMs),
      ...readers.map((group) => committed(group, topic)),
    ])
    const byGroups = [...known].map(([partition, range]) => {
      const offsets = done.map((ofGroup) => ofGroup.get(partition))
      return { partition, range, low: range.low, offsets, ...dueOf(range, old.get(partition), offsets) }
    })
    const deletable = byGroups.flatMap(({ partition, low, before }) => (before > low ? [partition] : []))
    const archived = deletable.length > 0 ? await archivedTo(topic, deletable) : new Map<number, number>()
    const due = byGroups.map((each) => {
      const { partition, range, low, offsets, before } = each
      // The archive may have lost what the archiver has committed.
      const there = archived.get(partition) ?? low
      return there < before
        ? { ...each, offsets: offsets.with(0, there), ...dueOf(range, old.get(partition), [there]) }
        : each
    })
    const late = due.filter((each) => each.overdue > 0)
    const behind = readers.filter((_, i) => late.some(({ low, old, offsets }) => (offsets[i] ?? low) < low + old))
    overdue.set(topic, { records: late.reduce((sum, each) => sum + each.overdue, 0), behind })
    const offsets = new Map(due.flatMap(({ partition, low, before }) => (before > low ? [[partition, before]] : [])))
    if (!deletes || offsets.size === 0) return
    try {
      await deleteBefore(topic, offsets)
    } catch (error) {
      overdue.set(topic, { records: due.reduce((sum, each) => sum + each.old, 0), behind })
      throw error
    }
  }
  /** A failure with one topic does not stop the work on the others. */
  const lookAt = async (topic: EventTopicName) => {
    try {
      await look(topic)
      if (troubles.delete(topic)) log.info({ topic }, 'the retention can check the topic again')
    } catch (error) {
      const reason = reasonOf(error)
      if (!troubles.has(topic))
        log.warn({ topic, reason }, 'the retention cannot check a topic or delete its old records')
      troubles.set(topic, `${topic}: ${reason}`)
    }
  }
  const stop = repeat(async () => {
    for (const topic of eventTopicNames) await lookAt(topic)
    const regularMs = Math.min(maxPauseMs, Math.max(minPauseMs, (days * dayMs) / 100))
    return troubles.size > 0 ? Math.min(retryPauseMs, regularMs) : regularMs
  }, sleep)
  const health: CheckHealth = () => {
    const late = [...overdue].filter(([, { records }]) => records > 0)
    const what = late.map(([topic, { records, behind }]) => `${records} of ${topic}${behindText(behind)}`).join(', ')
    const overdueText = late.length > 0 ? `records older than ${days} days are not deleted: ${what}` : undefined
    const wrong = [...troubles.values(), overdueText].filter((text) => text !== undefined)
    // Late deletion delays no event, so the process is still ready.
    return wrong.length === 0
      ? { ok: true, reason: 'up to date' }
      : { ok: true, isLimited: true, reason: wrong.join('; ') }
  }
  return {
    health,
    overdue: (): ReadonlyMap<string, number> => new Map([...overdue].map(([topic, { records }]) => [topic, records])),
    stop,
  }
}

type RollDeps = Upkeep & {
  readonly ranges: (topic: typeof enrichments.name) => ReturnType<Deps['ranges']>
  readonly append: Append
}

const appendWithinMs = 30_000

/**
 * Appends a marker to each partition of `enrichments` that has records, every six hours. Kafka compacts closed segments
 * only, and closes a segment when a record arrives after a day. Otherwise removed enrichments would stay in a quiet
 * partition. Returns a function that stops it.
 */
export const rollSegments = ({ ranges, append, ...deps }: RollDeps) => {
  const mark = async () => {
    const marker = { topic: enrichments.name, key: segmentMarker, value: null, headers: {} }
    const used = [...(await ranges(enrichments.name))].filter(([, { low, high }]) => high > low)
    const outcomes = await Promise.all(used.map(([partition]) => append({ ...marker, partition }, appendWithinMs)))
    const failed = outcomes.find(E.isLeft)
    if (failed !== undefined) throw new Error(failed.left.reason)
  }
  return upkeep(mark, 'the segments of enrichments could not be marked', deps)
}

const behindText = (groups: ReadonlyArray<string>): string =>
  groups.length === 0 ? '' : ` (not yet processed by ${groups.join(' and ')})`

export const archiveNames = archiveTopics.map(({ name }) => name)
