import * as E from 'fp-ts/lib/Either.js'
import { eventTopics, type TopicName } from '../../../contracts/topics.ts'
import type { Ranges } from '../offsets.ts'
import type { ReadTopic } from '../read-topic.ts'
import { type FoundKey, type KeySpread, keySpreadBy } from './partitioner.ts'

type Deps = { readonly ranges: Ranges; readonly readTopic: ReadTopic }

/** Consumers rely on the order of their keys; in other topics a key may move when partitions are added. */
const keepsOrder: ReadonlySet<TopicName> = new Set(eventTopics.map(({ name }) => name))
const recordsInAll = 2_000
const recordsAtLeast = 10
const wholeWithinMs = 10_000
const oneWithinMs = 3_000

/**
 * Finds out over how many partitions a topic's keys are spread, from the log alone. A partition that was added gets no record,
 * so that only where the last ones are empty there is something to find out: the oldest records of each partition tell.
 * Either no chat that is in the log can move by the answer, or so many were looked at that it is certain. A partition that
 * cannot be read, for a batch in its beginning, is left out: it holds up whoever consumes it, and not those who write.
 */
export const learnSpread =
  ({ ranges, readTopic }: Deps) =>
  async (topic: TopicName): Promise<KeySpread> => {
    const known = await ranges(topic)
    const of = known.size
    const whole = [...known.values()]
    if (!keepsOrder.has(topic) || (known.get(of - 1)?.high ?? 0) > 0 || whole.every(({ high }) => high === 0))
      return { over: of, of, mixed: false }
    const each = Math.max(recordsAtLeast, Math.ceil(recordsInAll / of))
    const look = async (only: ReadonlyArray<number>, withinMs: number) => {
      const found: FoundKey[] = []
      const signal = AbortSignal.timeout(withinMs)
      const read = await readTopic(
        topic,
        async (records) => {
          for (const { key, partition } of records) if (key !== null) found.push({ key, partition })
        },
        {
          part: (partition, { low, high }) => ({
            low,
            high: only.includes(partition) ? Math.min(high, low + each) : low,
          }),
          signal,
        },
      )
      if (E.isLeft(read)) throw new Error(read.left.reason)
      return { found, isWhole: !signal.aborted }
    }
    const partitions = [...known.keys()]
    const { found, isWhole } = await look(partitions, wholeWithinMs)
    if (isWhole) return keySpreadBy(of, found)
    const apart: FoundKey[] = []
    for (const partition of partitions) apart.push(...(await look([partition], oneWithinMs)).found)
    return keySpreadBy(of, apart)
  }
