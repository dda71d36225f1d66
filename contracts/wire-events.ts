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
  /** What it says, for the published schema of its wire form. */
  readonly about: string
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
    about: string,
    { subject = 'chatId', own = {} }: More = {},
  ): WireEvent<Name> => ({ name, type, codec, about, subject, own, hasId })

const webhook = from(false)
const botEvent = from(true)

/** The events of Interface A (protocol, Events). */
export const webhookEvents = [
  webhook(
    'call_event',
    'CallStatusChanged',
    CallStatusChanged,
    "Interface A: agents get a new call, or a call's status changes (protocol, Events).",
  ),
  webhook('chat_accepted', 'ChatAccepted', ChatAccepted, 'Interface A: an agent accepts a chat.'),
  webhook(
    'chat_assigned',
    'ChatAssigned',
    ChatAssigned,
    'Interface A: a chat is linked to the CRM; `assign_to` is the link that was used.',
  ),
  webhook('chat_updated', 'ChatUpdated', ChatUpdated, "Interface A: the visitor's information changes during a chat."),
  webhook(
    'client_updated',
    'ClientUpdated',
    ClientUpdated,
    "Interface A: a client's data changes, in a chat or outside.",
    { subject: 'clientId' },
  ),
  webhook('chat_finished', 'ChatFinished', ChatFinished, 'Interface A: a chat is closed. The event has its log.', {
    own: { omitted: undefined },
  }),
  webhook(
    'offline_message',
    'OfflineMessageReceived',
    OfflineMessageReceived,
    'Interface A: a visitor writes through the offline form.',
  ),
] as const

/** The events of Interface B that the service sends (protocol, Events; CHAT_CLOSED: field notes). */
export const botEvents = [
  botEvent(
    'CLIENT_MESSAGE',
    'ClientMessageReceived',
    ClientMessageReceived,
    "Service to bot: a client's message, which the bot must answer (protocol, Events, Interface B).",
  ),
  botEvent(
    'INVITE_AGENT',
    'AgentInvited',
    AgentInvited,
    'Service to bot: the chat was transferred to an agent (protocol, Endpoints).',
    { own: { invitedBy: 'service', reason: undefined } },
  ),
  botEvent('AGENT_JOINED', 'AgentJoined', AgentJoined, 'Service to bot: an agent has connected to the conversation.'),
  botEvent(
    'AGENT_UNAVAILABLE',
    'AgentUnavailable',
    AgentUnavailable,
    'Service to bot: no agent can take the chat now.',
  ),
  botEvent(
    'CHAT_CLOSED',
    'ChatClosed',
    ChatClosed,
    'Service to bot: the chat has ended (field notes). They do not show `client_id`.',
  ),
] as const
