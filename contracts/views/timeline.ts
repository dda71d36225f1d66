import * as t from 'io-ts'
import { Code, personal, Text } from '../personal.ts'
import { AccountId, BsonDate, Count, exactShape, Id } from '../primitives.ts'
import { erased } from './applied.ts'

/**
 * One event of any kind; sorted by `time`, then `offset`, a chat's whole story. `data` is the
 * event's data without `extra`, which is kept beside it as JSON text, since its field names are the service's.
 */
export const TimelineDocument = exactShape(
  {
    /** `<account id>/<webhooks, bot, egress or erasures>/<ce_id>`: `acme/bot/9661ab9c`. */
    _id: Code,

    /** The customer account of the service, by its id in the accounts file. */
    accountId: AccountId,

    /** The event's type: `ChatAccepted`. */
    type: Code,

    /** When the bridge took the event in. */
    time: BsonDate,

    /**
     * Where the event stands: the topic, without its prefix; `archive-<topic>` where the topic was deleted and created again since.
     */
    topic: Code,

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
    data: personal(t.UnknownRecord),
    chatId: Id,
    clientId: Id,
    ...erased,
    /** What the contract does not know of the request, as JSON text. */
    extra: Text,
  },
  'TimelineDocument',
)
export type TimelineDocument = t.TypeOf<typeof TimelineDocument>
