import type { BotReplyDelivered, BotReplyFailed, ClientMessageReceived } from '../../contracts/events/index.ts'
import type { ConversationDocument } from '../../contracts/views/conversation.ts'
import { identity } from './applied.ts'
import { invited, marked, withoutUnheard, withUnanswered } from './conversation-states.ts'
import { msBetween } from './fields.ts'

/** A message waits for an answer unless an agent has the conversation; while one is asked for, it waits for that one. */
export const clientWrote = (
  conversation: ConversationDocument,
  { id, time, data }: ClientMessageReceived,
): ConversationDocument => {
  const { state, unanswered, clientMessages } = conversation
  const status = state === 'invited' ? ({ status: 'agent-asked' } as const) : {}
  const waiting = state === 'agent' ? unanswered : [...unanswered, { id, at: time, ...status }]
  return {
    ...withUnanswered(conversation, waiting),
    state: state === 'closed' ? 'bot' : state,
    clientMessages: clientMessages + 1,
    lastClientMessageId: id,
    lastMessage: { id, from: 'client', message: data.message, at: time },
  }
}

type Reply = Pick<BotReplyDelivered, 'data'>

/**
 * How many of the unanswered messages a reply is for: up to the one of its `inReplyTo`; none where that one was
 * answered before; all where it names none, or none that is known.
 */
const answeredBy = ({ unanswered, seen }: ConversationDocument, { data: { inReplyTo } }: Reply): number => {
  if (inReplyTo === undefined) return unanswered.length
  const place = unanswered.findIndex(({ id }) => id === inReplyTo)
  if (place >= 0) return place + 1
  return seen.includes(identity({ source: 'bot', id: inReplyTo })) ? 0 : unanswered.length
}

/** The bot's word after AGENT_UNAVAILABLE, or the bridge's own. */
const heard = (conversation: ConversationDocument, { data: { because, inReplyTo } }: Reply): ConversationDocument =>
  because === undefined || inReplyTo === conversation.unheard?.id ? withoutUnheard(conversation) : conversation

const replied = (conversation: ConversationDocument, event: BotReplyDelivered): ConversationDocument => {
  const { unanswered, replyTimesMs, outcome } = conversation
  const answered = answeredBy(conversation, event)
  const first = answered > 0 ? unanswered[0] : undefined
  const { message, because } = event.data
  return {
    ...withUnanswered(heard(conversation, event), unanswered.slice(answered)),
    replyTimesMs: first ? [...replyTimesMs, msBetween(first.at, event.time)] : replyTimesMs,
    outcome: outcome === 'open' && because === undefined ? 'bot' : outcome,
    ...(message && { lastMessage: { id: event.id, from: 'bot', message, at: event.time } }),
  }
}

/** The service took a command: a message answers the client, a hand-over asks for an agent. */
export const delivered = (conversation: ConversationDocument, event: BotReplyDelivered): ConversationDocument => {
  const counted = { ...conversation, repliesDelivered: conversation.repliesDelivered + 1 }
  const { commandType, attempts } = event.data
  switch (commandType) {
    case 'BotMessage':
      return replied(counted, event)
    case 'InviteAgent':
      return invited(counted, event.time, attempts.at(-1)?.at ?? event.time)
  }
}

/** A command was given up. One that was refused unsent may come again; what the bridge asked for itself was asked for. */
export const failed = (conversation: ConversationDocument, event: BotReplyFailed): ConversationDocument => {
  const counted = { ...conversation, repliesFailed: conversation.repliesFailed + 1 }
  const { reason, because } = event.data
  if (reason === 'invalid' || reason === 'unknown-account') return counted
  if (because === 'agent-unavailable') return heard(counted, event)
  return marked(counted, answeredBy(conversation, event), because === undefined ? 'reply-failed' : 'agent-asked')
}
