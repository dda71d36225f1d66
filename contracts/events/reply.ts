import * as t from 'io-ts'
import { Code } from '../personal.ts'
import { Count, exactShape, Id, Instant } from '../primitives.ts'
import { conversation } from './fields.ts'
import { Message } from './message.ts'

/**
 * One request to the service: when it began, how long it took in ms, its HTTP status where there was one, the error code
 * of the service's body (`invalid_request`, …) or of the network (`timeout`, `ECONNREFUSED`, …) where there was one.
 */
export const Attempt = exactShape(
  {
    /** When it began. */
    at: Instant,
    /** How long it took, in milliseconds. */
    durationMs: Count,
  },
  {
    /** The HTTP status that was answered. */
    status: Count,
    /** The error code of the service's body, or of the network. */
    code: Code,
  },
  'Attempt',
)
export type Attempt = t.TypeOf<typeof Attempt>

/**
 * Why the bridge itself made a command: the client had no reply in time, the delivery of the reply failed for good, or no
 * agent was there and the bot said nothing to that.
 */
export const Because = t.keyof(
  { 'no-reply-in-time': null, 'delivery-failed': null, 'agent-unavailable': null },
  'Because',
)
export type Because = t.TypeOf<typeof Because>

/**
 * What the outcomes of a bot reply have in common; `requestedAt` is when its command was appended to the topic. With
 * `because` it is a command of the bridge's own: `requestedAt` is when it was made, `inReplyTo` the ce_id of what it answers.
 */
export const reply = {
  required: {
    ...conversation,

    /** The id that bot logic gave its command. */
    commandId: Id,

    /** Which command it was. */
    commandType: t.union([t.literal('BotMessage'), t.literal('InviteAgent')]),

    /** Every request to the service so far, oldest first. */
    attempts: t.array(Attempt),

    /** When the command was appended to the topic, or made by the bridge itself. */
    requestedAt: Instant,
  },
  optional: {
    /** The ce_id of the ClientMessageReceived that it answers. */
    inReplyTo: Id,
    /** What was to be said. */
    message: Message,
    /** Why the bridge itself made the command; absent where bot logic did. */
    because: Because,
  },
}
