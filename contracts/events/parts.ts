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

/** The company that the client is assigned to. */
export const Organization = exactShape({ id: Id }, { name: t.string }, 'Organization')
/** The client's category. */
export const Status = exactShape({ id: Id }, { title: t.string }, 'Status')
/** The agent that the client is assigned to. */
export const AssignedAgent = exactShape({ id: Id }, { email: t.string, name: t.string }, 'AssignedAgent')
/** A tag that was selected for the client. */
export const Tag = exactShape({ id: Id }, { title: t.string }, 'Tag')
/** The department that the visitor selected before the chat. */
export const Department = exactShape({ id: Id }, { name: t.string }, 'Department')
/** An agent who accepted or took part. */
export const Agent = exactShape({ id: Id }, { name: t.string, email: t.string, phone: t.string }, 'Agent')
export type Agent = t.TypeOf<typeof Agent>

/** Where the client's address seems to be; `countryCode` is of ISO 3166-1, `organization` the internet provider. */
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

/** The utm_ parameters under which the visitor came. */
export const Utm = exactShape(
  {},
  { source: t.string, campaign: t.string, content: t.string, medium: t.string, term: t.string },
  'Utm',
)

/** The visitor's session; `utm` is the service's one line of what `utmJson` has in parts. */
export const Session = exactShape(
  {},
  { geoip: Geoip, utm: t.string, utmJson: Utm, ipAddr: t.string, userAgent: t.string },
  'Session',
)

/** The page that the visitor is on. */
export const Page = exactShape({}, { url: t.string, title: t.string }, 'Page')

/** A call; `reason` comes with the status error, `recordUrl` (an .mp3) after the end. */
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

/** The log of a finished chat; `blacklisted`: an agent blocked the client, `invitation`: the text that invited to chat. */
export const Chat = exactShape(
  { messages: t.array(ChatMessage), blacklisted: t.boolean },
  { rate: t.string, invitation: t.string },
  'Chat',
)
