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
import { agent, chat_id, client, department, unknown, visit, visitor, widget_id } from './webhooks/sample.ts'

/**
 * An event that the service sends: its name there, the event that it becomes, the id in its path and key, and the
 * fields of the event's data that the bridge itself fills in (undefined: that it leaves out).
 */
export type WireEvent<Name extends string = string, Sample extends object = object> = {
  readonly name: Name
  readonly type: DomainEvent['type']
  readonly codec: t.Decoder<unknown, DomainEvent> & t.Mixed
  /** What it says, for the published schema of its wire form. */
  readonly about: string
  /** An example of its payload. Its file in `samples/`, the published examples and the simulator's payloads follow. */
  readonly sample: Sample
  readonly subject: 'chatId' | 'clientId'
  readonly own: Readonly<Record<string, unknown>>
  /** Whether the payload has the event's id. */
  readonly hasId: boolean
}

type More = Partial<Pick<WireEvent, 'subject' | 'own'>>

/** `field` is where the payload has the event's name. */
const from =
  <const Field extends string>(field: Field, hasId: boolean) =>
  <Name extends string, Event extends DomainEvent, Sample extends object>(
    name: Name,
    type: Event['type'],
    codec: t.Decoder<unknown, Event> & t.Mixed,
    about: string,
    sample: Sample,
    { subject = 'chatId', own = {} }: More = {},
  ): WireEvent<Name, { readonly [F in Field]: Name } & Sample> => ({
    name,
    type,
    codec,
    about,
    sample: { [field]: name, ...sample } as { readonly [F in Field]: Name } & Sample,
    subject,
    own,
    hasId,
  })

const webhook = from('event_name', false)
const botEvent = from('event', true)

const inDepartment = { ...client, chat_id, department, ...visit, analytics: {}, agent }

/** The events of Interface A (protocol, Events). */
export const webhookEvents = [
  webhook(
    'call_event',
    'CallStatusChanged',
    CallStatusChanged,
    "Interface A: agents get a new call, or a call's status changes (protocol, Events).",
    {
      chat_id: 2040,
      widget_id,
      visitor,
      agent,
      department,
      ...visit,
      call: { type: 'callback', phone: visitor.phone, status: 'start' },
      analytics: {},
    },
  ),
  webhook('chat_accepted', 'ChatAccepted', ChatAccepted, 'Interface A: an agent accepts a chat.', inDepartment),
  webhook(
    'chat_assigned',
    'ChatAssigned',
    ChatAssigned,
    'Interface A: a chat is linked to the CRM; `assign_to` is the link that was used.',
    { ...client, chat_id, ...visit, analytics: {}, agent, assign_to: 'https://crm.example.com/clients/1233' },
  ),
  webhook(
    'chat_updated',
    'ChatUpdated',
    ChatUpdated,
    "Interface A: the visitor's information changes during a chat.",
    inDepartment,
  ),
  webhook(
    'client_updated',
    'ClientUpdated',
    ClientUpdated,
    "Interface A: a client's data changes, in a chat or outside.",
    { ...client, visitor: { ...visitor, number: 1217 }, client_id: '1233' },
    { subject: 'clientId' },
  ),
  webhook(
    'chat_finished',
    'ChatFinished',
    ChatFinished,
    'Interface A: a chat is closed. The event has its log.',
    {
      widget_id,
      visitor,
      ...unknown,
      chat_id,
      ...visit,
      analytics: null,
      agents: [{ id: agent.id, name: agent.name, email: agent.email }],
      chat: {
        messages: [
          { message: 'Hi', timestamp: 1665396476, type: 'visitor' },
          { message: 'Hello', timestamp: 1665396483, type: 'agent', agent_id: 1 },
        ],
        blacklisted: false,
        rate: null,
      },
      plain_messages: '',
      html_messages: '',
    },
    { own: { omitted: undefined } },
  ),
  webhook(
    'offline_message',
    'OfflineMessageReceived',
    OfflineMessageReceived,
    'Interface A: a visitor writes through the offline form.',
    {
      ...client,
      user_token: null,
      ...unknown,
      chat_id: 2041,
      ...visit,
      analytics: {},
      message: 'Please call me back',
      offline_message_id: 1665399500726,
    },
  ),
] as const

const conversation = { client_id: '1233', chat_id: '2037' }

/** The events of Interface B that the service sends (protocol, Events; CHAT_CLOSED: field notes). */
export const botEvents = [
  botEvent(
    'CLIENT_MESSAGE',
    'ClientMessageReceived',
    ClientMessageReceived,
    "Service to bot: a client's message, which the bot must answer (protocol, Events, Interface B).",
    {
      id: '9661ab9c-48b0-11ed-a3d6-859398ff9bd9',
      ...conversation,
      message: { type: 'TEXT', text: 'Hello', timestamp: 1665415879 },
    },
  ),
  botEvent(
    'INVITE_AGENT',
    'AgentInvited',
    AgentInvited,
    'Service to bot: the chat was transferred to an agent (protocol, Endpoints).',
    { id: 'a1', ...conversation },
    { own: { invitedBy: 'service', reason: undefined } },
  ),
  botEvent('AGENT_JOINED', 'AgentJoined', AgentJoined, 'Service to bot: an agent has connected to the conversation.', {
    id: 'a2',
    ...conversation,
  }),
  botEvent(
    'AGENT_UNAVAILABLE',
    'AgentUnavailable',
    AgentUnavailable,
    'Service to bot: no agent can take the chat now.',
    { id: 'a4', ...conversation },
  ),
  botEvent(
    'CHAT_CLOSED',
    'ChatClosed',
    ChatClosed,
    'Service to bot: the chat has ended (field notes). They do not show `client_id`.',
    { id: 'a5', ...conversation },
  ),
] as const
