import * as t from 'io-ts'
import { Code, personal, Text } from '../personal.ts'
import { AccountId, BsonDate, Count, exactShape, Id } from '../primitives.ts'
import { erased } from './applied.ts'
import type { ViewContract } from './contract.ts'

/**
 * One event of any type. Sorted by `time`, then `offset`, the entries are a chat's whole history. `data` is the event's
 * data without `extra`. `extra` is beside it as JSON text, because the service chooses its field names.
 */
export const TimelineDocument = exactShape(
  {
    /**
     * `<account id>/<chat id>/<webhooks, bot, egress or erasures>/<ce_id>`: `acme/2037/bot/9661ab9c`. For an event of a
     * client without a chat, `client:<client id>` stands for the chat id. In ids, `%2F` stands for `/` and `%25` for
     * `%`.
     */
    _id: Code,

    /** The customer account of the service, by its id in the accounts file. */
    accountId: AccountId,

    /** The event's type: `ChatAccepted`. */
    type: Code,

    /** When the bridge received or made the event. */
    time: BsonDate,

    /** The record's topic, without its prefix; `archive-<topic>` if the topic was deleted and created again since. */
    topic: Code,

    /** The partition of the record. */
    partition: Count,

    /** The offset of the record. */
    offset: Count,
  },
  {
    /**
     * The event's data without extra. If the event has more than 1 MiB of JSON, `data` and `extra` are absent: read the
     * record that `topic`, `partition` and `offset` name.
     */
    data: personal(t.UnknownRecord),
    chatId: Id,
    clientId: Id,
    ...erased,
    /**
     * The request was in quarantine, and an operator processed it after an upgrade. `time` is when the bridge received
     * it. It does not change who has the conversation.
     */
    late: t.literal(true),
    /** Fields of the request that the contract does not know, as JSON text. */
    extra: Text,
  },
  'TimelineDocument',
)
export type TimelineDocument = t.TypeOf<typeof TimelineDocument>

export const timeline = { name: 'timeline', version: 3, document: TimelineDocument } as const satisfies ViewContract
