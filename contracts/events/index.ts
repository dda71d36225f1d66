import * as t from 'io-ts'
import { AgentInvited } from './agent-invited.ts'
import { AgentJoined } from './agent-joined.ts'
import { AgentUnavailable } from './agent-unavailable.ts'
import { BotReplyDelivered } from './bot-reply-delivered.ts'
import { BotReplyFailed } from './bot-reply-failed.ts'
import { BotReplySuppressed } from './bot-reply-suppressed.ts'
import { CallStatusChanged } from './call-status-changed.ts'
import { ChatAccepted } from './chat-accepted.ts'
import { ChatAssigned } from './chat-assigned.ts'
import { ChatClosed } from './chat-closed.ts'
import { ChatErased } from './chat-erased.ts'
import { ChatFinished } from './chat-finished.ts'
import { ChatUpdated } from './chat-updated.ts'
import { ClientErased } from './client-erased.ts'
import { ClientMessageReceived } from './client-message-received.ts'
import { ClientUpdated } from './client-updated.ts'
import { OfflineMessageReceived } from './offline-message-received.ts'

/** The events of a chat with an agent: topic chats. */
export const ChatEvent = t.union([ChatAccepted, ChatAssigned, ChatUpdated, ChatFinished], 'ChatEvent')
export type ChatEvent = t.TypeOf<typeof ChatEvent>

/** The events of a conversation with a bot: topic bot-conversations. */
export const ConversationEvent = t.union(
  [
    ClientMessageReceived,
    AgentInvited,
    AgentJoined,
    AgentUnavailable,
    ChatClosed,
    BotReplyDelivered,
    BotReplyFailed,
    BotReplySuppressed,
  ],
  'ConversationEvent',
)
export type ConversationEvent = t.TypeOf<typeof ConversationEvent>

/** The markers of an erasure: ClientErased on topic clients, ChatErased on every topic of a chat. */
export const ErasureEvent = t.union([ClientErased, ChatErased], 'ErasureEvent')
export type ErasureEvent = t.TypeOf<typeof ErasureEvent>

/** Every event that the bridge publishes. */
export const DomainEvent = t.union(
  [
    ...ChatEvent.types,
    CallStatusChanged,
    ClientUpdated,
    OfflineMessageReceived,
    ...ConversationEvent.types,
    ...ErasureEvent.types,
  ],
  'DomainEvent',
)
export type DomainEvent = t.TypeOf<typeof DomainEvent>

export * from './agent-invited.ts'
export * from './agent-joined.ts'
export * from './agent-unavailable.ts'
export * from './bot-reply-delivered.ts'
export * from './bot-reply-failed.ts'
export * from './bot-reply-suppressed.ts'
export * from './call-status-changed.ts'
export * from './chat.ts'
export * from './chat-accepted.ts'
export * from './chat-assigned.ts'
export * from './chat-closed.ts'
export * from './chat-erased.ts'
export * from './chat-finished.ts'
export * from './chat-updated.ts'
export * from './client-erased.ts'
export * from './client-message-received.ts'
export * from './client-updated.ts'
export * from './message.ts'
export * from './offline-message-received.ts'
export * from './parts.ts'
export * from './reply.ts'
export * from './session.ts'
