import * as t from 'io-ts'
import { impersonal, Text } from '../personal.ts'
import { Count, nullable, shape } from '../primitives.ts'
import { Opaque, UnixTime, WireId, WireText } from '../wire.ts'

/** The person who writes or calls (protocol, Resources, visitor). */
export const WireVisitor = shape(
  { description: nullable(Text), number: WireId, chats_count: Count },
  { name: nullable(Text), email: nullable(Text), phone: nullable(WireText), social: nullable(Opaque) },
  'WireVisitor',
)

/** The company that the client is assigned to. */
export const WireOrganization = shape({ id: WireId, name: nullable(Text) }, {}, 'WireOrganization')

/** The client's category. */
export const WireStatus = shape({ id: WireId, title: nullable(Text) }, {}, 'WireStatus')

/** The agent that the client is assigned to. */
export const WireAssignedAgent = shape(
  { id: WireId },
  { email: nullable(Text), name: nullable(Text) },
  'WireAssignedAgent',
)

/** A tag selected for the client. */
export const WireTag = shape({ id: WireId, title: nullable(Text) }, {}, 'WireTag')

/** The department that the visitor selected before the chat. */
export const WireDepartment = shape({ id: WireId, name: nullable(Text) }, {}, 'WireDepartment')

/** An agent (protocol, Resources, agent). */
export const WireAgent = shape(
  { id: WireId },
  { name: nullable(Text), email: nullable(Text), phone: nullable(WireText) },
  'WireAgent',
)

const text = nullable(WireText)

/** The estimated location of the client's address, as text; numbers are accepted too (protocol, Resources, geoip). */
export const WireGeoip = shape(
  {},
  {
    region_code: text,
    country_code: text,
    country: text,
    region: text,
    city: text,
    latitude: text,
    longitude: text,
    organization: text,
  },
  'WireGeoip',
)

/** The utm_ parameters with which the visitor arrived (protocol, Resources, utm_json). */
export const WireUtm = shape({}, { source: text, campaign: text, content: text, medium: text, term: text }, 'WireUtm')

/** The visitor's session (protocol, Resources, session). */
export const WireSession = shape(
  {},
  {
    geoip: nullable(WireGeoip),
    utm: nullable(Text),
    utm_json: nullable(WireUtm),
    ip_addr: nullable(Text),
    user_agent: nullable(Text),
  },
  'WireSession',
)

/** The page that the visitor is on. */
export const WirePage = shape({ url: nullable(Text) }, { title: nullable(Text) }, 'WirePage')

/** A call (protocol, Resources, call). */
export const WireCall = shape(
  {
    type: t.union([t.literal('callback'), t.literal('incoming'), t.literal('outgoing')]),
    phone: WireText,
    status: t.union([
      t.literal('start'),
      t.literal('end'),
      t.literal('agent_connected'),
      t.literal('client_connected'),
      t.literal('error'),
    ]),
  },
  { reason: nullable(Text), record_url: nullable(Text) },
  'WireCall',
)

/** One entry of a finished chat's log. The protocol's reference says client, its example says visitor. */
export const WireChatMessage = shape(
  {
    message: Text,
    timestamp: UnixTime,
    type: t.union([t.literal('visitor'), t.literal('client'), t.literal('agent')]),
  },
  { agent_id: nullable(WireId) },
  'WireChatMessage',
)

/** A finished chat (protocol, Resources, chat). */
export const WireChat = shape(
  { messages: t.array(WireChatMessage), blacklisted: t.boolean },
  { rate: nullable(impersonal(WireText)), invitation: nullable(Text) },
  'WireChat',
)
