import type * as t from 'io-ts'
import { Chat, ChatMessage } from '../../../contracts/events/chat.ts'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { Message } from '../../../contracts/events/message.ts'
import * as parts from '../../../contracts/events/parts.ts'
import { Geoip, Page, Session, Utm } from '../../../contracts/events/session.ts'
import { botEvents, webhookEvents } from '../../../contracts/wire-events.ts'

/** Where an event or part comes from: its name in the protocol, and the fields that the bridge itself fills in. */
export type WireSource = { readonly named: string; readonly own: ReadonlyArray<string> }

/** The wire event from which each event is made. The bridge itself makes the other events. */
export const sourceOfEvent: ReadonlyMap<DomainEvent['type'], WireSource> = new Map(
  [...webhookEvents, ...botEvents].map(({ type, name, own }) => [type, { named: name, own: Object.keys(own) }]),
)

/** The parts that events share, and their names in the protocol. */
export const nameOfPart: ReadonlyMap<t.Mixed, string> = new Map<t.Mixed, string>([
  [parts.Visitor, 'visitor'],
  [parts.Organization, 'organization'],
  [parts.Status, 'status'],
  [parts.AssignedAgent, 'assigned_agent'],
  [parts.Tag, 'tags'],
  [parts.Department, 'department'],
  [parts.Agent, 'agent'],
  [Geoip, 'geoip'],
  [Utm, 'utm_json'],
  [Session, 'session'],
  [Page, 'page'],
  [parts.Call, 'call'],
  [ChatMessage, 'chat message'],
  [Chat, 'chat'],
  [Message, 'Message'],
])
