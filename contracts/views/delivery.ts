import * as t from 'io-ts'
import { Because, RenderedAs } from '../events/reply.ts'
import { Code, Text } from '../personal.ts'
import { BsonDate, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'
import type { ViewContract } from './contract.ts'
import { DatedAttempt, DatedMessage } from './dated.ts'

/**
 * One bot reply. `_id` is `<account id>/<chat id>/<command id>`, and `<account id>/<chat id>/<command id>:invite` of an
 * InviteAgent (in the chat id, `%2F` stands for `/` and `%25` for `%`). It is pending from its command on. Then it has
 * the newest outcome with every attempt, and delivered is final. `requestedAt` is when the command was appended to
 * bot-replies. `reason` is that of BotReplyFailed or BotReplySuppressed. `seen` has outcomes only. With `because`
 * (contracts/events/reply.ts) it is a command of the bridge itself. Such a command has no record, so its document
 * exists only after the outcome.
 */
export const DeliveryDocument = exactShape(
  {
    ...folded,

    /** The id that bot logic gave its command. */
    commandId: Id,

    /** The type of the command as its record named it: BotMessage, InviteAgent, or another type that made it fail. */
    commandType: Code,
    chatId: Id,
    clientId: Id,

    /** The state of the reply. */
    state: t.keyof({ pending: null, delivered: null, failed: null, suppressed: null }),

    /** Every request to the service so far, oldest first. */
    attempts: t.array(DatedAttempt),

    /** When the command was appended to bot-replies. */
    requestedAt: BsonDate,
  },
  {
    ...foldedOptional,
    /** The ce_id of the ClientMessageReceived that it answers, or of AgentUnavailable (see `because`). */
    inReplyTo: Id,
    /** The message of the command. Absent until the outcome is known. */
    message: DatedMessage,
    /** The type of message that the service got, if it could not show the message as it was written. */
    renderedAs: RenderedAs,
    /** Why the bridge itself made the command. Absent for a command of bot logic. */
    because: Because,
    /** True if the message only announces the answer. Absent until the outcome is known. */
    expectsMore: t.boolean,
    /** Why bot logic hands the client over, in its own words. Absent until the outcome is known. */
    handOverReason: Text,
    /** Which bot answered: the name of its consumer group, if its command has it. */
    group: Id,
    /** Why it failed or was suppressed. */
    reason: Code,
    /** The reason in words. */
    detail: Text,
    /** When the outcome was known. */
    finishedAt: BsonDate,
  },
  'DeliveryDocument',
)
export type DeliveryDocument = t.TypeOf<typeof DeliveryDocument>

export const deliveries = { name: 'deliveries', version: 3, document: DeliveryDocument } as const satisfies ViewContract
