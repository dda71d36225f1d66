import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { AccountId, Id } from '../primitives.ts'
import { Opaque } from '../wire.ts'
import { extra } from './envelope.ts'
import { Agent, AssignedAgent, Department, Organization, Status, Tag, Visitor } from './parts.ts'
import { Page, Session } from './session.ts'

/** The common fields of the events of Interface A. */
export const webhook = {
  required: {
    /** The customer account of the service, by its id in the accounts file. */
    accountId: AccountId,
  },
  optional: {
    /** The channel's widget. */
    widgetId: Id,

    /** The person who writes or calls. */
    visitor: Visitor,

    /** The visitor's id in the customer's own system, as the page set it (setUserToken). */
    userToken: Text,

    /** The company that the client is assigned to. */
    organization: Organization,

    /** The client's category. */
    status: Status,

    /** The agent that the client is assigned to. */
    assignedAgent: AssignedAgent,

    /** The tags that were selected for the client. */
    tags: t.array(Tag),

    /** The department that the visitor selected before the chat. */
    department: Department,

    /** The visitor's session on the site. */
    session: Session,

    /** The page that the visitor is on. */
    page: Page,

    /** Analytics in the service's own form, which the protocol does not describe. */
    analytics: Opaque,
    ...extra,
  },
}

/** The common fields of the events of a chat that an agent has accepted. */
export const agentChat = {
  required: {
    ...webhook.required,
    /** The chat. Its id is unique within the account and the same on both interfaces. */
    chatId: Id,
  },
  optional: {
    ...webhook.optional,
    /** The agent who accepted the chat. */
    agent: Agent,
  },
}

/** The common fields of the events of a bot conversation in which the client is always known. */
export const conversation = {
  /** The customer account of the service, by its id in the accounts file. */
  accountId: AccountId,
  /** The chat. Its id is unique within the account and the same on both interfaces. */
  chatId: Id,
  /** The client who writes on the channel. The id is unique within the account. */
  clientId: Id,
}

const { clientId, ...ofChat } = conversation

/** The common fields of the other events of a bot conversation. */
export const botChat = {
  required: ofChat,
  optional: {
    /** The client who writes on the channel, if the service names it. */
    clientId,
    ...extra,
  },
}
