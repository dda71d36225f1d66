import type { TopicName } from '../../../contracts/topics.ts'
import type { Sleep } from '../../domain/ports.ts'
import { type Bounds, backoff } from '../../shared/backoff.ts'
import type { Partitioner } from '../partitioner/partitioner.ts'
import type { Entry } from './partition-queue.ts'

type Deps = {
  readonly partitioner: Pick<Partitioner, 'ready' | 'partitionOf'>
  readonly onPlaced: (entry: Entry, partition: number) => void
  readonly onFailure: (topic: TopicName, error: unknown) => void
  /** The topic's records have places again. */
  readonly onRecovery: (topic: TopicName) => void
  readonly pause: Bounds
  readonly sleep: Sleep
  readonly random: () => number
  readonly signal: AbortSignal
}

/** Gives each record its partition, in the order of the calls. A topic whose partitions are not known delays its own records alone. */
export const placement = (deps: Deps) => {
  const { partitioner, onPlaced, onFailure, onRecovery, pause, sleep, random, signal } = deps
  const waiting = new Map<TopicName, Entry[]>()

  const partitionOf = ({ record: { topic, key } }: Entry) =>
    partitioner.partitionOf(topic, typeof key === 'string' ? Buffer.from(key) : key)

  const placeAll = async (topic: TopicName, entries: Entry[]) => {
    for (let failures = 1; entries.length > 0 && !signal.aborted; failures++) {
      try {
        await partitioner.ready([topic])
        for (let entry = entries[0]; entry !== undefined; entry = entries[0]) {
          const partition = partitionOf(entry)
          if (partition === undefined) break
          entries.shift()
          onPlaced(entry, partition)
        }
      } catch (error) {
        onFailure(topic, error)
        await sleep(backoff(failures, pause, random), signal)
      }
    }
    waiting.delete(topic)
    onRecovery(topic)
  }
  /** Places entries of one topic as soon as that is possible, before those that come later. */
  const placeLater = (topic: TopicName, entries: ReadonlyArray<Entry>): void => {
    const before = waiting.get(topic)
    const all = before ?? []
    all.push(...entries)
    all.sort((a, b) => a.number - b.number)
    if (before !== undefined || all.length === 0) return
    waiting.set(topic, all)
    void placeAll(topic, all)
  }
  return {
    place: (entry: Entry): void => {
      const { topic } = entry.record
      const partition = waiting.has(topic) ? undefined : partitionOf(entry)
      if (partition === undefined) placeLater(topic, [entry])
      else onPlaced(entry, partition)
    },
    placeLater,
  }
}
