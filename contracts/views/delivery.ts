import * as t from 'io-ts'
import { Because } from '../events/reply.ts'
import { Code, Text } from '../personal.ts'
import { BsonDate, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'
import { DatedAttempt, DatedMessage } from './dated.ts'

/**
 * One bot reply, `_id` `<account id>/<chat id>/<command id>` (in the chat id `%2F` stands for `/` and `%25` for `%`): pending from its command, then what became of it, with every
 * attempt: delivered once and for all, otherwise the newest outcome. `requestedAt` is when the command was appended
 * to bot-replies; `reason` is that of BotReplyFailed or BotReplySuppressed; `seen` has outcomes only. With `because`
 * (contracts/events/reply.ts) it is a command of the bridge's own, which has no record and is here once it is finished.
 */
export const DeliveryDocument = exactShape(
  {
    ...folded,

    /** The id that bot logic gave its command. */
    commandId: Id,

    /** Which command it is, as its record named it: BotMessage, InviteAgent, or something else where that is why it failed. */
    commandType: Code,
    chatId: Id,
    clientId: Id,

    /** What has become of it. */
    state: t.keyof({ pending: null, delivered: null, failed: null, suppressed: null }),

    /** Every request to the service so far, oldest first. */
    attempts: t.array(DatedAttempt),

    /** When the command was appended to bot-replies. */
    requestedAt: BsonDate,
  },
  {
    ...foldedOptional,
    /** The ce_id of the ClientMessageReceived that it answers. */
    inReplyTo: Id,
    /** What was to be said, once it is known what became of it. */
    message: DatedMessage,
    /** Why the bridge itself made the command; absent where bot logic did. */
    because: Because,
    /** Why it failed or was suppressed. */
    reason: Code,
    /** The same in words. */
    detail: Text,
    /** When the outcome was known. */
    finishedAt: BsonDate,
  },
  'DeliveryDocument',
)
export type DeliveryDocument = t.TypeOf<typeof DeliveryDocument>
