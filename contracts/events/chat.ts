import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { exactShape, Id, Instant, Word } from '../primitives.ts'

/** Whose message a line of the log is, by the service's word for it. Of other words it is not known. */
export const writers: Readonly<Record<string, 'client' | 'agent' | 'bot'>> = {
  visitor: 'client',
  client: 'client',
  agent: 'agent',
  operator: 'agent',
  bot: 'bot',
}

/** One entry of a finished chat's log. `visitor` and `client` mean the same, and so do `agent` and `operator`. */
export const ChatMessage = exactShape(
  {},
  {
    /** What was written. */
    message: Text,

    /** When it was written, to the second. */
    timestamp: Instant,

    /** Who wrote it, or another word of the service, such as system. */
    type: Word(...Object.keys(writers)),

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
