import * as t from 'io-ts'
import { AssignedAgent, Organization, Page, Session, Status, Tag, Visitor } from '../events/parts.ts'
import { exactShape, Id, Instant } from '../primitives.ts'
import { folded } from './applied.ts'

/** One message of the offline form; `receivedAt` is when the bridge first took it in, the rest is as last told. */
export const OfflineMessageDocument = exactShape(
  {
    ...folded,
    offlineMessageId: Id,
    chatId: Id,
    widgetId: Id,
    visitor: Visitor,
    message: t.string,
    receivedAt: Instant,
  },
  {
    userToken: t.string,
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
