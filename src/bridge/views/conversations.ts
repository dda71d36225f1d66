import type { BotReplyDelivered, BotReplyFailed, ConversationEvent } from '../../../contracts/events/index.ts'
import { botConversations } from '../../../contracts/topics.ts'
import {
  type ConversationDocument,
  conversations as contract,
  maxReplyTimes,
} from '../../../contracts/views/conversation.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { afterFact, withoutWaiting } from '../domain/conversation.ts'
import { clientOf, factOf, isIdleDuplicate } from '../domain/conversation-facts.ts'
import { applyGuarded, type Guard } from './applied.ts'
import type { Recorded } from './document.ts'
import { byMarks } from './erase.ts'
import { documentId, msBetween } from './fields.ts'
import { by, where } from './indexes.ts'
import { conversationTypes, each, folded, type TimelessEvent } from './view.ts'

const base = (
  current: ConversationDocument | undefined,
  event: Dated<ConversationEvent>,
  guard: Guard,
): ConversationDocument => ({
  state: 'bot',
  clientMessages: 0,
  repliesDelivered: 0,
  repliesFailed: 0,
  repliesSuppressed: 0,
  unanswered: [],
  replyTimesMs: [],
  outcome: 'open',
  startedAt: event.time,
  ...current,
  ...guard,
  _id: documentId(event),
  accountId: event.data.accountId,
  chatId: event.data.chatId,
  ...clientOf(event),
  lastEventAt: event.time,
})

type Noted = Partial<ConversationDocument>

/** A message that the service accepted answers a turn if it leaves fewer messages without a reply. */
const replied = (before: ConversationDocument, after: ConversationDocument, event: Dated<BotReplyDelivered>): Noted => {
  const { replyTimesMs, outcome, unanswered } = before
  const first = after.unanswered.length < unanswered.length ? unanswered[0] : undefined
  const { message, because, expectsMore } = event.data
  return {
    replyTimesMs: first ? [...replyTimesMs, msBetween(first.at, event.time)].slice(0, maxReplyTimes) : replyTimesMs,
    outcome: outcome === 'open' && because === undefined && !expectsMore ? 'bot' : outcome,
    ...(message && { lastMessage: { id: event.id, from: 'bot', message, at: event.time } }),
  }
}

/** Further fields for analysts: counts, times and the newest message. */
const noted = (before: ConversationDocument, after: ConversationDocument, event: Dated<ConversationEvent>): Noted => {
  const { id, time } = event
  switch (event.type) {
    case 'ClientMessageReceived': {
      const { message } = event.data
      return { clientMessages: before.clientMessages + 1, lastMessage: { id, from: 'client', message, at: time } }
    }
    case 'AgentInvited':
      return { invitedAt: time, outcome: 'agent-requested' }
    case 'AgentJoined':
      return { joinedAt: time, outcome: 'agent-requested' }
    case 'AgentUnavailable':
      return {}
    case 'ChatClosed':
      return { closedAt: time }
    case 'BotReplyDelivered': {
      const isInvitation = event.data.commandType === 'InviteAgent'
      return {
        repliesDelivered: before.repliesDelivered + 1,
        ...(isInvitation ? { invitedAt: time, outcome: 'agent-requested' } : replied(before, after, event)),
      }
    }
    case 'BotReplyFailed':
      return { repliesFailed: before.repliesFailed + 1 }
    case 'BotReplySuppressed':
      return { repliesSuppressed: before.repliesSuppressed + 1 }
  }
}

/** Sets `awaitingReplySince` and `awaitingReplyTo` from the oldest unanswered message. */
const withAwaited = (conversation: ConversationDocument): ConversationDocument => {
  const { awaitingReplySince, awaitingReplyTo, ...rest } = conversation
  const [oldest] = rest.unanswered
  return oldest === undefined ? rest : { ...rest, awaitingReplySince: oldest.at, awaitingReplyTo: oldest.id }
}

/** Sets `silentSince`, the start of the client's wait for a message of the bot or the bridge, if the client waits. */
const withSilence = (conversation: ConversationDocument): ConversationDocument => {
  const { silentSince, ...rest } = conversation
  const { state, unanswered, unheard, handOverFailed } = rest
  const turn = unanswered.find(({ status }) => status !== 'agent-asked')
  const [first, ...others] = [turn?.at, unheard?.at, handOverFailed?.at].filter((time) => time !== undefined)
  if (first === undefined || (state !== 'bot' && state !== 'unavailable')) return rest
  return { ...rest, silentSince: others.reduce((earliest, time) => (time < earliest ? time : earliest), first) }
}

/** The conversation of a chat that was erased: its client waits for nothing. */
const settled = (conversation: ConversationDocument): ConversationDocument =>
  withSilence(withAwaited(withoutWaiting(conversation)))

const fold = (before: ConversationDocument, event: Dated<ConversationEvent>): ConversationDocument => {
  const fact = factOf(event)
  const after = fact === undefined ? before : afterFact(before, fact)
  return withSilence(withAwaited({ ...after, ...noted(before, after, event) }))
}

/** Folds the events of one conversation. Guarded as contracts/views/applied.ts describes, so nothing counts twice. */
export const evolveConversation = (
  current: ConversationDocument | undefined,
  recorded: Recorded<ConversationEvent>,
): ConversationDocument =>
  applyGuarded(current, recorded, (guard) => fold(base(current, recorded.event, guard), recorded.event))

type TimelessOf<E> = TimelessEvent<Dated<E>>

const isOfDuplicate = (event: TimelessOf<ConversationEvent>): event is TimelessOf<BotReplyFailed> =>
  event.type === 'BotReplyFailed' && event.data.reason === 'duplicate'

/** Another command has the id of a duplicate, and keeps its delivery and its session. */
export const unlessDuplicate =
  <E extends TimelessOf<ConversationEvent>>(idOf: (event: E) => string) =>
  ({ event }: { readonly event: E }): string | undefined =>
    isOfDuplicate(event) ? undefined : idOf(event)

export const conversations = folded(contract, {
  key: 'chatId',
  folds: each(conversationTypes, {
    at: ({ event }) => (event.type === 'BotReplyFailed' && isIdleDuplicate(event.data) ? undefined : documentId(event)),
    next: (current: ConversationDocument | undefined, recorded) => [evolveConversation(current, recorded)],
  }),
  erasure: byMarks(settled),
  indexes: [
    by('startedAt'),
    by('state', 'lastEventAt'),
    where('awaitingReplySince'),
    where('silentSince', 'lastEventAt'),
    where('clientId'),
  ],
  person: { links: { chat: ['chatId'], client: ['clientId'] }, documents: [{ field: 'chatId' }] },
})

/**
 * The conversations of these accounts whose client waits for a message of the bot or the bridge (`silentSince`), with
 * an event since then.
 */
export const whoseClientWaits = (accountIds: ReadonlyArray<string>, since: Date) => ({
  accountId: { $in: [...accountIds] },
  silentSince: { $exists: true },
  lastEventAt: { $gte: since },
})

/** The conversations with a record of this partition of their topic. */
export const ofPartition = (partition: number) => ({
  [`applied.${botConversations.name}/${partition}`]: { $exists: true },
})
