import type { Id } from '../../../contracts/primitives.ts'
import type { BotAccount } from '../../domain/accounts.ts'
import type { Conversation } from '../../domain/conversation.ts'
import type { Fact } from '../../domain/conversation-facts.ts'
import type { OwnedPartition, Sleep } from '../../domain/ports.ts'
import type { PartitionWork } from '../delivery/partition-work.ts'
import { type Waiting, waitingOf } from './escalations.ts'

/** One timer for each key; times are ms of a monotonic clock. */
type Timers = {
  /** Fires at this time, or at the one that was set before where that is earlier. */
  readonly set: (key: string, at: number) => void
  readonly clear: (key: string) => void
  readonly clearAll: () => void
}

const keyedTimers = (sleep: Sleep, monotonic: () => number, onDue: (key: string) => void): Timers => {
  const known = new Map<string, { readonly at: number; readonly off: AbortController }>()

  const clear = (key: string) => {
    known.get(key)?.off.abort()
    known.delete(key)
  }
  const wait = async (key: string, at: number, off: AbortController) => {
    await sleep(Math.max(0, at - monotonic()), off.signal)
    if (off.signal.aborted) return
    known.delete(key)
    onDue(key)
  }
  return {
    set: (key, at) => {
      if ((known.get(key)?.at ?? Number.POSITIVE_INFINITY) <= at) return
      clear(key)
      const off = new AbortController()
      known.set(key, { at, off })
      void wait(key, at, off)
    },
    clear,
    clearAll: () => {
      for (const key of [...known.keys()]) clear(key)
    },
  }
}

/**
 * When to look at which chat of a partition, while it is this worker's. All of it is hints, made of the log as it is read:
 * what is to be done is decided by the look, so that nothing is lost with them.
 */
export type PartitionTimers = {
  readonly partition: number
  readonly owner: OwnedPartition
  readonly work: Pick<PartitionWork, 'isOwned' | 'signal'>
  readonly note: (chat: string, fact: Fact) => void
  /** Who waits in the conversation, and since when, whatever the wall clock does. */
  readonly waitingIn: (chat: string, conversation: Conversation) => Waiting
  /** Look at a chat then, or earlier where that was said before. Times are ms of the monotonic clock. */
  readonly look: (chat: string, at: number) => void
  /** Look at a chat whose escalation is due then, but give what others have under way or in store a moment first. */
  readonly lookCalmly: (chat: string, at: number) => void
  /** Nothing is left to be done in a chat for now. */
  readonly settled: (chat: string) => void
  /** The log is known up to its end: from now on timers fire. */
  readonly start: () => void
  readonly end: () => void
}

type Deps = {
  readonly sleep: Sleep
  readonly monotonic: () => number
  /** The wall clock, in ms since 1970. */
  readonly wallMs: () => number
  readonly botOf: (chat: string) => BotAccount | undefined
  readonly onDue: (partitionTimers: PartitionTimers, chat: string) => void
}

/**
 * Longer than a request may take. After a takeover, what a former owner had under way is then in the log, and what bot
 * logic has answered meanwhile is out: a late reply is better than an agent who was called because the bridge was away.
 */
const graceMs = 3500
/** Of a client who writes more than that before anybody answers, the first messages are those that count. */
const mostTimed = 100

export const partitionTimers = (
  { sleep, monotonic, wallMs, botOf, onDue }: Deps,
  partition: number,
  owner: OwnedPartition,
): PartitionTimers => {
  const ended = new AbortController()
  const newest = new Map<string, Id>()
  const waitsSince = new Map<string, Map<Id, number>>()
  const timers = keyedTimers(sleep, monotonic, (chat) => onDue(it, chat))
  let held: Map<string, number> | undefined = new Map()

  const look = (chat: string, at: number) => {
    if (ended.signal.aborted) return
    if (held === undefined) timers.set(chat, at)
    else held.set(chat, Math.min(at, held.get(chat) ?? at))
  }
  const lookCalmly = (chat: string, at: number) => {
    const grace = Math.min(graceMs, botOf(chat)?.replyWithin ?? 0)
    look(chat, Math.max(at, monotonic() + grace))
  }
  const settled = (chat: string) => {
    newest.delete(chat)
    waitsSince.delete(chat)
  }
  /** An event's time is the wall clock's of who took it in: after a restart, or a step of that clock, 0 ms ago at the latest. */
  const sinceTime = (at: Date) => monotonic() - Math.max(0, wallMs() - at.getTime())
  const sinceOf = (chat: string, id: Id, at: Date) => {
    const times = waitsSince.get(chat) ?? new Map<Id, number>()
    const since = times.get(id) ?? sinceTime(at)
    if (times.size < mostTimed) waitsSince.set(chat, times.set(id, since))
    return since
  }
  const forget = (chat: string) => {
    settled(chat)
    held?.delete(chat)
    timers.clear(chat)
  }
  const note = (chat: string, fact: Fact) => {
    const bot = botOf(chat)
    if (bot === undefined) return
    switch (fact.kind) {
      case 'client-message':
        newest.set(chat, fact.eventId)
        return lookCalmly(chat, sinceOf(chat, fact.eventId, fact.at) + bot.replyWithin)
      case 'unavailable':
        if (bot.agentUnavailableText === undefined) return
        return lookCalmly(chat, sinceOf(chat, fact.eventId, fact.at) + bot.replyWithin)
      case 'finished': {
        const { outcome, commandType, inReplyTo, because } = fact
        if (because !== undefined) return
        if (outcome === 'failed') return look(chat, monotonic())
        // one that names no message may be a repeat in the log, from before the client's newest: left to the look
        const answersNewest = inReplyTo !== undefined && inReplyTo === newest.get(chat)
        return outcome === 'delivered' && commandType === 'BotMessage' && answersNewest ? forget(chat) : undefined
      }
      case 'refused':
        return look(chat, monotonic())
      case 'invited':
      case 'joined':
      case 'closed':
        return
    }
  }
  const it: PartitionTimers = {
    waitingIn: (chat, conversation) => waitingOf(conversation, (id, at) => sinceOf(chat, id, at)),
    ...{ partition, owner, note, look, lookCalmly, settled },
    work: { signal: ended.signal, isOwned: () => !ended.signal.aborted && owner.isCurrent() },
    start: () => {
      const waiting = held ?? new Map<string, number>()
      held = undefined
      for (const [chat, at] of waiting) lookCalmly(chat, at)
    },
    end: () => {
      ended.abort()
      timers.clearAll()
    },
  }
  return it
}
