import * as t from 'io-ts'
import { AssignedAgent, Organization, Status, Tag, Visitor } from '../events/parts.ts'
import { Text } from '../personal.ts'
import { BsonDate, exactShape, Id } from '../primitives.ts'
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
    firstEventAt: BsonDate,
    /** When it last did. */
    lastEventAt: BsonDate,
  },
  {
    ...foldedOptional,
    userToken: Text,
    organization: Organization,
    status: Status,
    assignedAgent: AssignedAgent,
    tags: t.array(Tag),
  },
  'ClientDocument',
)
export type ClientDocument = t.TypeOf<typeof ClientDocument>
