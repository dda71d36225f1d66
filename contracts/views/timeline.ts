import * as t from 'io-ts'
import { AccountId, Count, exactShape, Id, Instant } from '../primitives.ts'

/**
 * One event of any kind; sorted by `time`, then `offset`, a chat's whole story. `data` is the
 * event's data without `extra`, which is kept beside it as JSON text, since its field names are the service's.
 */
export const TimelineDocument = exactShape(
  {
    /** `<account id>/<webhooks, bot or egress>/<ce_id>`: `acme/bot/9661ab9c`. */
    _id: t.string,

    /** The customer account of the service, by its id in the accounts file. */
    accountId: AccountId,

    /** The event's type: `ChatAccepted`. */
    type: t.string,

    /** When the bridge took the event in. */
    time: Instant,

    /** Where the event stands: the topic, without its prefix. */
    topic: t.string,

    /** The topic's partition. */
    partition: Count,

    /** The offset in it. */
    offset: Count,
  },
  {
    /**
     * The event's data, without extra. Absent where the event has more than 1 MiB of JSON, as is `extra` then: read the record
     * that `topic`, `partition` and `offset` name.
     */
    data: t.UnknownRecord,
    chatId: Id,
    clientId: Id,
    /** What the contract does not know of the request, as JSON text. */
    extra: t.string,
  },
  'TimelineDocument',
)
export type TimelineDocument = t.TypeOf<typeof TimelineDocument>
