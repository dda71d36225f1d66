import * as t from 'io-ts'
import { Count, exactShape, Id, Instant } from '../primitives.ts'
import { conversation } from './fields.ts'
import { Message } from './message.ts'

/**
 * One request to the service: when it began, how long it took in ms, its HTTP status where there was one, the error code
 * of the service's body (`invalid_request`, …) or of the network (`timeout`, `ECONNREFUSED`, …) where there was one.
 */
export const Attempt = exactShape({ at: Instant, durationMs: Count }, { status: Count, code: t.string }, 'Attempt')
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
    commandId: Id,
    commandType: t.union([t.literal('BotMessage'), t.literal('InviteAgent')]),
    attempts: t.array(Attempt),
    requestedAt: Instant,
  },
  optional: { inReplyTo: Id, message: Message, because: Because },
}
