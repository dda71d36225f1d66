import * as t from 'io-ts'
import { AssignedAgent, Organization, Status, Tag, Visitor } from '../events/parts.ts'
import { exactShape, Id, Instant } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'

/**
 * One client as the newest ClientUpdated describes it: contacts in `visitor`, category in `status`; what it leaves
 * out is gone.
 */
export const ClientDocument = exactShape(
  {
    ...folded,
    clientId: Id,
    widgetId: Id,
    visitor: Visitor,
    /** When the bridge first heard of the client. */
    firstEventAt: Instant,
    /** When it last did. */
    lastEventAt: Instant,
  },
  {
    ...foldedOptional,
    userToken: t.string,
    organization: Organization,
    status: Status,
    assignedAgent: AssignedAgent,
    tags: t.array(Tag),
  },
  'ClientDocument',
)
export type ClientDocument = t.TypeOf<typeof ClientDocument>
