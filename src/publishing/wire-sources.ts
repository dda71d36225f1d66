import type * as t from 'io-ts'
import * as inbound from '../../contracts/bot-api/inbound.ts'
import * as message from '../../contracts/bot-api/message.ts'
import type { DomainEvent } from '../../contracts/events/index.ts'
import * as webhooks from '../../contracts/webhooks/events.ts'
import * as parts from '../../contracts/webhooks/parts.ts'

/** What an event or part is made from: the wire codec, and its name in the protocol or the place of its description. */
export type WireSource = { readonly codec: t.Mixed; readonly named: string }

const from = (codec: t.Mixed, named: string): WireSource => ({ codec, named })

/** The wire event from which each event is made. The bridge itself makes the other events. */
export const sourceOfEvent: Readonly<Partial<Record<DomainEvent['type'], WireSource>>> = {
  ChatAccepted: from(webhooks.WireChatAccepted, 'chat_accepted'),
  ChatAssigned: from(webhooks.WireChatAssigned, 'chat_assigned'),
  ChatUpdated: from(webhooks.WireChatUpdated, 'chat_updated'),
  ChatFinished: from(webhooks.WireChatFinished, 'chat_finished'),
  CallStatusChanged: from(webhooks.WireCallEvent, 'call_event'),
  ClientUpdated: from(webhooks.WireClientUpdated, 'client_updated'),
  OfflineMessageReceived: from(webhooks.WireOfflineMessage, 'offline_message'),
  ClientMessageReceived: from(inbound.WireClientMessage, 'CLIENT_MESSAGE'),
  AgentInvited: from(inbound.WireInviteAgent, 'INVITE_AGENT'),
  AgentJoined: from(inbound.WireAgentJoined, 'AGENT_JOINED'),
  AgentUnavailable: from(inbound.WireAgentUnavailable, 'AGENT_UNAVAILABLE'),
  ChatClosed: from(inbound.WireChatClosed, 'CHAT_CLOSED'),
}

/** The same for the parts that events share, by their names. */
export const sourceOfPart: Readonly<Record<string, WireSource>> = {
  Visitor: from(parts.WireVisitor, 'visitor'),
  Organization: from(parts.WireOrganization, 'organization'),
  Status: from(parts.WireStatus, 'status'),
  AssignedAgent: from(parts.WireAssignedAgent, 'assigned_agent'),
  Tag: from(parts.WireTag, 'tags'),
  Department: from(parts.WireDepartment, 'department'),
  Agent: from(parts.WireAgent, 'agent'),
  Geoip: from(parts.WireGeoip, 'geoip'),
  Utm: from(parts.WireUtm, 'utm_json'),
  Session: from(parts.WireSession, 'session'),
  Page: from(parts.WirePage, 'page'),
  Call: from(parts.WireCall, 'call'),
  ChatMessage: from(parts.WireChatMessage, 'chat message'),
  Chat: from(parts.WireChat, 'chat'),
  ReceivedMessage: from(message.WireMessage, 'Message types'),
}
