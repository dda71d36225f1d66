import type { Id } from '../../../../contracts/primitives.ts'
import type { BotAccount } from '../../domain/accounts.ts'
import type { Conversation } from '../../domain/conversation.ts'
import type { Fact } from '../../domain/conversation-facts.ts'
import type { OwnedPartition } from '../../domain/log/consumer.ts'
import { requestTimeoutMs } from '../delivery/attempt.ts'
import type { Ownership } from '../delivery/send-command.ts'
import type { EgressPorts } from '../ports.ts'
import { type Waiting, waitingOf } from './escalations.ts'

/**
 * When to check which chat of a partition, while this worker owns it. The times are hints from the log. The check itself
 * decides what to do. Nothing is lost if the hints are lost with a worker, because `takeOver` (watchdog.ts) finds open
 * turns in the views again.
 */
export type PartitionTimers = {
  readonly owner: OwnedPartition
  readonly work: Ownership
  readonly note: (chat: string, fact: Fact) => void
  /** Who waits in the conversation, and since when. A step of the wall clock changes nothing. */
  readonly waitingIn: (chat: string, conversation: Conversation) => Waiting
  /** Check a chat at this time, or earlier if that was set before. Times are ms of the monotonic clock. */
  readonly schedule: (chat: string, at: number) => void
  /** Check a chat at this time, but first give attempts and replies that are in progress a moment to finish. */
  readonly scheduleAfterGrace: (chat: string, at: number) => void
  /** Nothing is left to do in a chat for now. */
  readonly forgetTimes: (chat: string) => void
  /** The log was read up to its end: from now on timers fire. */
  readonly start: () => void
  readonly end: () => void
}

type Timers = {
  /** Fires at this time, or at the time that was set before if that is earlier. */
  readonly set: (chat: string, at: number) => void
  readonly clear: (chat: string) => void
  readonly clearAll: () => void
}

/** One timer for each chat; times are ms of a monotonic clock. */
const chatTimers = (
  { sleep, monotonic }: Pick<EgressPorts, 'sleep' | 'monotonic'>,
  onDue: (chat: string) => void,
): Timers => {
  const known = new Map<string, { readonly at: number; readonly off: AbortController }>()

  const clear = (chat: string) => {
    // A reason: the default one is an error, and its stack would cost more than the timer.
    known.get(chat)?.off.abort('cleared')
    known.delete(chat)
  }
  const wait = async (chat: string, at: number, off: AbortController) => {
    await sleep(Math.max(0, at - monotonic()), off.signal)
    if (off.signal.aborted) return
    known.delete(chat)
    onDue(chat)
  }
  return {
    set: (chat, at) => {
      if ((known.get(chat)?.at ?? Number.POSITIVE_INFINITY) <= at) return
      clear(chat)
      const off = new AbortController()
      known.set(chat, { at, off })
      void wait(chat, at, off)
    },
    clear,
    clearAll: () => {
      for (const chat of [...known.keys()]) clear(chat)
    },
  }
}

/**
 * Longer than a request may take. So after a takeover the log has the outcome of the former owner's request, and the
 * replies that bot logic wrote by then are sent. A late reply is better than an agent who was invited because the
 * bridge was unavailable.
 */
const graceMs = requestTimeoutMs + 500
/** If a client writes more messages than this before a reply, the times of the first ones are kept. */
const maxTimed = 100

export const partitionTimers = (
  ports: Pick<EgressPorts, 'sleep' | 'monotonic' | 'now'>,
  botOf: (chat: string) => BotAccount | undefined,
  onDue: (timers: PartitionTimers, chat: string) => void,
  partition: number,
  owner: OwnedPartition,
): PartitionTimers => {
  const { monotonic } = ports
  const ended = new AbortController()
  const newest = new Map<string, Id>()
  const waitsSince = new Map<string, Map<Id, number>>()
  const byChat = chatTimers(ports, (chat) => onDue(timers, chat))
  /** What is due at `start`. */
  let untilStart: Map<string, number> | undefined = new Map()

  const schedule = (chat: string, at: number) => {
    if (ended.signal.aborted) return
    if (untilStart === undefined) byChat.set(chat, at)
    else untilStart.set(chat, Math.min(at, untilStart.get(chat) ?? at))
  }
  const scheduleAfterGrace = (chat: string, at: number) => {
    const grace = Math.min(graceMs, botOf(chat)?.replyWithin ?? 0)
    schedule(chat, Math.max(at, monotonic() + grace))
  }
  const forgetTimes = (chat: string) => {
    newest.delete(chat)
    waitsSince.delete(chat)
  }
  /** An event's time is from the receiver's wall clock, which may be wrong or stepped: a future time counts as now. */
  const sinceTime = (at: Date) => monotonic() - Math.max(0, Date.parse(ports.now()) - at.getTime())
  const sinceOf = (chat: string, id: Id, at: Date) => {
    const times = waitsSince.get(chat) ?? new Map<Id, number>()
    const since = times.get(id) ?? sinceTime(at)
    if (times.size < maxTimed) waitsSince.set(chat, times.set(id, since))
    return since
  }
  const forget = (chat: string) => {
    forgetTimes(chat)
    untilStart?.delete(chat)
    byChat.clear(chat)
  }
  const note = (chat: string, fact: Fact) => {
    const bot = botOf(chat)
    if (bot === undefined) return
    switch (fact.kind) {
      case 'client-message':
        newest.set(chat, fact.eventId)
        return scheduleAfterGrace(chat, sinceOf(chat, fact.eventId, fact.at) + bot.replyWithin)
      case 'unavailable':
        if (bot.agentUnavailableText === undefined) return
        return scheduleAfterGrace(chat, sinceOf(chat, fact.eventId, fact.at) + bot.replyWithin)
      case 'finished': {
        const { outcome, commandType, inReplyTo, because, expectsMore } = fact
        // After an announcement the timer stays, and the check decides.
        if (because !== undefined || expectsMore) return
        if (outcome === 'failed') return schedule(chat, monotonic())
        // Without `inReplyTo` the outcome may belong to an older message, for example if it is a repeat in the log.
        // So the timer stays, and the check decides.
        const answersNewest = inReplyTo !== undefined && inReplyTo === newest.get(chat)
        return outcome === 'delivered' && commandType === 'BotMessage' && answersNewest ? forget(chat) : undefined
      }
      case 'erased':
        return forget(chat)
      case 'refused':
        return schedule(chat, monotonic())
      case 'invited':
      case 'joined':
      case 'closed':
        return
    }
  }
  const timers: PartitionTimers = {
    waitingIn: (chat, conversation) => waitingOf(conversation, (id, at) => sinceOf(chat, id, at)),
    owner,
    note,
    schedule,
    scheduleAfterGrace,
    forgetTimes,
    work: { partition, signal: ended.signal, isOwned: () => !ended.signal.aborted && owner.isCurrent() },
    start: () => {
      const waiting = untilStart ?? new Map<string, number>()
      untilStart = undefined
      for (const [chat, at] of waiting) scheduleAfterGrace(chat, at)
    },
    end: () => {
      ended.abort()
      byChat.clearAll()
    },
  }
  return timers
}
