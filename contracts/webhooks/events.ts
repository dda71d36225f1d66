import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { nullable, shape } from '../primitives.ts'
import { Opaque, WireId } from '../wire.ts'
import {
  WireAgent,
  WireAssignedAgent,
  WireCall,
  WireChat,
  WireDepartment,
  WireOrganization,
  WirePage,
  WireSession,
  WireStatus,
  WireTag,
  WireVisitor,
} from './parts.ts'

const client = {
  /** The channel's widget. */
  widget_id: WireId,
  visitor: WireVisitor,
  organization: nullable(WireOrganization),
  status: nullable(WireStatus),
  assigned_agent: nullable(WireAssignedAgent),
  tags: nullable(t.array(WireTag)),
}
const place = { session: nullable(WireSession), page: nullable(WirePage) }
const optional = { user_token: nullable(Text), analytics: nullable(Opaque), department: nullable(WireDepartment) }
const chat = { ...client, ...place, chat_id: WireId, agent: WireAgent }

/** Interface A: agents get a new call, or a call's status changes (protocol, Events). */
export const WireCallEvent = shape(
  {
    /** The name of the event. */
    event_name: t.literal('call_event'),
    chat_id: WireId,
    widget_id: WireId,
    visitor: WireVisitor,
    agent: nullable(WireAgent),
    call: WireCall,
    ...place,
  },
  optional,
  'WireCallEvent',
)

/** Interface A: an agent accepts a chat. */
export const WireChatAccepted = shape(
  {
    /** The name of the event. */
    event_name: t.literal('chat_accepted'),
    ...chat,
  },
  optional,
  'WireChatAccepted',
)

/** Interface A: a chat is linked to the CRM; `assign_to` is the link that was used. */
export const WireChatAssigned = shape(
  {
    /** The name of the event. */
    event_name: t.literal('chat_assigned'),
    ...chat,
    assign_to: nullable(Text),
  },
  optional,
  'WireChatAssigned',
)

/** Interface A: the visitor's information changes during a chat. */
export const WireChatUpdated = shape(
  {
    /** The name of the event. */
    event_name: t.literal('chat_updated'),
    ...chat,
  },
  optional,
  'WireChatUpdated',
)

/** Interface A: a client's data changes, in a chat or outside. */
export const WireClientUpdated = shape(
  {
    /** The name of the event. */
    event_name: t.literal('client_updated'),
    ...client,
    client_id: WireId,
  },
  optional,
  'WireClientUpdated',
)

/** Interface A: a chat is closed. The event has its log. */
export const WireChatFinished = shape(
  {
    /** The name of the event. */
    event_name: t.literal('chat_finished'),
    ...client,
    ...place,
    chat_id: WireId,
    agents: t.array(WireAgent),
    chat: WireChat,
  },
  { ...optional, plain_messages: nullable(Text), html_messages: nullable(Text) },
  'WireChatFinished',
)

/** Interface A: a visitor writes through the offline form. */
export const WireOfflineMessage = shape(
  {
    /** The name of the event. */
    event_name: t.literal('offline_message'),
    ...client,
    ...place,
    chat_id: WireId,
    message: Text,
    offline_message_id: WireId,
  },
  optional,
  'WireOfflineMessage',
)
