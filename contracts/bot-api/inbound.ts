import * as t from 'io-ts'
import { nullable, shape } from '../primitives.ts'
import { WireId } from '../wire.ts'
import { WireMessage } from './message.ts'

const exchange = { id: WireId, client_id: WireId, chat_id: WireId }

/** Service to bot: a client's message, which the bot must answer (protocol, Events, Interface B). */
export const WireClientMessage = shape(
  { event: t.literal('CLIENT_MESSAGE'), ...exchange, message: WireMessage },
  {},
  'WireClientMessage',
)

/** Service to bot: the chat was transferred to an agent (protocol, Endpoints). */
export const WireInviteAgent = shape({ event: t.literal('INVITE_AGENT'), ...exchange }, {}, 'WireInviteAgent')

/** Service to bot: an agent has connected to the conversation. */
export const WireAgentJoined = shape({ event: t.literal('AGENT_JOINED'), ...exchange }, {}, 'WireAgentJoined')

/** Service to bot: no agent can take the chat now. */
export const WireAgentUnavailable = shape(
  { event: t.literal('AGENT_UNAVAILABLE'), ...exchange },
  {},
  'WireAgentUnavailable',
)

/** Service to bot: the chat is over (field notes; `client_id` was not shown, so it may be missing or null). */
export const WireChatClosed = shape(
  { event: t.literal('CHAT_CLOSED'), id: WireId, chat_id: WireId },
  { client_id: nullable(WireId) },
  'WireChatClosed',
)
