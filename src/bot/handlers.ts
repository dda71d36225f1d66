import type {
  AgentInvited,
  AgentJoined,
  AgentUnavailable,
  ChatClosed,
  ClientMessageReceived,
  ConversationEvent,
} from '../../contracts/events/index.ts'
import type { Reply } from './replies.ts'

/** One reply, several in their order, or none. */
export type Answer = Reply | ReadonlyArray<Reply> | undefined

type Handler<E> = (event: E) => Answer | Promise<Answer>

/** What a bot says to what happens in a conversation. What it leaves out it says nothing to. */
export type Handlers = {
  readonly onMessage?: Handler<ClientMessageReceived>
  readonly onAgentInvited?: Handler<AgentInvited>
  readonly onAgentJoined?: Handler<AgentJoined>
  readonly onAgentUnavailable?: Handler<AgentUnavailable>
  readonly onChatClosed?: Handler<ChatClosed>
}

/** The bot's answer to an event; the outcomes of its own replies are not asked for one. */
export const ask = async (handlers: Handlers, event: ConversationEvent): Promise<ReadonlyArray<Reply>> => {
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
