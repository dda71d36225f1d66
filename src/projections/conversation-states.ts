import type { Instant } from '../../contracts/primitives.ts'
import type { ConversationDocument } from '../../contracts/views/conversation.ts'

type Unanswered = ConversationDocument['unanswered']

const kept = 100

/** The conversation with these client messages unanswered, and the oldest of them as the one that is waited for. */
export const withUnanswered = (conversation: ConversationDocument, messages: Unanswered): ConversationDocument => {
  const { awaitingReplySince, awaitingReplyTo, ...rest } = conversation
  const [oldest, ...others] = messages
  if (oldest === undefined) return { ...rest, unanswered: [] }
  const unanswered = [oldest, ...others.slice(1 - kept)]
  return { ...rest, unanswered, awaitingReplySince: oldest.at, awaitingReplyTo: oldest.id }
}

/**
 * An agent was asked for. One that has joined stays, and closed stays closed. A hand-over that was sent (`sentAt`)
 * before the service told that no agent was there is what the service has answered so: its own record comes later.
 */
export const invited = (
  conversation: ConversationDocument,
  time: Instant,
  sentAt: Instant = time,
): ConversationDocument => {
  const { state, unavailableAt } = conversation
  const answered =
    state === 'unavailable' && unavailableAt !== undefined && Date.parse(sentAt) < Date.parse(unavailableAt)
  const stays = state === 'agent' || state === 'closed' || answered
  return { ...conversation, state: stays ? state : 'invited', invitedAt: time, outcome: 'agent' }
}

/** An agent has the conversation, and every message with it. */
export const joined = (conversation: ConversationDocument, time: Instant): ConversationDocument => ({
  ...withUnanswered(conversation, []),
  state: conversation.state === 'closed' ? 'closed' : 'agent',
  joinedAt: time,
  outcome: 'agent',
})

/** No agent is there. Whoever had it before, the bot may write again: else the client would be left in silence. */
export const leftWithout = (conversation: ConversationDocument, time: Instant): ConversationDocument => ({
  ...conversation,
  state: conversation.state === 'closed' ? 'closed' : 'unavailable',
  unavailableAt: time,
})
