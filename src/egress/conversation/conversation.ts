import type { Id } from '../../../contracts/primitives.ts'
import type { ConversationDocument, ConversationState } from '../../../contracts/views/conversation.ts'

/** A client's message that waits for an answer; `at` in ms since 1970. */
export type Unanswered = {
  readonly id: Id
  readonly at: number
  readonly status?: 'reply-failed' | 'agent-asked'
}

/** What egress knows of a conversation: the view's fields of the same names, times in ms since 1970. */
export type Conversation = {
  readonly state: ConversationState
  readonly unanswered: ReadonlyArray<Unanswered>
  readonly seen: ReadonlyArray<string>
  readonly unheard?: { readonly id: Id; readonly at: number }
  readonly unavailableAt?: number
  readonly newestClientMessage?: Id
  readonly clientId?: Id
}

export const unknownConversation: Conversation = { state: 'bot', unanswered: [], seen: [] }

export const conversationOf = (document: ConversationDocument): Conversation => {
  const { state, unanswered, seen, unheard, unavailableAt, lastClientMessageId, clientId } = document
  return {
    state,
    seen,
    unanswered: unanswered.map((message) => ({ ...message, at: Date.parse(message.at) })),
    ...(unheard && { unheard: { id: unheard.id, at: Date.parse(unheard.at) } }),
    ...(unavailableAt !== undefined && { unavailableAt: Date.parse(unavailableAt) }),
    ...(lastClientMessageId !== undefined && { newestClientMessage: lastClientMessageId }),
    ...(clientId !== undefined && { clientId }),
  }
}

/** The first so many unanswered messages have this status; that an agent was asked for stays. */
export const marked = (
  current: Conversation,
  count: number,
  status: NonNullable<Unanswered['status']>,
): Conversation => ({
  ...current,
  unanswered: current.unanswered.map((message, i) =>
    i < count && message.status !== 'agent-asked' ? { ...message, status } : message,
  ),
})

export const withoutUnheard = ({ unheard, ...current }: Conversation): Conversation => current

/** An agent was asked for, or none is there: whoever waits was told of to agents. */
export const asked = (current: Conversation): Conversation =>
  marked(withoutUnheard(current), current.unanswered.length, 'agent-asked')

/** An agent was asked for. AGENT_UNAVAILABLE is the answer to what was sent before it, also where the log has it first. */
export const invite = (current: Conversation, sentAt: number): Conversation => {
  const { state, unavailableAt } = current
  if (state === 'unavailable' && unavailableAt !== undefined && sentAt <= unavailableAt) return current
  return { ...asked(current), state: state === 'agent' || state === 'closed' ? state : 'invited' }
}
