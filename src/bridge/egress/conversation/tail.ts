import type { Fact } from '../../domain/conversation-facts.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import { withDeadline } from '../../shared/timeout.ts'
import type { EgressPorts, ViewsEnd } from '../ports.ts'
import { type FoldedConversation, type PartitionTail, partitionTail, unread } from './partition-tail.ts'

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
  /** Caches what was read of a conversation. It stays until six evictions later, or until 500 newer ones are cached. */
  readonly cache: (partition: number, chat: string, folded: FoldedConversation) => void
  readonly cached: (partition: number, chat: string) => FoldedConversation | undefined
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
    cache: (partition, chat, folded) => partitions.get(partition)?.cache(chat, folded),
    cached: (partition, chat) => partitions.get(partition)?.cached(chat),
    after: (partition, chat, offset) => partitions.get(partition)?.after(chat, offset) ?? [],
  }
}

const catchUpWithinMs = 1000

/** Resolves when the tail has what the log has now, or after a second. */
export type CatchUp = (partition: number) => Promise<void>

/**
 * Waits until the tail has everything that was in the partition's log at the time of the call. So every event that was
 * answered 200 before a command was published counts for that command. After a second it continues with what is known:
 * a late reply over an agent is better than a client in silence.
 */
export const catchUpWith =
  ({ endOffsets, sleep, log }: Pick<EgressPorts, 'endOffsets' | 'sleep' | 'log'>, tail: Tail): CatchUp =>
  async (partition) => {
    const caughtUp = await withDeadline(sleep, catchUpWithinMs, async () => {
      const ends = await endOffsets('bot-conversations')
      await tail.reached(partition, ends.get(partition) ?? 0)
    })
    if (caughtUp === undefined)
      log.warn({ partition }, 'egress: not caught up with the log in time, deciding with the events known so far')
  }
