import { archiveNameOf, archiveTopics, type EventTopicName, eventTopicNames } from '../../../contracts/topics.ts'
import type { CheckHealth } from '../domain/checks.ts'
import { archiverGroup, viewsGroup } from '../domain/consumer-groups.ts'
import type { CommittedOffsets, OffsetRange, Ranges } from '../domain/log/positions.ts'
import type { Log } from '../shared/log.ts'
import { repeat } from '../shared/repeat.ts'
import { dayMs, type Sleep } from '../shared/time.ts'

type Offsets = ReadonlyMap<number, number>

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

/** A partition of an event topic, and what each of `readers` has processed of it. */
type Read = {
  readonly partition: number
  readonly range: OffsetRange
  readonly old: number | undefined
  readonly processed: ReadonlyArray<number | undefined>
}

const dueIn = ({ range, old, processed }: Read) => dueOf(range, old, processed)
const isDeletable = (read: Read): boolean => dueIn(read).before > read.range.low

/** The archive may have lost what the archiver has committed: then only what it has counts as processed. */
const limitedBy = (read: Read, archivedTo: number): Read =>
  archivedTo < dueIn(read).before ? { ...read, processed: read.processed.with(0, archivedTo) } : read

const groupsBehind = (late: ReadonlyArray<Read>): ReadonlyArray<string> =>
  readers.filter((_, i) =>
    late.some((read) => (read.processed[i] ?? read.range.low) < read.range.low + dueIn(read).old),
  )

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

/**
 * Deletes records of event topics that are older than `days` and are in the archive and in the views. Kafka's own
 * retention would not check this. Old records that are not there yet stay and are reported.
 */
export const retention = ({
  days,
  deletes,
  ranges,
  committed,
  archivedTo,
  offsetsAt,
  deleteBefore,
  changedArchives,
  now,
  sleep,
  reasonOf,
  log,
}: {
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
}) => {
  const overdue = new Map<EventTopicName, Overdue>(eventTopicNames.map((name) => [name, { records: 0, behind: [] }]))
  const troubles = new Map<EventTopicName, string>()

  const readBy = async (topic: EventTopicName): Promise<ReadonlyArray<Read>> => {
    // Called before the others: its error says why it fails if the topic is missing.
    const known = await ranges(topic)
    const time = await now()
    const [old, ...processed] = await Promise.all([
      offsetsAt(topic, time - days * dayMs),
      ...readers.map((group) => committed(group, topic)),
    ])
    return [...known].map(([partition, range]) => ({
      partition,
      range,
      old: old.get(partition),
      processed: processed.map((ofGroup) => ofGroup.get(partition)),
    }))
  }
  const deleteOld = async (topic: EventTopicName) => {
    const archive = archiveNameOf(topic)
    if ((await changedArchives()).includes(archive)) throw new Error(`${archive}: deleted and created again`)
    const committedOnly = await readBy(topic)
    const asked = committedOnly.filter(isDeletable).map(({ partition }) => partition)
    const archived: Offsets = asked.length > 0 ? await archivedTo(topic, asked) : new Map()
    const read = committedOnly.map((each) => limitedBy(each, archived.get(each.partition) ?? each.range.low))
    const behind = groupsBehind(read.filter((each) => dueIn(each).overdue > 0))
    const report = (undeleted: 'old' | 'overdue') =>
      overdue.set(topic, { records: sum(read.map((each) => dueIn(each)[undeleted])), behind })
    report('overdue')
    const offsets = new Map(read.filter(isDeletable).map((each) => [each.partition, dueIn(each).before]))
    if (!deletes || offsets.size === 0) return
    try {
      await deleteBefore(topic, offsets)
    } catch (error) {
      report('old')
      throw error
    }
  }
  /** A failure with one topic does not stop the work on the others. */
  const deleteOldOrReport = async (topic: EventTopicName) => {
    try {
      await deleteOld(topic)
      if (troubles.delete(topic)) log.info({ topic }, 'the retention can check the topic again')
    } catch (error) {
      const reason = reasonOf(error)
      if (!troubles.has(topic))
        log.warn({ topic, reason }, 'the retention cannot check a topic or delete its old records')
      troubles.set(topic, `${topic}: ${reason}`)
    }
  }
  const stop = repeat(async () => {
    for (const topic of eventTopicNames) await deleteOldOrReport(topic)
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

const behindText = (groups: ReadonlyArray<string>): string =>
  groups.length === 0 ? '' : ` (not yet processed by ${groups.join(' and ')})`

export const archiveNames = archiveTopics.map(({ name }) => name)
