import * as t from 'io-ts'
import { nullable, shape } from '../primitives.ts'
import { WireId } from '../wire.ts'
import { WireMessage } from './message.ts'

const exchange = {
  /** The event's id. The service sends the same id when it sends the event again. */
  id: WireId,
  /** The client who writes on the channel. The id is unique within the account. */
  client_id: WireId,
  /** The chat. Its id is unique within the account. */
  chat_id: WireId,
}

/** Service to bot: a client's message, which the bot must answer (protocol, Events, Interface B). */
export const WireClientMessage = shape(
  {
    /** The name of the event. */
    event: t.literal('CLIENT_MESSAGE'),
    ...exchange,
    message: WireMessage,
  },
  {},
  'WireClientMessage',
)

/** Service to bot: the chat was transferred to an agent (protocol, Endpoints). */
export const WireInviteAgent = shape(
  {
    /** The name of the event. */
    event: t.literal('INVITE_AGENT'),
    ...exchange,
  },
  {},
  'WireInviteAgent',
)

/** Service to bot: an agent has connected to the conversation. */
export const WireAgentJoined = shape(
  {
    /** The name of the event. */
    event: t.literal('AGENT_JOINED'),
    ...exchange,
  },
  {},
  'WireAgentJoined',
)

/** Service to bot: no agent can take the chat now. */
export const WireAgentUnavailable = shape(
  {
    /** The name of the event. */
    event: t.literal('AGENT_UNAVAILABLE'),
    ...exchange,
  },
  {},
  'WireAgentUnavailable',
)

/** Service to bot: the chat has ended (field notes). They do not show `client_id`, so it may be missing or null. */
export const WireChatClosed = shape(
  {
    /** The name of the event. */
    event: t.literal('CHAT_CLOSED'),
    /** The event's id. The service sends the same id when it sends the event again. */
    id: WireId,
    /** The chat. Its id is unique within the account. */
    chat_id: WireId,
  },
  { client_id: nullable(WireId) },
  'WireChatClosed',
)
