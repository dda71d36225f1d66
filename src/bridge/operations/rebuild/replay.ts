import { copiedTopicOf, type TopicName } from '../../../../contracts/topics.ts'
import type { CheckHealth } from '../../domain/checks.ts'
import type { HandleSlice, OwnedPartition } from '../../domain/log/consumer.ts'
import type { Position } from '../../domain/log/positions.ts'
import { partitionName } from '../../domain/log/record.ts'
import { unmeasured } from '../../domain/metrics.ts'
import type { FindErased } from '../../domain/person/erased.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { decodeRecord } from '../../kafka/records.ts'
import { classify } from '../../mongo/classify.ts'
import { catchUpRecords, hasRoom } from '../../shared/heap.ts'
import type { Sleep } from '../../shared/time.ts'
import type { ApplyChanges } from '../../views/document.ts'
import type { ViewName } from '../../views/index.ts'
import { projector } from '../../views/projector.ts'
import { type ProgressEvent, progress } from '../progress.ts'
import type { Found } from './differences.ts'
import { type ArchiveDeps, readArchive } from './from-archive.ts'
import {
  isReached,
  isTemporary,
  type Logs,
  type Places,
  type Positions,
  placesOf,
  progressOf,
  readLogs,
  topicIn,
  type Watched,
  watch,
} from './places.ts'

/** The number of documents in a live view and in its rebuilt view. */
export type Counts = { readonly view: ViewName; readonly live: number; readonly rebuilt: number }

/** The number of documents of a view, or what their comparison has found. */
export type Row = Counts | ({ readonly view: ViewName } & Found)

/**
 * What a rebuild says while it runs. `cut-off`: partitions that have lost their first records. `refused`: so many records
 * cannot be read or stored.
 */
export type RebuildEvent =
  | ProgressEvent<'replaying' | 'computing' | { readonly comparing: ViewName }>
  | { readonly kind: 'cut-off'; readonly partitions: ReadonlyArray<string> }
  | { readonly kind: 'refused'; readonly records: number }
  | ({ readonly kind: 'counted' } & Counts)
  | ({ readonly kind: 'compared'; readonly view: ViewName } & Found)
  | { readonly kind: 'swapped'; readonly views: ReadonlyArray<ViewName> }

/** What every step of a rebuild needs. */
export type RebuildDeps = ArchiveDeps & {
  readonly kafka: Pick<KafkaPorts, 'consume' | 'committedOffsets' | 'forgetGroup'>
  readonly say: (event: RebuildEvent) => void
  readonly sleep: Sleep
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  /** Ends the rebuild early, so that it can be resumed. */
  readonly signal: AbortSignal
}

/** The consumer group of a rebuild's writer. */
export const groupOf = (writer: string): string => `rebuild-${writer}`

export type Replay = {
  /** What is processed and durable. */
  readonly positions: () => Positions
  /** The same with the leader epochs, as far as they are known. */
  readonly reached: () => ReadonlyMap<string, Position>
  /** The number of records that cannot be read or stored because of their content. */
  readonly refused: () => number
  /** Topics with readable records, and temporary topics whose first records are already deleted. */
  readonly topicsRead: () => ReadonlySet<string>
  /**
   * Whether it has reached the ends of these logs, and its progress. Throws if it cannot continue: unread records were
   * deleted from their topic and are only in the archive.
   */
  readonly check: (logs: Logs) => { readonly isReached: boolean; readonly places: Places }
  /** Resolves when no write is running. No new write begins until `release`. */
  readonly hold: () => Promise<void>
  readonly release: () => void
  readonly health: CheckHealth
  readonly stop: () => Promise<void>
}

type Spec = {
  readonly group: string
  readonly topics: ReadonlyArray<TopicName>
  readonly from: Positions
  readonly applyChanges: ApplyChanges
  readonly findErased: FindErased
  readonly inViews: Parameters<typeof readArchive>[0]['inViews']
  /** Continues where records are neither in a topic nor in the archive. */
  readonly allowGaps: boolean
}

/** Archived records are not fetched by a consumer group, so there is no partition to own. */
const noPartition: OwnedPartition = { isCurrent: () => true, done: () => {}, pause: () => () => {} }

/** Writes that can be held. */
const holdable = () => {
  let held: PromiseWithResolvers<void> | undefined
  let running = 0
  let wake = () => {}
  let isOver = false
  const release = () => {
    held?.resolve()
    held = undefined
  }
  return {
    /** Begins once nothing holds the writes. */
    run: async (write: () => Promise<void>): Promise<void> => {
      while (held !== undefined) await held.promise
      if (isOver) throw new Error('the replay is over')
      running++
      try {
        await write()
      } finally {
        running--
        wake()
      }
    },
    hold: async (): Promise<void> => {
      held ??= Promise.withResolvers()
      while (running > 0) await new Promise<void>((resolve) => (wake = resolve))
    },
    release,
    end: () => {
      isOver = true
      release()
    },
  }
}

/**
 * Reads topics into views with the projector's fold, from the beginning or from the saved positions. It first reads
 * from the archive what the topics no longer have, then the topics themselves.
 */
export const startReplay = async (
  { kafka, restore, clock, signal }: Pick<RebuildDeps, 'kafka' | 'restore' | 'clock' | 'signal'>,
  { group, topics, from, applyChanges, findErased, inViews, allowGaps }: Spec,
): Promise<Replay> => {
  const positions = new Map(from)
  const newest = new Map<string, Position>()
  const refused = new Set<string>()
  // What an interrupted rebuild has processed counts too.
  const topicsRead = new Set([...from].flatMap(([source, position]) => (position > 0 ? [topicIn(source)] : [])))
  const fold: HandleSlice = projector({
    // A record of an earlier topic of the same name has the topic and the offset of the archive.
    decode: (record) => decodeRecord({ ...record, topic: copiedTopicOf(record.topic) ?? record.topic }),
    applyChanges,
    findErased,
    classify,
    hasRoom,
    clock,
    // These are dead letters already: the first consumer that read them has stored them.
    deadLetter: async (record) => void refused.add(`${partitionName(record)}/${record.offset}`),
    measure: unmeasured,
    wallMs: Date.now,
  })
  const skipTo = (source: string, offset: number) =>
    void positions.set(source, Math.max(positions.get(source) ?? 0, offset))
  const writes = holdable()
  const handle: HandleSlice = (slice, partition) =>
    writes.run(async () => {
      await fold(slice, partition)
      const source = partitionName(slice)
      if (slice.records.some(({ offset }) => !refused.has(`${source}/${offset}`)))
        topicsRead.add(copiedTopicOf(slice.topic) ?? slice.topic)
      const last = slice.records.at(-1)
      if (last === undefined) return
      skipTo(source, last.offset + 1)
      newest.set(source, { offset: last.offset + 1, epoch: last.epoch })
    })
  const setTo = (source: string, offset: number) => void positions.set(source, offset)
  const archived = { kafka, restore, inViews, positions, setTo, skipTo, allowGaps, signal }
  await readArchive({ ...archived, fold: (slice) => handle(slice, noPartition) }, topics)
  let lost: string | undefined
  let watched: ReadonlyMap<string, Watched> = new Map()
  const consumer = await kafka.consume({
    group,
    topics,
    handle,
    commit: 'when-handled',
    catchUpRecords: catchUpRecords(),
    startAt: async (topic, partition) => {
      const source = partitionName({ topic, partition })
      const position = positions.get(source) ?? 0
      const low = (await kafka.ranges(topic)).get(partition)?.low ?? 0
      // The consumer would begin at the first remaining record. No offset beyond the gap may be committed.
      if (low > position && !allowGaps && !isTemporary(source)) {
        lost = `the records of ${source} from ${position} to ${low - 1} were deleted before they were read`
        throw new Error(lost)
      }
      if (low > 0 && isTemporary(source)) topicsRead.add(topic)
      skipTo(source, low)
      return positions.get(source)
    },
  })
  return {
    positions: () => new Map(positions),
    reached: () =>
      new Map(
        [...positions].map(([source, offset]) => {
          const position = newest.get(source)
          return [source, position?.offset === offset ? position : { offset }]
        }),
      ),
    refused: () => refused.size,
    topicsRead: () => topicsRead,
    check: (logs) => {
      if (lost !== undefined) throw new Error(lost)
      watched = watch(watched, placesOf(logs, positions), clock())
      return { isReached: isReached(watched, clock()), places: watched }
    },
    hold: writes.hold,
    release: writes.release,
    health: consumer.health,
    stop: async () => {
      writes.end()
      await consumer.stop()
    },
  }
}

const checkEveryMs = 250

/** Resolves when the replay has processed what was in the logs a moment ago, or when the signal aborts. */
export const catchUp = async (
  { kafka, say, sleep, signal }: Pick<RebuildDeps, 'kafka' | 'say' | 'sleep' | 'signal'>,
  topics: ReadonlyArray<TopicName>,
  replay: Replay,
): Promise<void> => {
  const bar = progress(say, 'replaying')
  while (!signal.aborted) {
    // While Kafka is unavailable, the shown progress does not change.
    const logs = await readLogs(kafka, topics).catch(() => undefined)
    await sleep(checkEveryMs, signal)
    const { ok, reason } = await replay.health()
    if (logs === undefined) continue
    const { isReached: isThere, places } = replay.check(logs)
    bar.at(progressOf(places), ok ? undefined : reason)
    if (isThere) break
  }
  bar.end()
}
