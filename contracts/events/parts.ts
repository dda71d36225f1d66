import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { Count, exactShape, Id } from '../primitives.ts'
import { Opaque } from '../wire.ts'

/** The person who writes or calls. `chatsCount` is how often the visitor has contacted the account so far. */
export const Visitor = exactShape(
  {},
  {
    /** The visitor's number in the account. */
    number: Id,
    /** How often the visitor has contacted the account so far. The service counts this and calls it requests. */
    chatsCount: Count,
    /** As the visitor gave it or an agent noted it. */
    name: Text,
    /** As the visitor gave it or an agent noted it. */
    email: Text,
    /** As the visitor gave it or an agent noted it. */
    phone: Text,
    /** What agents have noted about the visitor. */
    description: Text,
    /** Accounts in social networks, in the service's own form, which the protocol does not describe. */
    social: Opaque,
  },
  'Visitor',
)
export type Visitor = t.TypeOf<typeof Visitor>

/** The company that the client is assigned to. */
export const Organization = exactShape(
  {},
  {
    /** The company's id in the account. */
    id: Id,
    /** The name of the company. */
    name: Text,
  },
  'Organization',
)
/** The client's category. */
export const Status = exactShape(
  {},
  {
    /** The category's id in the account. */
    id: Id,
    /** The name of the category. */
    title: Text,
  },
  'Status',
)
/** The agent that the client is assigned to. */
export const AssignedAgent = exactShape(
  {},
  {
    /** The agent's id in the account. */
    id: Id,
    /** The agent's email address. */
    email: Text,
    /** The agent's name. */
    name: Text,
  },
  'AssignedAgent',
)
/** A tag that was selected for the client. */
export const Tag = exactShape(
  {},
  {
    /** The tag's id in the account. */
    id: Id,
    /** The name of the tag. */
    title: Text,
  },
  'Tag',
)
/** The department that the visitor selected before the chat. */
export const Department = exactShape(
  {},
  {
    /** The department's id in the account. */
    id: Id,
    /** The name of the department. */
    name: Text,
  },
  'Department',
)
/** An agent who accepted a chat or took part in it. */
export const Agent = exactShape(
  {},
  {
    /** The agent's id in the account. */
    id: Id,
    /** The agent's name. */
    name: Text,
    /** The agent's email address. */
    email: Text,
    /** The agent's phone number. */
    phone: Text,
  },
  'Agent',
)
export type Agent = t.TypeOf<typeof Agent>

/** A call. `reason` is present if the status is error, `recordUrl` (an .mp3) after the end. */
export const Call = exactShape(
  {},
  {
    /** Who calls: the service (`callback`), the client (`incoming`) or the agent (`outgoing`). */
    type: t.union([t.literal('callback'), t.literal('incoming'), t.literal('outgoing')]),

    /** The client's phone number. */
    phone: Text,

    /** The status of the call. */
    status: t.union([
      t.literal('start'),
      t.literal('end'),
      t.literal('agent_connected'),
      t.literal('client_connected'),
      t.literal('error'),
    ]),
    /** Why the call failed. Present if the status is error. */
    reason: Text,
    /** The address of the recording (.mp3). Present after the end. */
    recordUrl: Text,
  },
  'Call',
)
export type Call = t.TypeOf<typeof Call>
