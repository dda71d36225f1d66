import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { BotReplySuppressed } from '../../../contracts/events/index.ts'
import type { ConversationDocument, ConversationState } from '../../../contracts/views/conversation.ts'
import type { Fact } from './facts.ts'

/** Who has a conversation, when it was told last that no agent is there (ms since 1970), and the client's newest message. */
export type Conversation = {
  readonly state: ConversationState
  readonly unavailableAt?: number
  readonly newestClientMessage?: string
}

export const unknownConversation: Conversation = { state: 'bot' }

export const conversationOf = (document: ConversationDocument): Conversation => {
  const { state, unavailableAt, lastClientMessageId } = document
  return {
    state,
    ...(unavailableAt !== undefined && { unavailableAt: Date.parse(unavailableAt) }),
    ...(lastClientMessageId !== undefined && { newestClientMessage: lastClientMessageId }),
  }
}

/** An agent was asked for. AGENT_UNAVAILABLE is the answer to what was sent before it, also where the log has it first. */
const invite = (current: Conversation, sentAt: number): Conversation => {
  const { state, unavailableAt } = current
  const isAnswered = state === 'unavailable' && unavailableAt !== undefined && sentAt < unavailableAt
  return state === 'agent' || state === 'closed' || isAnswered ? current : { ...current, state: 'invited' }
}

const unlessClosed = (current: Conversation, state: ConversationState): ConversationState =>
  current.state === 'closed' ? 'closed' : state

/**
 * The conversation after one more fact, as the view's own states go (contracts/views/conversation.ts). A client's message
 * after closing gives it to the bot again, and after AGENT_UNAVAILABLE the bot may ask for contact details (protocol,
 * Events, sequence 3).
 */
export const evolve = (current: Conversation, fact: Fact): Conversation => {
  switch (fact.kind) {
    case 'client-message': {
      const state = current.state === 'closed' ? 'bot' : current.state
      return { ...current, state, newestClientMessage: fact.messageId }
    }
    case 'invited':
      return invite(current, fact.at)
    case 'joined':
      return { ...current, state: unlessClosed(current, 'agent') }
    case 'unavailable':
      return { ...current, state: unlessClosed(current, 'unavailable'), unavailableAt: fact.at }
    case 'closed':
      return { ...current, state: 'closed' }
    case 'finished':
      return fact.commandType === 'InviteAgent' && fact.outcome === 'delivered' ? invite(current, fact.at) : current
  }
}

export type SuppressedReason = BotReplySuppressed['data']['reason']
/** What to do with a reply to a message that is no longer the client's newest. */
export type WhenOvertaken = 'send' | 'suppress'

/** Whether a command may be sent now, or why it comes too late. */
export const decide = (
  { state, newestClientMessage }: Conversation,
  { type, inReplyTo }: Pick<BotReply, 'type' | 'inReplyTo'>,
  whenOvertaken: WhenOvertaken = 'send',
): 'send' | SuppressedReason => {
  if (state === 'agent') return 'agent-joined'
  if (state === 'invited') return 'agent-invited'
  if (state === 'closed') return 'chat-closed'
  const isOvertaken = inReplyTo && newestClientMessage !== undefined && inReplyTo !== newestClientMessage
  return type === 'BotMessage' && isOvertaken && whenOvertaken === 'suppress' ? 'overtaken' : 'send'
}
