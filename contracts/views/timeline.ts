import * as t from 'io-ts'
import { AccountId, Count, exactShape, Id, Instant } from '../primitives.ts'

/**
 * One event of any kind, `_id` its ce_id; sorted by `time`, then `offset`, a chat's whole story. `data` is the
 * event's data without `extra`, which is kept beside it as JSON text, since its field names are the service's.
 */
export const TimelineDocument = exactShape(
  {
    _id: t.string,
    accountId: AccountId,
    type: t.string,
    time: Instant,
    topic: t.string,
    partition: Count,
    offset: Count,
    data: t.UnknownRecord,
  },
  { chatId: Id, clientId: Id, extra: t.string },
  'TimelineDocument',
)
export type TimelineDocument = t.TypeOf<typeof TimelineDocument>
