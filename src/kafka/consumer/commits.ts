import type { Offsets } from 'kafkajs'
import type { PartitionReader } from './reader.ts'

type Deps = {
  readonly prefix: string
  /** The readers of the present generation: only theirs are this member's to commit. */
  readonly readers: () => Iterable<PartitionReader>
  /** Commits as a member of the generation at the time of the call; undefined while there is nobody to commit with. */
  readonly commit: () => ((offsets: Offsets) => Promise<void>) | undefined
  readonly clock: () => number
}

export type Commits = {
  /** Commits what is finished and not committed yet; at most one request is under way. Never rejects. */
  readonly flush: () => Promise<void>
  readonly failsSince: () => number | undefined
}

/** Commits the readers' progress. What failed is simply finished still, and goes with the next. */
export const commits = ({ prefix, readers, commit, clock }: Deps): Commits => {
  const committed = new WeakMap<PartitionReader, number>()
  let underWay: Promise<void> | undefined
  let failsSince: number | undefined

  const send = async (
    to: (offsets: Offsets) => Promise<void>,
    due: ReadonlyArray<readonly [PartitionReader, number]>,
  ) => {
    const byTopic = Map.groupBy(due, ([{ topic }]) => topic)
    const topics = [...byTopic].map(([topic, of]) => ({
      topic: `${prefix}${topic}`,
      partitions: of.map(([{ partition, topicId }, offset]) => ({
        partition,
        offset: String(offset),
        metadata: topicId,
      })),
    }))
    try {
      await to({ topics })
      for (const [reader, offset] of due) committed.set(reader, offset)
      failsSince = undefined
    } catch {
      failsSince ??= clock()
    }
  }
  const flush = (): Promise<void> => {
    if (underWay !== undefined) return underWay
    const to = commit()
    const due = [...readers()].flatMap((reader) => {
      const finished = reader.finished()
      return finished === undefined || finished === committed.get(reader) ? [] : [[reader, finished] as const]
    })
    if (to === undefined || due.length === 0) return Promise.resolve()
    underWay = send(to, due).finally(() => {
      underWay = undefined
    })
    return underWay
  }
  return { flush, failsSince: () => failsSince }
}
