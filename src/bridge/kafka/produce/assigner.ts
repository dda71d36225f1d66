import type { TopicName } from '../../../../contracts/topics.ts'
import { type Bounds, backoff } from '../../shared/backoff.ts'
import type { Sleep } from '../../shared/time.ts'
import type { Partitioner } from '../partitions/partitioner.ts'
import type { Entry } from './partition-queue.ts'

/** Assigns records to partitions in the order of the calls. Unknown partitions of a topic delay only its records. */
export const assigner = ({
  partitioner,
  onAssigned,
  onFailure,
  onRecovery,
  pause,
  sleep,
  random,
  signal,
}: {
  readonly partitioner: Pick<Partitioner, 'ready' | 'partitionOf' | 'forget'>
  readonly onAssigned: (entry: Entry, partition: number) => void
  readonly onFailure: (topic: TopicName, error: unknown) => void
  /** Called when all waiting records of the topic have a partition. */
  readonly onRecovery: (topic: TopicName) => void
  readonly pause: Bounds
  readonly sleep: Sleep
  readonly random: () => number
  readonly signal: AbortSignal
}) => {
  const waiting = new Map<TopicName, Entry[]>()

  const partitionOf = ({ record: { topic, key, partition } }: Entry) => partitioner.partitionOf(topic, key, partition)

  const assignAll = async (topic: TopicName, entries: Entry[]) => {
    for (let failures = 1; entries.length > 0 && !signal.aborted; failures++) {
      try {
        await partitioner.ready([topic])
        for (let entry = entries[0]; entry !== undefined; entry = entries[0]) {
          const partition = partitionOf(entry)
          if (partition === undefined) {
            // The topic was forgotten after `ready`, or has too few partitions for a record that names its partition.
            partitioner.forget(topic)
            throw new Error(`${topic} does not have the partition that a record requests`)
          }
          entries.shift()
          onAssigned(entry, partition)
        }
      } catch (error) {
        onFailure(topic, error)
        await sleep(backoff(failures, pause, random), signal)
      }
    }
    waiting.delete(topic)
    onRecovery(topic)
  }
  /** Assigns entries of one topic as soon as its partitions are known, before later entries. */
  const assignLater = (topic: TopicName, entries: ReadonlyArray<Entry>): void => {
    const before = waiting.get(topic)
    const all = before ?? []
    all.push(...entries)
    all.sort((a, b) => a.number - b.number)
    if (before !== undefined || all.length === 0) return
    waiting.set(topic, all)
    void assignAll(topic, all)
  }
  return {
    assign: (entry: Entry): void => {
      const { topic } = entry.record
      const partition = waiting.has(topic) ? undefined : partitionOf(entry)
      if (partition === undefined) assignLater(topic, [entry])
      else onAssigned(entry, partition)
    },
    assignLater,
  }
}
