import type { TopicName } from '../../../contracts/topics.ts'
import type { ViewName } from '../../../contracts/views.ts'
import type { ApplyChanges, CheckHealth, HandleSlice, OwnedPartition, Sleep } from '../../domain/ports.ts'
import { unmeasured } from '../../domain/quiet.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import { decodeRecord } from '../../kafka/records.ts'
import { classify } from '../../mongo/classify.ts'
import { projector } from '../../projections/projector.ts'
import { catchUpRecords, hasRoom } from '../../shared/heap.ts'
import { type ArchiveDeps, archivedTopicOf, readArchive } from './archive.ts'
import type { Found } from './differences.ts'
import {
  isReached,
  isTemporary,
  type Logs,
  type Places,
  type Positions,
  placesOf,
  progressOf,
  readLogs,
  type ShowProgress,
  sourceOf,
  topicIn,
  type Watched,
  watch,
} from './progress.ts'

/** How many documents a view has, and its rebuilt one; or what their comparison has found. */
export type Row =
  | { readonly view: ViewName; readonly live: number; readonly rebuilt: number }
  | ({ readonly view: ViewName } & Found)

/** What every step of a rebuild needs. */
export type RebuildDeps = ArchiveDeps & {
  readonly kafka: Pick<KafkaRoom, 'consume' | 'committedOffsets' | 'forgetGroup'>
  /** Says it in words; with what it says of a view, where it does. */
  readonly say: (line: string, row?: Row) => void
  readonly show: ShowProgress
  readonly sleep: Sleep
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  /** Ends the rebuild early, so that it can be gone on with. */
  readonly signal: AbortSignal
}

/** The consumer group of a rebuild's writer. */
export const groupOf = (writer: string): string => `rebuild-${writer}`

export type Replay = {
  /** What is taken in, durably. */
  readonly positions: () => Positions
  /** How many records could not be read, or stored, through their own fault. */
  readonly refused: () => number
  /** Topics with records that could be read, or that had some as long as they are kept. */
  readonly topicsTakenIn: () => ReadonlySet<string>
  /** Why it cannot go on: records that it has not read yet were deleted from their topic, and are in the archive alone. */
  readonly lost: () => string | undefined
  /** Resolves when nothing is being written, and nothing more will be until it is released. */
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
  /** Goes on where records are neither in a topic nor in the archive. */
  readonly mayLack: boolean
}

/** Nothing is fetched from the archive by a consumer of a group. */
const noPartition: OwnedPartition = { isCurrent: () => true, done: () => {}, pause: () => () => {} }

/**
 * Reads topics from their beginnings, or from where they were left, into views by the projector's own fold: first from the archive
 * what they do not have any more, then the topics themselves.
 */
export const startReplay = async (
  { kafka, restore, clock, signal }: Pick<RebuildDeps, 'kafka' | 'restore' | 'clock' | 'signal'>,
  { group, topics, from, applyChanges, mayLack }: Spec,
): Promise<Replay> => {
  const positions = new Map(from)
  const refused = new Set<string>()
  // What an interrupted rebuild has taken in counts.
  const topicsTakenIn = new Set([...from].flatMap(([source, position]) => (position > 0 ? [topicIn(source)] : [])))
  const fold: HandleSlice = projector({
    // What stood in an earlier topic of a name comes with its place in the archive.
    decode: (record) => decodeRecord({ ...record, topic: archivedTopicOf(record.topic) }),
    ...{ applyChanges, classify, hasRoom, clock },
    // They are dead letters already: whoever took them in first has kept them.
    deadLetter: async ({ topic, partition, offset }) => void refused.add(`${topic}/${partition}/${offset}`),
    measure: unmeasured,
    wallMs: Date.now,
  })
  let held: PromiseWithResolvers<void> | undefined
  let running = 0
  let wake = () => {}
  let isOver = false

  const handle: HandleSlice = async (slice, partition) => {
    while (held !== undefined) await held.promise
    if (isOver) throw new Error('the replay is over')
    running++
    try {
      await fold(slice, partition)
    } finally {
      running--
      wake()
    }
    const source = sourceOf(slice.topic, slice.partition)
    if (slice.records.some(({ offset }) => !refused.has(`${source}/${offset}`)))
      topicsTakenIn.add(archivedTopicOf(slice.topic))
    const last = slice.records.at(-1)?.offset ?? -1
    positions.set(source, Math.max(positions.get(source) ?? 0, last + 1))
  }
  const release = () => {
    held?.resolve()
    held = undefined
  }
  const skipTo = (source: string, offset: number) =>
    void positions.set(source, Math.max(positions.get(source) ?? 0, offset))
  const archived = { kafka, restore, positions, skipTo, mayLack, signal }
  await readArchive({ ...archived, fold: (slice) => handle(slice, noPartition) }, topics)
  let lost: string | undefined
  const consumer = await kafka.consume({
    ...{ group, topics, handle, commit: 'when-handled', catchUpRecords: catchUpRecords() },
    startAt: async (topic, partition) => {
      const source = sourceOf(topic, partition)
      const position = positions.get(source) ?? 0
      const low = (await kafka.ranges(topic)).get(partition)?.low ?? 0
      // The consumer would begin at the first record that is left: nothing may be committed beyond the gap.
      if (low > position && !mayLack && !isTemporary(source)) {
        lost = `the records of ${source} from ${position} to ${low - 1} were deleted before they were read`
        throw new Error(lost)
      }
      if (low > 0 && isTemporary(source)) topicsTakenIn.add(topic)
      skipTo(source, low)
      return positions.get(source)
    },
  })
  return {
    positions: () => new Map(positions),
    refused: () => refused.size,
    topicsTakenIn: () => topicsTakenIn,
    lost: () => lost,
    hold: async () => {
      held ??= Promise.withResolvers()
      while (running > 0) await new Promise<void>((resolve) => (wake = resolve))
    },
    release,
    health: consumer.health,
    stop: async () => {
      isOver = true
      release()
      await consumer.stop()
    },
  }
}

export type ReplayWatch = {
  /** Whether the replay has reached the ends of these logs, and how far it is. Throws where it has lost records. */
  readonly check: (logs: Logs) => { readonly isReached: boolean; readonly places: Places }
}

export const watchReplay = (replay: Pick<Replay, 'positions' | 'lost'>, clock: () => number): ReplayWatch => {
  let watched: ReadonlyMap<string, Watched> = new Map()
  return {
    check: (logs) => {
      const lost = replay.lost()
      if (lost !== undefined) throw new Error(lost)
      const now = clock()
      watched = watch(watched, placesOf(logs, replay.positions()), now)
      return { isReached: isReached(watched, now), places: watched }
    },
  }
}

const checkEveryMs = 250

/** Resolves when what was in the logs a moment ago is taken in, or the signal aborts. */
export const catchUp = async (
  { kafka, show, sleep, signal }: Pick<RebuildDeps, 'kafka' | 'show' | 'sleep' | 'signal'>,
  topics: ReadonlyArray<TopicName>,
  replay: Replay,
  replayWatch: ReplayWatch,
): Promise<void> => {
  const bar = show('replaying', 'records')
  while (!signal.aborted) {
    // Kafka away: the last ends stand until it is back.
    const logs = await readLogs(kafka, topics).catch(() => undefined)
    await sleep(checkEveryMs, signal)
    const { ok, reason } = await replay.health()
    if (logs === undefined) continue
    const { isReached: isThere, places } = replayWatch.check(logs)
    bar.at(progressOf(places), ok ? undefined : reason)
    if (isThere) break
  }
  bar.end()
}
