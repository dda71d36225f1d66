import type * as t from 'io-ts'
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
} from './events/index.ts'

/**
 * An event that the service sends: its name there, the event that it becomes, the id in its path and key, and the
 * fields of the event's data that the bridge itself fills in (undefined: that it leaves out).
 */
export type WireEvent<Name extends string = string> = {
  readonly name: Name
  readonly type: DomainEvent['type']
  readonly codec: t.Decoder<unknown, DomainEvent> & t.Mixed
  readonly subject: 'chatId' | 'clientId'
  readonly own: Readonly<Record<string, unknown>>
  /** Whether the payload has the event's id. */
  readonly hasId: boolean
}

type More = Partial<Pick<WireEvent, 'subject' | 'own'>>

const from =
  (hasId: boolean) =>
  <Name extends string, Event extends DomainEvent>(
    name: Name,
    type: Event['type'],
    codec: t.Decoder<unknown, Event> & t.Mixed,
    { subject = 'chatId', own = {} }: More = {},
  ): WireEvent<Name> => ({ name, type, codec, subject, own, hasId })

const webhook = from(false)
const botEvent = from(true)

/** The events of Interface A (protocol, Events). */
export const webhookEvents = [
  webhook('call_event', 'CallStatusChanged', CallStatusChanged),
  webhook('chat_accepted', 'ChatAccepted', ChatAccepted),
  webhook('chat_assigned', 'ChatAssigned', ChatAssigned),
  webhook('chat_updated', 'ChatUpdated', ChatUpdated),
  webhook('client_updated', 'ClientUpdated', ClientUpdated, { subject: 'clientId' }),
  webhook('chat_finished', 'ChatFinished', ChatFinished, { own: { omitted: undefined } }),
  webhook('offline_message', 'OfflineMessageReceived', OfflineMessageReceived),
] as const

/** The events of Interface B that the service sends (protocol, Events; CHAT_CLOSED: field notes). */
export const botEvents = [
  botEvent('CLIENT_MESSAGE', 'ClientMessageReceived', ClientMessageReceived),
  botEvent('INVITE_AGENT', 'AgentInvited', AgentInvited, { own: { invitedBy: 'service', reason: undefined } }),
  botEvent('AGENT_JOINED', 'AgentJoined', AgentJoined),
  botEvent('AGENT_UNAVAILABLE', 'AgentUnavailable', AgentUnavailable),
  botEvent('CHAT_CLOSED', 'ChatClosed', ChatClosed),
] as const
