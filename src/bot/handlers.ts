import type {
  AgentInvited,
  AgentJoined,
  AgentUnavailable,
  ChatClosed,
  ChatErased,
  ClientMessageReceived,
  ConversationEvent,
} from '../../contracts/events/index.ts'
import type { Reply } from './replies.ts'

/** One reply, several in their order, or none. */
export type Answer = Reply | ReadonlyArray<Reply> | undefined

type Handler<E> = (event: E) => Answer | Promise<Answer>

/** A bot's handlers by event type. An event without a handler gets no reply. */
export type Handlers = {
  readonly onMessage?: Handler<ClientMessageReceived>
  readonly onAgentInvited?: Handler<AgentInvited>
  readonly onAgentJoined?: Handler<AgentJoined>
  readonly onAgentUnavailable?: Handler<AgentUnavailable>
  readonly onChatClosed?: Handler<ChatClosed>
  /** Delete your data about this chat: the person has a right to that. The kit confirms it unless this throws. */
  readonly onChatErased?: (event: ChatErased) => void | Promise<void>
}

/**
 * The bot's replies to an event. Handlers do not get outcomes of the bot's own replies. They do not get late events
 * (those with `receivedTime`): agents have these chats already.
 */
export const ask = async (handlers: Handlers, event: ConversationEvent): Promise<ReadonlyArray<Reply>> => {
  if (event.receivedTime !== undefined) return []
  const answer = await answerOf(handlers, event)
  if (answer === undefined) return []
  return 'kind' in answer ? [answer] : answer
}

const answerOf = (handlers: Handlers, event: ConversationEvent): Answer | Promise<Answer> => {
  switch (event.type) {
    case 'ClientMessageReceived':
      return handlers.onMessage?.(event)
    case 'AgentInvited':
      return handlers.onAgentInvited?.(event)
    case 'AgentJoined':
      return handlers.onAgentJoined?.(event)
    case 'AgentUnavailable':
      return handlers.onAgentUnavailable?.(event)
    case 'ChatClosed':
      return handlers.onChatClosed?.(event)
    case 'BotReplyDelivered':
    case 'BotReplyFailed':
    case 'BotReplySuppressed':
      return undefined
  }
}
