import * as t from 'io-ts'
import { nullable, shape } from '../primitives.ts'
import { Opaque, WireId, WireText } from '../wire.ts'
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
  widget_id: nullable(WireId),
  visitor: nullable(WireVisitor),
  organization: nullable(WireOrganization),
  status: nullable(WireStatus),
  assigned_agent: nullable(WireAssignedAgent),
  tags: nullable(t.array(WireTag)),
  user_token: nullable(WireText),
  analytics: nullable(Opaque),
  department: nullable(WireDepartment),
  session: nullable(WireSession),
  page: nullable(WirePage),
}
const chat = {
  ...client,
  agent: nullable(WireAgent),
}
const ofChat = {
  /** The chat. Without a usable id the event is refused. */
  chat_id: WireId,
}

/** Interface A: agents get a new call, or a call's status changes (protocol, Events). */
export const WireCallEvent = shape(
  {
    /** The name of the event. */
    event_name: t.literal('call_event'),
    ...ofChat,
  },
  { ...chat, call: nullable(WireCall) },
  'WireCallEvent',
)

/** Interface A: an agent accepts a chat. */
export const WireChatAccepted = shape(
  {
    /** The name of the event. */
    event_name: t.literal('chat_accepted'),
    ...ofChat,
  },
  chat,
  'WireChatAccepted',
)

/** Interface A: a chat is linked to the CRM; `assign_to` is the link that was used. */
export const WireChatAssigned = shape(
  {
    /** The name of the event. */
    event_name: t.literal('chat_assigned'),
    ...ofChat,
  },
  { ...chat, assign_to: nullable(WireText) },
  'WireChatAssigned',
)

/** Interface A: the visitor's information changes during a chat. */
export const WireChatUpdated = shape(
  {
    /** The name of the event. */
    event_name: t.literal('chat_updated'),
    ...ofChat,
  },
  chat,
  'WireChatUpdated',
)

/** Interface A: a client's data changes, in a chat or outside. */
export const WireClientUpdated = shape(
  {
    /** The name of the event. */
    event_name: t.literal('client_updated'),
    /** The client. Without a usable id the event is refused. */
    client_id: WireId,
  },
  client,
  'WireClientUpdated',
)

/** Interface A: a chat is closed. The event has its log. */
export const WireChatFinished = shape(
  {
    /** The name of the event. */
    event_name: t.literal('chat_finished'),
    ...ofChat,
  },
  {
    ...client,
    agents: nullable(t.array(WireAgent)),
    chat: nullable(WireChat),
    plain_messages: nullable(WireText),
    html_messages: nullable(WireText),
  },
  'WireChatFinished',
)

/** Interface A: a visitor writes through the offline form. */
export const WireOfflineMessage = shape(
  {
    /** The name of the event. */
    event_name: t.literal('offline_message'),
    ...ofChat,
  },
  { ...client, message: nullable(WireText), offline_message_id: nullable(WireId) },
  'WireOfflineMessage',
)
