import type { TopicName } from '../../../contracts/topics.ts'
import type { ApplyChanges, CheckHealth, HandleSlice } from '../../domain/ports.ts'
import { decodeRecord } from '../../kafka/command.ts'
import { classify } from '../../mongo/classify.ts'
import { projector } from '../../projections/projector.ts'
import { type Positions, sourceOf } from '../../projections/rebuild/places.ts'
import { deepRecords, hasRoom } from '../../shared/heap.ts'
import type { RebuildDeps } from './deps.ts'

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
