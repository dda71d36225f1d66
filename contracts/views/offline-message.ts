import * as t from 'io-ts'
import { AssignedAgent, Organization, Status, Tag, Visitor } from '../events/parts.ts'
import { Page, Session } from '../events/session.ts'
import { Text } from '../personal.ts'
import { BsonDate, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'
import type { ViewContract } from './contract.ts'

/**
 * One message of the offline form. `_id` is `<account id>/<chat id>/<offline message id>`; the ce_id stands for the
 * last part where the service sends none. In ids, `%2F` stands for `/` and `%25` for `%`. `receivedAt` is when the
 * bridge first received it, the rest is of the newest event.
 */
export const OfflineMessageDocument = exactShape(
  {
    ...folded,

    chatId: Id,

    /** When the bridge first received it. */
    receivedAt: BsonDate,
  },
  {
    ...foldedOptional,
    /** The message's id, unique within its chat. */
    offlineMessageId: Id,
    widgetId: Id,
    visitor: Visitor,
    /** What was written. */
    message: Text,
    userToken: Text,
    organization: Organization,
    status: Status,
    assignedAgent: AssignedAgent,
    tags: t.array(Tag),
    session: Session,
    page: Page,
  },
  'OfflineMessageDocument',
)
export type OfflineMessageDocument = t.TypeOf<typeof OfflineMessageDocument>

export const offline_messages = {
  name: 'offline_messages',
  version: 2,
  document: OfflineMessageDocument,
} as const satisfies ViewContract
