import type {
  AgentInvited,
  AgentJoined,
  AgentUnavailable,
  BotReplyDelivered,
  BotReplyFailed,
  BotReplySuppressed,
  ChatClosed,
  ChatErased,
  ClientMessageReceived,
  ConversationEvent,
} from '../../contracts/events/index.ts'
import type { HistoryMessage } from '../../contracts/http.ts'
import type { Reply } from './replies.ts'

/** One reply, several in their order, or none. */
export type Answer = Reply | ReadonlyArray<Reply> | undefined

/** What a handler may ask about the chat of its event. */
export type ChatAccess = {
  /**
   * What was said in the chat, oldest first, the newest `last` messages (20, at most 100). It has all that this bot has
   * seen, also after a restart. Needs the option `history` of `startBot`.
   */
  readonly history: (last?: number) => Promise<ReadonlyArray<HistoryMessage>>
}

type Handler<E> = (event: E, chat: ChatAccess) => Answer | Promise<Answer>

/** What a client has written in one go, and what a bot may do before its answer. */
export type Turn = ChatAccess & {
  /** Oldest first. The answer is for the last one, and with it for all. */
  readonly messages: ReadonlyArray<ClientMessageReceived>
  /**
   * Aborts when the answer is no longer wanted: the client has written more, which a new call gets together with these
   * messages, an agent has joined or was invited, the chat was closed or erased, or the answer took too long. What is
   * said or returned then is ignored.
   */
  readonly signal: AbortSignal
  /**
   * Sends a message before the answer, such as `text('One moment, please.')`, once for a turn. The client still waits
   * for the answer, so the handler must return one.
   */
  readonly say: (reply: Reply) => Promise<void>
}

/** The outcome of a bot's reply. */
export type Outcome = BotReplyDelivered | BotReplyFailed | BotReplySuppressed

/** Why there is no answer: the handler threw, was too slow, or returned replies that the bridge would not send. */
export type NoAnswer =
  | { readonly reason: 'threw'; readonly err: unknown }
  | { readonly reason: 'too slow'; readonly replyWithin: number }
  | { readonly reason: 'mistakes'; readonly mistakes: ReadonlyArray<string> }

/** A bot's handlers by event type. An event without a handler gets no reply. */
export type Handlers = {
  readonly onMessage?: Handler<ClientMessageReceived>
  /** Instead of `onMessage`: what a client writes in one go (`turns` of the options) is one call. */
  readonly onTurn?: Handler<Turn>
  readonly onAgentInvited?: Handler<AgentInvited>
  readonly onAgentJoined?: Handler<AgentJoined>
  readonly onAgentUnavailable?: Handler<AgentUnavailable>
  readonly onChatClosed?: Handler<ChatClosed>
  /** The answer if a handler has failed twice or was too slow. Default: the client is handed over, with the reason. */
  readonly onFailure?: (failure: NoAnswer, event: ConversationEvent) => Answer | Promise<Answer>
  /** What became of a reply in this bot's chats. Outcomes of the bridge's own messages are left out. */
  readonly onOutcome?: (event: Outcome) => void | Promise<void>
  /** Delete your data about this chat: the person has a right to that. The kit confirms it unless this throws. */
  readonly onChatErased?: (event: ChatErased) => void | Promise<void>
}

/** One reply is a list of one. */
export const repliesIn = (answer: Answer): ReadonlyArray<Reply> => {
  if (answer === undefined) return []
  return Array.isArray(answer) ? answer : [answer as Reply]
}

/** The handler's call for an event. Undefined if the bot has no handler for it. */
const callFor = (
  handlers: Handlers,
  event: ConversationEvent,
  chat: ChatAccess,
): (() => Answer | Promise<Answer>) | undefined => {
  const { onMessage, onAgentInvited, onAgentJoined, onAgentUnavailable, onChatClosed } = handlers
  switch (event.type) {
    case 'ClientMessageReceived':
      return onMessage && (() => onMessage.call(handlers, event, chat))
    case 'AgentInvited':
      return onAgentInvited && (() => onAgentInvited.call(handlers, event, chat))
    case 'AgentJoined':
      return onAgentJoined && (() => onAgentJoined.call(handlers, event, chat))
    case 'AgentUnavailable':
      return onAgentUnavailable && (() => onAgentUnavailable.call(handlers, event, chat))
    case 'ChatClosed':
      return onChatClosed && (() => onChatClosed.call(handlers, event, chat))
    case 'BotReplyDelivered':
    case 'BotReplyFailed':
    case 'BotReplySuppressed':
      return undefined
  }
}

/**
 * Asks the bot for its replies to an event. Undefined if it has no handler for it. Handlers do not get late events
 * (those with `receivedTime`): agents have these chats already.
 */
export const askingFor = (
  handlers: Handlers,
  event: ConversationEvent,
  chat: ChatAccess,
): (() => Promise<ReadonlyArray<Reply>>) | undefined => {
  const call = event.receivedTime === undefined ? callFor(handlers, event, chat) : undefined
  return call && (async () => repliesIn(await call()))
}
