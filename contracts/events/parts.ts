import * as t from 'io-ts'
import { Count, exactShape, Id, Instant } from '../primitives.ts'
import { Opaque } from '../wire.ts'

/** Who writes or calls. `chatsCount` is the number of the visitor's requests so far. */
export const Visitor = exactShape(
  { number: Id, chatsCount: Count },
  { name: t.string, email: t.string, phone: t.string, description: t.string, social: Opaque },
  'Visitor',
)
export type Visitor = t.TypeOf<typeof Visitor>

export const Organization = exactShape({ id: Id }, { name: t.string }, 'Organization')
/** The client's category. */
export const Status = exactShape({ id: Id }, { title: t.string }, 'Status')
export const AssignedAgent = exactShape({ id: Id }, { email: t.string, name: t.string }, 'AssignedAgent')
export const Tag = exactShape({ id: Id }, { title: t.string }, 'Tag')
export const Department = exactShape({ id: Id }, { name: t.string }, 'Department')
export const Agent = exactShape({ id: Id }, { name: t.string, email: t.string, phone: t.string }, 'Agent')
export type Agent = t.TypeOf<typeof Agent>

export const Geoip = exactShape(
  {},
  {
    regionCode: t.string,
    countryCode: t.string,
    country: t.string,
    region: t.string,
    city: t.string,
    latitude: t.string,
    longitude: t.string,
    organization: t.string,
  },
  'Geoip',
)

export const Utm = exactShape(
  {},
  { source: t.string, campaign: t.string, content: t.string, medium: t.string, term: t.string },
  'Utm',
)

export const Session = exactShape(
  {},
  { geoip: Geoip, utm: t.string, utmJson: Utm, ipAddr: t.string, userAgent: t.string },
  'Session',
)

export const Page = exactShape({}, { url: t.string, title: t.string }, 'Page')

export const Call = exactShape(
  {
    type: t.union([t.literal('callback'), t.literal('incoming'), t.literal('outgoing')]),
    phone: t.string,
    status: t.union([
      t.literal('start'),
      t.literal('end'),
      t.literal('agent_connected'),
      t.literal('client_connected'),
      t.literal('error'),
    ]),
  },
  { reason: t.string, recordUrl: t.string },
  'Call',
)
export type Call = t.TypeOf<typeof Call>

/** One entry of a finished chat's log; `visitor` and `client` mean the same. */
export const ChatMessage = exactShape(
  {
    message: t.string,
    timestamp: Instant,
    type: t.union([t.literal('visitor'), t.literal('client'), t.literal('agent')]),
  },
  { agentId: Id },
  'ChatMessage',
)
export type ChatMessage = t.TypeOf<typeof ChatMessage>

export const Chat = exactShape(
  { messages: t.array(ChatMessage), blacklisted: t.boolean },
  { rate: t.string, invitation: t.string },
  'Chat',
)
