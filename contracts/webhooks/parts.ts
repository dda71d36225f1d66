import * as t from 'io-ts'
import { impersonal } from '../personal.ts'
import { nullable, shape } from '../primitives.ts'
import { Opaque, UnixTime, WireBoolean, WireCount, WireId, WireText } from '../wire.ts'

const text = nullable(WireText)
const id = nullable(WireId)

/** The person who writes or calls (protocol, Resources, visitor). */
export const WireVisitor = shape(
  {},
  {
    description: text,
    number: id,
    chats_count: nullable(WireCount),
    name: text,
    email: text,
    phone: text,
    social: nullable(Opaque),
  },
  'WireVisitor',
)

/** The company that the client is assigned to. */
export const WireOrganization = shape({}, { id, name: text }, 'WireOrganization')

/** The client's category. */
export const WireStatus = shape({}, { id, title: text }, 'WireStatus')

/** The agent that the client is assigned to. */
export const WireAssignedAgent = shape({}, { id, email: text, name: text }, 'WireAssignedAgent')

/** A tag selected for the client. */
export const WireTag = shape({}, { id, title: text }, 'WireTag')

/** The department that the visitor selected before the chat. */
export const WireDepartment = shape({}, { id, name: text }, 'WireDepartment')

/** An agent (protocol, Resources, agent). */
export const WireAgent = shape({}, { id, name: text, email: text, phone: text }, 'WireAgent')

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
    utm: text,
    utm_json: nullable(WireUtm),
    ip_addr: text,
    user_agent: text,
  },
  'WireSession',
)

/** The page that the visitor is on. */
export const WirePage = shape({}, { url: text, title: text }, 'WirePage')

/** A call (protocol, Resources, call). */
export const WireCall = shape(
  {},
  {
    type: nullable(t.union([t.literal('callback'), t.literal('incoming'), t.literal('outgoing')])),
    phone: text,
    status: nullable(
      t.union([
        t.literal('start'),
        t.literal('end'),
        t.literal('agent_connected'),
        t.literal('client_connected'),
        t.literal('error'),
      ]),
    ),
    reason: text,
    record_url: text,
  },
  'WireCall',
)

/**
 * One entry of a finished chat's log. Known types are `visitor` and `client`, which mean the same, `agent`, `bot`,
 * `system` and `operator`.
 */
export const WireChatMessage = shape(
  {},
  {
    message: text,
    timestamp: nullable(UnixTime),
    type: nullable(impersonal(WireText)),
    agent_id: id,
  },
  'WireChatMessage',
)

/** A finished chat (protocol, Resources, chat). */
export const WireChat = shape(
  {},
  {
    messages: nullable(t.array(WireChatMessage)),
    blacklisted: nullable(WireBoolean),
    rate: nullable(impersonal(WireText)),
    invitation: text,
  },
  'WireChat',
)
