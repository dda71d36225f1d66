import type { Conversation } from '../../domain/conversation.ts'
import { withFacts } from '../../domain/conversation.ts'
import type { Fact } from '../../domain/conversation-facts.ts'
import type { IncomingRecord } from '../../domain/ports.ts'
import type { ViewsEnd } from '../ports.ts'

/** A conversation as folded from the log, up to and including the offset `applied`. */
export type Kept = { readonly conversation: Conversation; readonly applied: number }

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

type Placed = { readonly fact: Fact; readonly offset: number }
type Waiter = { readonly offset: number; readonly resolve: () => void }
type Part = {
  floor: number
  /** The views have at least what is before `inViews`. The tail has dropped what is before `forgotten`. */
  inViews: number
  forgotten: number
  bytes: number
  position: number
  isOfThisLog: boolean
  /** Each leader epoch with its first record that was read. */
  readonly epochs: Array<{ readonly epoch: number; readonly from: number }>
  waiting: ReadonlyArray<Waiter>
  readonly chats: Map<string, Map<string, Placed>>
  readonly kept: Map<string, Kept & { readonly evictions: number }>
}

/** A few megabytes for each partition, because a conversation has a list of the events that it has seen. */
const maxKept = 500
const maxEvictions = 6

const unread = Number.POSITIVE_INFINITY

/** For all partitions together. While the views make no progress, the oldest facts beyond this are forgotten. */
const usualMaxBytes = 64 * 1024 * 1024
const overhead = 300

/** About how many bytes a fact takes in memory. */
const sizeOf = (fact: Fact): number =>
  Object.values(fact).reduce<number>(
    (size, value) => size + (typeof value === 'string' ? 2 * value.length : 0),
    overhead,
  )

export const conversationTail = (
  onForgotten: (partition: number) => void = () => {},
  maxBytes = usualMaxBytes,
): Tail => {
  const parts = new Map<number, Part>()
  const bytes = () => [...parts.values()].reduce((sum, part) => sum + part.bytes, 0)

  const begin = (partition: number, { offset, isOfThisLog }: ViewsEnd) => {
    const part: Part = {
      floor: offset,
      inViews: offset,
      forgotten: 0,
      bytes: 0,
      position: offset,
      isOfThisLog,
      epochs: [],
      waiting: [],
      chats: new Map(),
      kept: new Map(),
    }
    const waiting = parts.get(partition)?.waiting ?? []
    parts.set(partition, part)
    part.waiting = waiting
    return part
  }
  const partAt = (partition: number, offset: number) =>
    parts.get(partition) ?? begin(partition, { offset, isOfThisLog: true })
  const put = (part: Part, chat: string, placed: Placed) => {
    const facts = part.chats.get(chat) ?? new Map<string, Placed>()
    // The log's copy replaces the worker's own fact. A repeat in the log changes nothing.
    const size = sizeOf(placed.fact)
    if (facts.get(placed.fact.id)?.offset === unread && facts.delete(placed.fact.id)) part.bytes -= size
    if (!facts.has(placed.fact.id)) {
      facts.set(placed.fact.id, placed)
      part.bytes += size
    }
    part.chats.set(chat, facts)
  }
  const placedAfter = (part: Part | undefined, chat: string, offset: number) =>
    [...(part?.chats.get(chat)?.values() ?? [])].filter((placed) => placed.offset > offset)
  /** Folds evicted facts into the conversations that are kept. */
  const carryOn = (part: Part, before: number) => {
    for (const [chat, { conversation, applied, evictions }] of part.kept)
      if (evictions === maxEvictions) part.kept.delete(chat)
      else {
        const evicted = placedAfter(part, chat, applied).filter(({ offset }) => offset < before)
        part.kept.set(chat, {
          conversation: withFacts(
            conversation,
            evicted.map(({ fact }) => fact),
          ),
          applied: Math.max(applied, before - 1),
          evictions: evictions + 1,
        })
      }
  }
  const evictChat = (part: Part, chat: string, before: number) => {
    const facts = part.chats.get(chat)
    for (const [id, { fact, offset }] of facts ?? [])
      if (offset < before && facts?.delete(id)) part.bytes -= sizeOf(fact)
    if (facts?.size === 0) part.chats.delete(chat)
  }
  const drop = (part: Part, before: number) => {
    if (before <= part.floor) return
    part.floor = before
    carryOn(part, before)
    for (const chat of [...part.chats.keys()]) evictChat(part, chat, before)
  }
  /** Drops the older half of the largest partition. A late reply over an agent is better than running out of memory. */
  const forgetOldest = () => {
    const [most] = [...parts].sort(([, a], [, b]) => b.bytes - a.bytes)
    if (most === undefined) return
    const [partition, part] = most
    part.forgotten = part.floor + Math.ceil((part.position - part.floor) / 2)
    drop(part, part.forgotten)
    onForgotten(partition)
  }
  return {
    begin,
    end: (partition) => parts.delete(partition),
    add: (partition, chat, fact, offset) => {
      const part = partAt(partition, offset)
      put(part, chat, { fact, offset })
      part.position = Math.max(part.position, offset)
      if (part.bytes > maxBytes / parts.size && bytes() > maxBytes) forgetOldest()
    },
    remember: (partition, chat, fact) => {
      const part = parts.get(partition)
      if (part !== undefined) put(part, chat, { fact, offset: unread })
    },
    advance: (partition, offset) => {
      const part = partAt(partition, offset)
      part.position = Math.max(part.position, offset)
      for (const waiter of part.waiting) if (waiter.offset <= part.position) waiter.resolve()
      part.waiting = part.waiting.filter((waiter) => waiter.offset > part.position)
    },
    reached: (partition, offset) =>
      new Promise((resolve) => {
        const part = parts.get(partition) ?? begin(partition, { offset: 0, isOfThisLog: true })
        if (part.position >= offset) resolve()
        else part.waiting = [...part.waiting, { offset, resolve }]
      }),
    enter: (partition, { offset, epoch }) => {
      const epochs = partAt(partition, offset).epochs
      if (epoch !== undefined && epoch !== epochs.at(-1)?.epoch) epochs.push({ epoch, from: offset })
    },
    placeOf: (partition, { offset, epoch }) => {
      const part = parts.get(partition)
      if (part?.isOfThisLog === false) return -1
      const newer = epoch === undefined ? undefined : part?.epochs.find((each) => each.epoch > epoch)
      return newer === undefined ? offset : Math.min(offset, newer.from - 1)
    },
    evict: (partition, { offset: before, isOfThisLog }) => {
      const part = parts.get(partition)
      if (part === undefined) return
      part.isOfThisLog = isOfThisLog
      if (!isOfThisLog) return
      part.inViews = Math.max(part.inViews, before)
      drop(part, before)
    },
    isWhole: (partition) => {
      const part = parts.get(partition)
      return part === undefined || part.forgotten <= part.inViews
    },
    floor: (partition) => parts.get(partition)?.floor ?? 0,
    keep: (partition, chat, { conversation, applied }) => {
      const part = parts.get(partition)
      if (part === undefined || part.forgotten > part.inViews) return
      const [oldest] = part.kept.keys()
      if (oldest !== undefined && part.kept.size >= maxKept) part.kept.delete(oldest)
      part.kept.set(chat, { conversation, applied: Math.max(applied, part.floor - 1), evictions: 0 })
    },
    kept: (partition, chat) => parts.get(partition)?.kept.get(chat),
    after: (partition, chat, offset) => placedAfter(parts.get(partition), chat, offset).map(({ fact }) => fact),
  }
}
