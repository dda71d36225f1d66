import type { TopicName } from '../../../contracts/topics.ts'
import type { ApplyChanges, CheckHealth, HandleSlice, Sleep } from '../../domain/ports.ts'
import { decodeRecord } from '../../kafka/command.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import { classify } from '../../mongo/classify.ts'
import { projector } from '../../projections/projector.ts'
import { deepRecords, hasRoom } from '../../shared/heap.ts'
import {
  isReached,
  type Logs,
  type Places,
  type Positions,
  placesOf,
  progressOf,
  readLogs,
  type ShowProgress,
  sourceOf,
  type Watched,
  watch,
} from './progress.ts'

/** What every step of a rebuild needs. */
export type RebuildDeps = {
  readonly kafka: Pick<KafkaRoom, 'consume' | 'ranges' | 'committedOffsets' | 'forgetGroup'>
  readonly say: (line: string) => void
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
}

/** Reads topics from their beginnings, or from where they were left, into views by the projector's own fold. */
export const startReplay = async (
  { kafka, clock }: Pick<RebuildDeps, 'kafka' | 'clock'>,
  { group, topics, from, applyChanges }: Spec,
): Promise<Replay> => {
  const positions = new Map(from)
  const refused = new Set<string>()
  const fold: HandleSlice = projector({
    ...{ decode: decodeRecord, applyChanges, classify, hasRoom, clock },
    // They are dead letters already: whoever took them in first has kept them.
    deadLetter: async ({ topic, partition, offset }) => void refused.add(`${topic}/${partition}/${offset}`),
    measure: { projected: () => {} },
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
    const last = slice.records.at(-1)?.offset ?? -1
    positions.set(source, Math.max(positions.get(source) ?? 0, last + 1))
  }
  const release = () => {
    held?.resolve()
    held = undefined
  }
  const consumer = await kafka.consume({
    ...{ group, topics, handle, commit: 'when-handled', deepRecords: deepRecords() },
    startAt: async (topic, partition) => positions.get(sourceOf(topic, partition)),
  })
  return {
    positions: () => new Map(positions),
    refused: () => refused.size,
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
  /** Whether the replay has reached the ends of these logs, and how far it is. */
  readonly check: (logs: Logs) => { readonly isReached: boolean; readonly places: Places }
}

export const watchReplay = (replay: Pick<Replay, 'positions'>, clock: () => number): ReplayWatch => {
  let watched: ReadonlyMap<string, Watched> = new Map()
  return {
    check: (logs) => {
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
