import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { exactShape, Id, Instant } from '../primitives.ts'

/** One entry of a finished chat's log. What the service left out is absent. */
export const ChatMessage = exactShape(
  {},
  {
    /** What was written. */
    message: Text,

    /** When it was written, to the second. */
    timestamp: Instant,

    /**
     * Who wrote it, in the service's words: `visitor` and `client` mean the same; `agent` and `operator` mean the same;
     * `bot`; `system`. Others may come.
     */
    type: Code,

    /** The agent who wrote it. */
    agentId: Id,
  },
  'ChatMessage',
)
export type ChatMessage = t.TypeOf<typeof ChatMessage>

/**
 * The log of a finished chat. `blacklisted`: an agent blocked the client. `invitation`: the text that invited to chat.
 */
export const Chat = exactShape(
  {},
  {
    /** The chat's log, oldest first. */
    messages: t.array(ChatMessage),
    /** Whether an agent blocked the client. */
    blacklisted: t.boolean,
    /** The client's rating of the chat, in the service's words. */
    rate: Code,
    /** The text that invited the visitor to chat. */
    invitation: Text,
  },
  'Chat',
)
export type Chat = t.TypeOf<typeof Chat>
