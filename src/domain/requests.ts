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

/** Decodes a webhook's payload into its event (protocol, Events, Interface A). The receipt has the event's id. */
export const decodeWebhook = decoder('webhooks', 'event_name', ofWebhooks)

/** Decodes a bot event's payload into the domain's event (protocol, Events, Interface B), under the payload's id. */
export const decodeBotEvent = decoder('bot', 'event', ofBot)

const wireNames = new Map(
  [['webhooks', ofWebhooks] as const, ['bot', ofBot] as const].flatMap(([api, rules]) =>
    Object.entries(rules).map(([name, { type }]) => [type, { api, name }] as const),
  ),
)

/** The interface and the service's name for events of this type; undefined if the bridge itself creates them. */
export const wireNameOf = (type: DomainEvent['type']) => wireNames.get(type)
