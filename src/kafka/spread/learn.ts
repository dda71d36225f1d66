import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../contracts/topics.ts'
import type { Ranges } from '../offsets.ts'
import type { ReadTopic } from '../read-topic.ts'
import { type Placed, type Spread, spreadBy } from './spread.ts'

type Deps = { readonly ranges: Ranges; readonly readTopic: ReadTopic }

const recordsInAll = 2_000
const recordsAtLeast = 10

/**
 * Finds out over how many partitions a topic's keys are spread, from the log alone. A partition that was added gets no record,
 * so that only where the last ones are empty there is something to find out: the oldest records of each partition tell.
 * Either no chat that is in the log can move by the answer, or so many were looked at that it is certain.
 */
export const learnSpread =
  ({ ranges, readTopic }: Deps) =>
  async (topic: TopicName): Promise<Spread> => {
    const known = await ranges(topic)
    const of = known.size
    const whole = [...known.values()]
    if ((known.get(of - 1)?.high ?? 0) > 0 || whole.every(({ high }) => high === 0))
      return { over: of, of, mixed: false }
    const each = Math.max(recordsAtLeast, Math.ceil(recordsInAll / of))
    const found: Placed[] = []
    const read = await readTopic(
      topic,
      async (records) => {
        for (const { key, partition } of records) if (key !== null) found.push({ key, partition })
      },
      { part: (_, { low, high }) => ({ low, high: Math.min(high, low + each) }) },
    )
    if (E.isLeft(read)) throw new Error(read.left.reason)
    return spreadBy(of, found)
  }
