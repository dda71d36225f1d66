import type { TopicName } from '../../../contracts/topics.ts'
import {
  type CommittedOffsets,
  type CompareLog,
  furthest,
  intactUpTo,
  marksBefore,
  type Position,
  type Ranges,
  type TopicIds,
} from '../domain/log/positions.ts'
import { partitionName, type Slice } from '../domain/log/record.ts'
import type { Log } from '../shared/log.ts'

/** The position after the last record of a partition that MongoDB has. Undefined if it is not known. */
export type PositionOf = (partition: number) => Position | undefined

/** How far MongoDB has each topic, as MongoDB itself says it. */
export type StoredPositions = {
  readonly positions: (topic: TopicName) => Promise<PositionOf>
  /** Stores the position in each partition, if it is greater than the stored one. */
  readonly keepPositions: (reached: ReadonlyMap<TopicName, ReadonlyMap<number, Position>>) => Promise<void>
}

/**
 * Committed offsets, as far as MongoDB has what is before them. Kafka's committed offset is ahead of MongoDB if MongoDB
 * was restored from an older copy. If the log has lost records that this copy has, MongoDB lacks what took their place.
 */
export const inMongo = async (
  compareLog: CompareLog,
  topic: TopicName,
  committed: ReadonlyMap<number, number>,
  positionOf: PositionOf,
): Promise<ReadonlyMap<number, number>> => {
  const known = new Map([...committed.keys()].map((partition) => [partition, positionOf(partition)]))
  const positions = new Map([...known].flatMap(([partition, position]) => (position ? [[partition, position]] : [])))
  const states = await compareLog(topic, marksBefore(positions))
  return new Map(
    [...committed].map(([partition, offset]) => {
      const position = positions.get(partition)
      const inCopy = position === undefined ? offset : intactUpTo(position, states.get(partition))
      return [partition, Math.min(offset, inCopy)]
    }),
  )
}

type Deps = StoredPositions & {
  readonly group: string
  /** The offsets that this consumer has committed, without those that another program has set. */
  readonly committed: CommittedOffsets
  readonly ranges: Ranges
  readonly compareLog: CompareLog
  /** Whether a topic keeps its records until MongoDB has them. */
  readonly isKept: (topic: TopicName) => boolean
  readonly log: Pick<Log, 'info'>
}

/**
 * Lets a consumer continue where MongoDB ends, and not where Kafka's committed offsets say. Without it, what happened
 * between a copy of MongoDB and its restore would be in no view until somebody rebuilds them. Positions are stored
 * every second, so after a kill the records of up to a second are handled again. That changes nothing.
 */
export const positionsInMongo = (deps: Deps) => {
  const { positions, keepPositions, group, committed, ranges, compareLog, isKept, log } = deps
  const starts = new Map<TopicName, ReadonlyMap<number, number>>()
  let reached = new Map<TopicName, Map<number, Position>>()

  const note = (topic: TopicName, partition: number, position: Position) => {
    const own = reached.get(topic) ?? new Map<number, Position>()
    own.set(partition, furthest(position, own.get(partition) ?? position))
    reached.set(topic, own)
  }

  /** Finds the start of each partition that MongoDB lacks records of. Returns those whose records are deleted. */
  const startOf = async (topic: TopicName): Promise<ReadonlyArray<string>> => {
    const done = await committed(group, topic)
    const held = await inMongo(compareLog, topic, done, await positions(topic))
    const behind = [...held].flatMap(([partition, start]) => {
      const records = (done.get(partition) ?? start) - start
      return records > 0 ? [{ partition, start, records }] : []
    })
    starts.set(topic, new Map(behind.map(({ partition, start }) => [partition, start])))
    if (behind.length === 0) return []
    const known = await ranges(topic)
    const deleted = behind.filter(({ partition, start }) => start < (known.get(partition)?.low ?? 0))
    if (isKept(topic) && deleted.length > 0) return deleted.map(({ partition }) => partitionName({ topic, partition }))
    for (const { partition, records } of behind)
      log.info({ group, topic, partition, records }, 'records that MongoDB may lack are read again')
    return []
  }
  return {
    /** Finds out where to continue. Returns why that is not possible, and what to do. */
    refusal: async (ids: TopicIds): Promise<string | undefined> => {
      const lacking = (await Promise.all([...ids.keys()].map(startOf))).flat()
      return lacking.length === 0
        ? undefined
        : `${lacking.join(', ')}: MongoDB lacks records that are only in the archive, as after a restore: run livechat-bridge rebuild all`
    },
    /** Undefined: at the committed offset. */
    startAt: async (topic: TopicName, partition: number): Promise<number | undefined> =>
      starts.get(topic)?.get(partition),
    /** MongoDB has these records now. */
    handled: ({ topic, partition, records }: Slice): void => {
      const last = records.at(-1)
      if (last !== undefined) note(topic, partition, { offset: last.offset + 1, epoch: last.epoch })
    },
    /** Stores what was handled since the last call. */
    store: async (): Promise<void> => {
      if (reached.size === 0) return
      const taken = reached
      reached = new Map()
      try {
        await keepPositions(taken)
      } catch (error) {
        for (const [topic, own] of taken) for (const [partition, position] of own) note(topic, partition, position)
        throw error
      }
    },
  }
}

const storeEveryMs = 1_000

/** Returns a function that stores for the last time. While MongoDB is away, the positions wait for the next time. */
export const storeEverySecond = ({ store }: { readonly store: () => Promise<void> }): (() => Promise<void>) => {
  const storeOrWait = () => store().catch(() => undefined)
  const storing = setInterval(storeOrWait, storeEveryMs)
  return async () => {
    clearInterval(storing)
    await storeOrWait()
  }
}
