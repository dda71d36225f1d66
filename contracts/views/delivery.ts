import * as t from 'io-ts'
import { Message } from '../events/message.ts'
import { Attempt, Because } from '../events/reply.ts'
import { exactShape, Id, Instant } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'

/**
 * One bot reply, `_id` `<account id>/<chat id>/<command id>`: pending from its command, then what became of it, with every
 * attempt: delivered once and for all, otherwise the newest outcome. `requestedAt` is when the command was appended
 * to bot-replies; `reason` is that of BotReplyFailed or BotReplySuppressed; `seen` has outcomes only. With `because`
 * (contracts/events/reply.ts) it is a command of the bridge's own, which has no record and is here once it is finished.
 */
export const DeliveryDocument = exactShape(
  {
    ...folded,

    /** The id that bot logic gave its command. */
    commandId: Id,

    /** Which command it is. */
    commandType: t.keyof({ BotMessage: null, InviteAgent: null }),
    chatId: Id,
    clientId: Id,

    /** What has become of it. */
    state: t.keyof({ pending: null, delivered: null, failed: null, suppressed: null }),

    /** Every request to the service so far, oldest first. */
    attempts: t.array(Attempt),

    /** When the command was appended to bot-replies. */
    requestedAt: Instant,
  },
  {
    ...foldedOptional,
    /** The ce_id of the ClientMessageReceived that it answers. */
    inReplyTo: Id,
    /** What was to be said. */
    message: Message,
    /** Why the bridge itself made the command; absent where bot logic did. */
    because: Because,
    /** Why it failed or was suppressed. */
    reason: t.string,
    /** The same in words. */
    detail: t.string,
    /** When the outcome was known. */
    finishedAt: Instant,
  },
  'DeliveryDocument',
)
export type DeliveryDocument = t.TypeOf<typeof DeliveryDocument>
