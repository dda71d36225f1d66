import * as t from 'io-ts'
import { nullable, shape } from '../primitives.ts'
import { WireId } from '../wire.ts'
import { WireMessage } from './message.ts'

const exchange = {
  /** The event's id. The service sends the same id when it sends the event again. */
  id: WireId,
  /** The chat. Its id is unique within the account. */
  chat_id: WireId,
}
const ofClient = {
  /** The client who writes on the channel. The id is unique within the account. It may be missing. */
  client_id: nullable(WireId),
}

/** Service to bot: a client's message, which the bot must answer (protocol, Events, Interface B). */
export const WireClientMessage = shape(
  {
    /** The name of the event. */
    event: t.literal('CLIENT_MESSAGE'),
    ...exchange,
    /** The client who writes on the channel. The id is unique within the account. */
    client_id: WireId,
    /** What the client wrote. */
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
  ofClient,
  'WireInviteAgent',
)

/** Service to bot: an agent has connected to the conversation. */
export const WireAgentJoined = shape(
  {
    /** The name of the event. */
    event: t.literal('AGENT_JOINED'),
    ...exchange,
  },
  ofClient,
  'WireAgentJoined',
)

/** Service to bot: no agent can take the chat now. */
export const WireAgentUnavailable = shape(
  {
    /** The name of the event. */
    event: t.literal('AGENT_UNAVAILABLE'),
    ...exchange,
  },
  ofClient,
  'WireAgentUnavailable',
)

/** Service to bot: the chat has ended. */
export const WireChatClosed = shape(
  {
    /** The name of the event. */
    event: t.literal('CHAT_CLOSED'),
    ...exchange,
  },
  ofClient,
  'WireChatClosed',
)
