import type { Fact } from '../../domain/conversation-facts.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import type { ViewsEnd } from '../ports.ts'
import { type Kept, type PartitionTail, partitionTail, unread } from './partition-tail.ts'

/** The end of bot-conversations that the views may not have yet, as facts by chat, for this worker's partitions. */
export type Tail = {
  /** Reading of a partition starts again, at this offset. */
  readonly begin: (partition: number, views: ViewsEnd) => void
  /** This record is read next. */
  readonly enter: (partition: number, record: Pick<IncomingRecord, 'offset' | 'epoch'>) => void
  /**
   * The place of a document in this log: facts after this offset are not in it. -1 if it is made from another log. A
   * log that has lost its end has given the offsets from there on to other records, of newer epochs.
   */
  readonly placeOf: (partition: number, place: Pick<IncomingRecord, 'offset' | 'epoch'>) => number
  readonly end: (partition: number) => void
  readonly add: (partition: number, chat: string, fact: Fact, offset: number) => void
  /** Adds an outcome of this worker before it is read from the log. */
  readonly remember: (partition: number, chat: string, fact: Fact) => void
  /** Everything before this offset has been read. */
  readonly advance: (partition: number, offset: number) => void
  /** Resolves once everything before this offset has been read; never if the partition is lost before that. */
  readonly reached: (partition: number, offset: number) => Promise<void>
  /** Facts before the end of the views may be evicted. */
  readonly evict: (partition: number, views: ViewsEnd) => void
  /** The views and the tail together have every fact: each forgotten fact is in the views. */
  readonly isWhole: (partition: number) => boolean
  /** The tail has no facts before this offset. */
  readonly floor: (partition: number) => number
  /**
   * Keeps a conversation that the views have at least up to this offset, so it is not read again for six evictions
   * (usually at least a minute), or until 500 newer ones are kept.
   */
  readonly keep: (partition: number, chat: string, kept: Kept) => void
  readonly kept: (partition: number, chat: string) => Kept | undefined
  /** A chat's facts after an offset, in log order. Facts that were not read from the log yet are last. */
  readonly after: (partition: number, chat: string, offset: number) => ReadonlyArray<Fact>
}

type Waiter = { readonly offset: number; readonly resolve: () => void }

/** For all partitions together. While the views make no progress, the oldest facts beyond this are forgotten. */
const usualMaxBytes = 64 * 1024 * 1024

export const conversationTail = (
  onForgotten: (partition: number) => void = () => {},
  maxBytes = usualMaxBytes,
): Tail => {
  const partitions = new Map<number, PartitionTail>()
  const waiting = new Map<number, ReadonlyArray<Waiter>>()
  const bytes = () => [...partitions.values()].reduce((sum, one) => sum + one.bytes(), 0)

  const begin = (partition: number, views: ViewsEnd): PartitionTail => {
    const begun = partitionTail(views)
    partitions.set(partition, begun)
    return begun
  }
  const begunAt = (partition: number, offset: number) =>
    partitions.get(partition) ?? begin(partition, { offset, isOfThisLog: true })
  /** Drops the older half of the largest partition. A late reply over an agent is better than running out of memory. */
  const forgetOldest = () => {
    const [largest] = [...partitions].sort(([, a], [, b]) => b.bytes() - a.bytes())
    if (largest === undefined) return
    largest[1].forgetOlderHalf()
    onForgotten(largest[0])
  }
  return {
    begin,
    end: (partition) => {
      partitions.delete(partition)
      waiting.delete(partition)
    },
    add: (partition, chat, fact, offset) => {
      const tail = begunAt(partition, offset)
      tail.put(chat, fact, offset)
      tail.advance(offset)
      if (tail.bytes() > maxBytes / partitions.size && bytes() > maxBytes) forgetOldest()
    },
    remember: (partition, chat, fact) => partitions.get(partition)?.put(chat, fact, unread),
    advance: (partition, offset) => {
      const tail = begunAt(partition, offset)
      tail.advance(offset)
      const waiters = waiting.get(partition)
      if (waiters === undefined) return
      for (const waiter of waiters) if (waiter.offset <= tail.position()) waiter.resolve()
      waiting.set(
        partition,
        waiters.filter((waiter) => waiter.offset > tail.position()),
      )
    },
    reached: (partition, offset) =>
      new Promise((resolve) => {
        if (begunAt(partition, 0).position() >= offset) resolve()
        else waiting.set(partition, [...(waiting.get(partition) ?? []), { offset, resolve }])
      }),
    enter: (partition, place) => begunAt(partition, place.offset).enter(place),
    placeOf: (partition, place) => partitions.get(partition)?.placeOf(place) ?? place.offset,
    evict: (partition, views) => partitions.get(partition)?.evict(views),
    isWhole: (partition) => partitions.get(partition)?.isWhole() ?? true,
    floor: (partition) => partitions.get(partition)?.floor() ?? 0,
    keep: (partition, chat, kept) => partitions.get(partition)?.keep(chat, kept),
    kept: (partition, chat) => partitions.get(partition)?.kept(chat),
    after: (partition, chat, offset) => partitions.get(partition)?.after(chat, offset) ?? [],
  }
}
