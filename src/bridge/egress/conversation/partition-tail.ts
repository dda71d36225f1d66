import { type Conversation, withFacts } from '../../domain/conversation.ts'
import type { Fact } from '../../domain/conversation-facts.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import type { ViewsEnd } from '../ports.ts'

/** A conversation as folded from the log, up to and including the offset `applied`. */
export type FoldedConversation = { readonly conversation: Conversation; readonly applied: number }

type Placed = { readonly fact: Fact; readonly offset: number }
type Cached = FoldedConversation & { readonly evictions: number }
type Place = Pick<IncomingRecord, 'offset' | 'epoch'>

/** A few megabytes for each partition, because a conversation has a list of the events that it has seen. */
const maxCached = 500
const maxEvictions = 6

/** The offset of a fact that was not read from the log yet. */
export const unread = Number.POSITIVE_INFINITY

const overhead = 300

/** About how many bytes a fact takes in memory. */
const sizeOf = (fact: Fact): number =>
  Object.values(fact).reduce<number>(
    (size, value) => size + (typeof value === 'string' ? 2 * value.length : 0),
    overhead,
  )

/** The conversation with the facts before an offset, which are evicted. Undefined if it was cached for long enough. */
const afterEviction = (
  { conversation, applied, evictions }: Cached,
  facts: ReadonlyArray<Placed>,
  before: number,
): Cached | undefined => {
  if (evictions === maxEvictions) return undefined
  const evicted = facts.filter(({ offset }) => offset > applied && offset < before)
  return {
    conversation: withFacts(
      conversation,
      evicted.map(({ fact }) => fact),
    ),
    applied: Math.max(applied, before - 1),
    evictions: evictions + 1,
  }
}

export type PartitionTail = ReturnType<typeof partitionTail>

/** The tail of one partition. Its functions do for it what those of `Tail` say. */
export const partitionTail = (views: ViewsEnd) => {
  const chats = new Map<string, Map<string, Placed>>()
  const cache = new Map<string, Cached>()
  /** Each leader epoch with its first record that was read. */
  const epochs: Array<{ readonly epoch: number; readonly from: number }> = []
  let { offset: floor, isOfThisLog } = views
  let position = floor
  /** The views have at least what is before `inViews`. The tail has dropped what is before `forgotten`. */
  let inViews = floor
  let forgotten = 0
  let bytes = 0

  const factsOf = (chat: string) => [...(chats.get(chat)?.values() ?? [])]
  const isWhole = () => forgotten <= inViews
  const evictChat = (chat: string, facts: Map<string, Placed>, before: number) => {
    for (const [id, { fact, offset }] of facts) if (offset < before && facts.delete(id)) bytes -= sizeOf(fact)
    if (facts.size === 0) chats.delete(chat)
  }
  /** Folds the evicted facts into the cached conversations. */
  const drop = (before: number) => {
    if (before <= floor) return
    floor = before
    for (const [chat, one] of cache) {
      const next = afterEviction(one, factsOf(chat), before)
      if (next === undefined) cache.delete(chat)
      else cache.set(chat, next)
    }
    for (const [chat, facts] of chats) evictChat(chat, facts, before)
  }
  return {
    bytes: () => bytes,
    floor: () => floor,
    position: () => position,
    isWhole,
    put: (chat: string, fact: Fact, offset: number): void => {
      const facts = chats.get(chat) ?? new Map<string, Placed>()
      // The log's copy replaces the worker's own fact. A repeat in the log changes nothing.
      const size = sizeOf(fact)
      if (facts.get(fact.id)?.offset === unread && facts.delete(fact.id)) bytes -= size
      if (!facts.has(fact.id)) {
        facts.set(fact.id, { fact, offset })
        bytes += size
      }
      chats.set(chat, facts)
    },
    advance: (offset: number): void => {
      position = Math.max(position, offset)
    },
    enter: ({ offset, epoch }: Place): void => {
      if (epoch !== undefined && epoch !== epochs.at(-1)?.epoch) epochs.push({ epoch, from: offset })
    },
    placeOf: ({ offset, epoch }: Place): number => {
      if (!isOfThisLog) return -1
      const newer = epoch === undefined ? undefined : epochs.find((each) => each.epoch > epoch)
      return newer === undefined ? offset : Math.min(offset, newer.from - 1)
    },
    evict: (end: ViewsEnd): void => {
      isOfThisLog = end.isOfThisLog
      if (!isOfThisLog) return
      inViews = Math.max(inViews, end.offset)
      drop(end.offset)
    },
    forgetOlderHalf: (): void => {
      forgotten = floor + Math.ceil((position - floor) / 2)
      drop(forgotten)
    },
    cache: (chat: string, { conversation, applied }: FoldedConversation): void => {
      if (!isWhole()) return
      const [oldest] = cache.keys()
      if (oldest !== undefined && cache.size >= maxCached) cache.delete(oldest)
      cache.set(chat, { conversation, applied: Math.max(applied, floor - 1), evictions: 0 })
    },
    cached: (chat: string): FoldedConversation | undefined => cache.get(chat),
    after: (chat: string, offset: number): ReadonlyArray<Fact> =>
      factsOf(chat).flatMap((placed) => (placed.offset > offset ? [placed.fact] : [])),
  }
}
