import {
  WireAgentJoined,
  WireAgentUnavailable,
  WireChatClosed,
  WireClientMessage,
  WireInviteAgent,
} from '../../contracts/bot-api/inbound.ts'
import {
  AgentInvited,
  AgentJoined,
  AgentUnavailable,
  CallStatusChanged,
  ChatAccepted,
  ChatAssigned,
  ChatClosed,
  ChatFinished,
  ChatUpdated,
  ClientMessageReceived,
  ClientUpdated,
  type DomainEvent,
  OfflineMessageReceived,
} from '../../contracts/events/index.ts'
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
  call_event: { wire: WireCallEvent, event: CallStatusChanged, subject: 'chatId' },
  chat_accepted: { wire: WireChatAccepted, event: ChatAccepted, subject: 'chatId' },
  chat_assigned: { wire: WireChatAssigned, event: ChatAssigned, subject: 'chatId' },
  chat_updated: { wire: WireChatUpdated, event: ChatUpdated, subject: 'chatId' },
  client_updated: { wire: WireClientUpdated, event: ClientUpdated, subject: 'clientId' },
  chat_finished: { wire: WireChatFinished, event: ChatFinished, subject: 'chatId' },
  offline_message: { wire: WireOfflineMessage, event: OfflineMessageReceived, subject: 'chatId' },
}

const ofBot: Readonly<Record<string, Rule>> = {
  CLIENT_MESSAGE: { wire: WireClientMessage, event: ClientMessageReceived, subject: 'chatId' },
  INVITE_AGENT: { wire: WireInviteAgent, event: AgentInvited, subject: 'chatId', own: { invitedBy: 'service' } },
  AGENT_JOINED: { wire: WireAgentJoined, event: AgentJoined, subject: 'chatId' },
  AGENT_UNAVAILABLE: { wire: WireAgentUnavailable, event: AgentUnavailable, subject: 'chatId' },
  CHAT_CLOSED: { wire: WireChatClosed, event: ChatClosed, subject: 'chatId' },
}

/** Decodes a webhook's payload into its event (protocol, Events, Interface A). The receipt has the event's id. */
export const decodeWebhook = decoder('webhooks', 'event_name', ofWebhooks)

/** Decodes a bot event's payload into the domain's event (protocol, Events, Interface B), under the payload's id. */
export const decodeBotEvent = decoder('bot', 'event', ofBot)

export type WireName = { readonly api: 'webhooks' | 'bot'; readonly name: string; readonly wire: Rule['wire'] }

const wireNames: ReadonlyMap<string, WireName> = new Map(
  [['webhooks', ofWebhooks] as const, ['bot', ofBot] as const].flatMap(([api, rules]) =>
    Object.entries(rules).map(([name, { wire, event }]) => [event.name, { api, name, wire }] as const),
  ),
)

/** The interface, the service's name and the wire codec for events of this type; undefined if the bridge itself creates them. */
export const wireNameOf = (type: DomainEvent['type']) => wireNames.get(type)
