import * as t from 'io-ts'
import { OutboundMessage } from '../messages/index.ts'
import { Id } from '../primitives.ts'

export { OutboundMessage } from '../messages/index.ts'

const exchange = {
  /** The id of the command, the same for every attempt. */
  id: Id,
  /** The client who writes on the channel. The id is unique within the account. */
  client_id: Id,
  /** The chat. Its id is unique within the account. */
  chat_id: Id,
}

/** Bot to service: a reply for the client; `timestamp` in seconds since 1970 (protocol, Events, Interface B). */
export const BotMessageRequest = t.type(
  {
    /** The name of the event. */
    event: t.literal('BOT_MESSAGE'),
    ...exchange,
    /** The message for the client. */
    message: OutboundMessage,
  },
  'BotMessageRequest',
)

/** Bot to service: the bot has no answer, so an agent must take over. */
export const InviteAgentRequest = t.type(
  {
    /** The name of the event. */
    event: t.literal('INVITE_AGENT'),
    ...exchange,
  },
  'InviteAgentRequest',
)

/** A request of the bridge to the service. */
export const BotRequest = t.union([BotMessageRequest, InviteAgentRequest], 'BotRequest')
export type BotRequest = t.TypeOf<typeof BotRequest>
