import * as t from 'io-ts'
import { AssignedAgent, Organization, Status, Tag, Visitor } from '../events/parts.ts'
import { Text } from '../personal.ts'
import { BsonDate, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'
import type { ViewContract } from './contract.ts'

/**
 * One client, as the newest ClientUpdated describes it: contacts in `visitor`, category in `status`. Fields that this
 * event leaves out are absent.
 */
export const ClientDocument = exactShape(
  {
    ...folded,
    clientId: Id,
    /** The time of the first event. */
    firstEventAt: BsonDate,
    /** The time of the newest event. */
    lastEventAt: BsonDate,
  },
  {
    ...foldedOptional,
    widgetId: Id,
    visitor: Visitor,
    userToken: Text,
    organization: Organization,
    status: Status,
    assignedAgent: AssignedAgent,
    tags: t.array(Tag),
  },
  'ClientDocument',
)
export type ClientDocument = t.TypeOf<typeof ClientDocument>

export const clients = { name: 'clients', version: 2, document: ClientDocument } as const satisfies ViewContract
