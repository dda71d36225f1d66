import * as t from 'io-ts'
import { Count, exactShape, Id } from '../primitives.ts'
import { Opaque } from '../wire.ts'

/** Who writes or calls. `chatsCount` is the number of the visitor's requests so far. */
export const Visitor = exactShape(
  {
    /** The visitor's number in the account. */
    number: Id,
    /** How many requests the visitor has made so far. */
    chatsCount: Count,
  },
  {
    /** As the visitor gave it, or an agent noted it. */
    name: t.string,
    /** As the visitor gave it, or an agent noted it. */
    email: t.string,
    /** As the visitor gave it, or an agent noted it. */
    phone: t.string,
    /** What agents have noted about the visitor. */
    description: t.string,
    /** Accounts in social networks, in the service's own form, which the protocol does not show. */
    social: Opaque,
  },
  'Visitor',
)
export type Visitor = t.TypeOf<typeof Visitor>

/** The company that the client is assigned to. */
export const Organization = exactShape(
  {
    /** The company's id in the account. */
    id: Id,
  },
  {
    /** Its title. */
    name: t.string,
  },
  'Organization',
)
/** The client's category. */
export const Status = exactShape(
  {
    /** The category's id in the account. */
    id: Id,
  },
  {
    /** Its name. */
    title: t.string,
  },
  'Status',
)
/** The agent that the client is assigned to. */
export const AssignedAgent = exactShape(
  {
    /** The agent's id in the account. */
    id: Id,
  },
  {
    /** The agent's address. */
    email: t.string,
    /** The agent's name. */
    name: t.string,
  },
  'AssignedAgent',
)
/** A tag that was selected for the client. */
export const Tag = exactShape(
  {
    /** The tag's id in the account. */
    id: Id,
  },
  {
    /** Its name. */
    title: t.string,
  },
  'Tag',
)
/** The department that the visitor selected before the chat. */
export const Department = exactShape(
  {
    /** The department's id in the account. */
    id: Id,
  },
  {
    /** Its title. */
    name: t.string,
  },
  'Department',
)
/** An agent who accepted or took part. */
export const Agent = exactShape(
  {
    /** The agent's id in the account. */
    id: Id,
  },
  {
    /** The agent's name. */
    name: t.string,
    /** The agent's address. */
    email: t.string,
    /** The agent's phone number. */
    phone: t.string,
  },
  'Agent',
)
export type Agent = t.TypeOf<typeof Agent>

/** A call; `reason` comes with the status error, `recordUrl` (an .mp3) after the end. */
export const Call = exactShape(
  {
    /** Who calls whom: the service calls back, the client calls, the agent calls. */
    type: t.union([t.literal('callback'), t.literal('incoming'), t.literal('outgoing')]),

    /** The client's phone number. */
    phone: t.string,

    /** What has become of the call. */
    status: t.union([
      t.literal('start'),
      t.literal('end'),
      t.literal('agent_connected'),
      t.literal('client_connected'),
      t.literal('error'),
    ]),
  },
  {
    /** Why the call failed, with the status error. */
    reason: t.string,
    /** Where the recording (.mp3) is, after the end. */
    recordUrl: t.string,
  },
  'Call',
)
export type Call = t.TypeOf<typeof Call>
