import {
  WireAgentJoined,
  WireAgentUnavailable,
  WireChatClosed,
  WireClientMessage,
  WireInviteAgent,
} from '../../contracts/bot-api/inbound.ts'
import type { DomainEvent } from '../../contracts/events/index.ts'
import {
  WireCallEvent,
  WireChatAccepted,
  WireChatAssigned,
  WireChatFinished,
  WireChatUpdated,
  WireClientUpdated,
  WireOfflineMessage,
} from '../../contracts/webhooks/events.ts'
import { decoder, type Rule } from './decode-request.ts'

const ofWebhooks: Readonly<Record<string, Rule>> = {
  call_event: { wire: WireCallEvent, type: 'CallStatusChanged', subject: 'chatId' },
  chat_accepted: { wire: WireChatAccepted, type: 'ChatAccepted', subject: 'chatId' },
  chat_assigned: { wire: WireChatAssigned, type: 'ChatAssigned', subject: 'chatId' },
  chat_updated: { wire: WireChatUpdated, type: 'ChatUpdated', subject: 'chatId' },
  client_updated: { wire: WireClientUpdated, type: 'ClientUpdated', subject: 'clientId' },
  chat_finished: { wire: WireChatFinished, type: 'ChatFinished', subject: 'chatId' },
  offline_message: { wire: WireOfflineMessage, type: 'OfflineMessageReceived', subject: 'chatId' },
}

const ofBot: Readonly<Record<string, Rule>> = {
  CLIENT_MESSAGE: { wire: WireClientMessage, type: 'ClientMessageReceived', subject: 'chatId' },
  INVITE_AGENT: { wire: WireInviteAgent, type: 'AgentInvited', subject: 'chatId', own: { invitedBy: 'service' } },
  AGENT_JOINED: { wire: WireAgentJoined, type: 'AgentJoined', subject: 'chatId' },
  AGENT_UNAVAILABLE: { wire: WireAgentUnavailable, type: 'AgentUnavailable', subject: 'chatId' },
  CHAT_CLOSED: { wire: WireChatClosed, type: 'ChatClosed', subject: 'chatId' },
}

/** A webhook's payload to its event (protocol, Events, Interface A); the receipt has the event's id. */
export const decodeWebhook = decoder('webhooks', 'event_name', ofWebhooks)

/** A bot event's payload to ours (protocol, Events, Interface B); the event's id is the wire's. */
export const decodeBotEvent = decoder('bot', 'event', ofBot)

const wireNames = new Map(
  [['webhooks', ofWebhooks] as const, ['bot', ofBot] as const].flatMap(([api, rules]) =>
    Object.entries(rules).map(([name, { type }]) => [type, { api, name }] as const),
  ),
)

/** By which interface events of this type come, and how the service calls them there; undefined where the bridge itself makes them. */
export const wireNameOf = (type: DomainEvent['type']) => wireNames.get(type)
