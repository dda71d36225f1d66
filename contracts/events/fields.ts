import * as t from 'io-ts'
import { AccountId, Id } from '../primitives.ts'
import { Opaque } from '../wire.ts'
import { extra } from './envelope.ts'
import { Agent, AssignedAgent, Department, Organization, Page, Session, Status, Tag, Visitor } from './parts.ts'

/** What the events of Interface A have in common. */
export const webhook = {
  required: { accountId: AccountId, widgetId: Id, visitor: Visitor },
  optional: {
    userToken: t.string,
    organization: Organization,
    status: Status,
    assignedAgent: AssignedAgent,
    tags: t.array(Tag),
    department: Department,
    session: Session,
    page: Page,
    analytics: Opaque,
    ...extra,
  },
}

/** What the events of a chat that an agent has accepted have in common. */
export const agentChat = {
  required: { ...webhook.required, chatId: Id, agent: Agent },
  optional: webhook.optional,
}

/** What the events of a bot conversation have in common. */
export const conversation = { accountId: AccountId, chatId: Id, clientId: Id }
