import * as t from 'io-ts'
import { Message } from '../events/message.ts'
import { Attempt, Because } from '../events/reply.ts'
import { exactShape, Id, Instant } from '../primitives.ts'
import { folded } from './applied.ts'

/**
 * One bot reply, `_id` `<account id>/<command id>`: pending from its command, then what became of it, with every
 * attempt: delivered once and for all, otherwise the newest outcome. `requestedAt` is when the command was appended
 * to bot-replies; `reason` is that of BotReplyFailed or BotReplySuppressed; `seen` has outcomes only. With `because`
 * (contracts/events/reply.ts) it is a command of the bridge's own, which has no record and is here once it is finished.
 */
export const DeliveryDocument = exactShape(
  {
    ...folded,
    commandId: Id,
    commandType: t.keyof({ BotMessage: null, InviteAgent: null }),
    chatId: Id,
    clientId: Id,
    state: t.keyof({ pending: null, delivered: null, failed: null, suppressed: null }),
    attempts: t.array(Attempt),
    requestedAt: Instant,
  },
  { inReplyTo: Id, message: Message, because: Because, reason: t.string, detail: t.string, finishedAt: Instant },
  'DeliveryDocument',
)
export type DeliveryDocument = t.TypeOf<typeof DeliveryDocument>
