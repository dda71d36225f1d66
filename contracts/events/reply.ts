import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { Count, exactShape, Id, Instant } from '../primitives.ts'
import { conversation } from './fields.ts'
import { Message } from './message.ts'

/**
 * One request to the service: when it began, how long it took in ms, its HTTP status and an error code. The code comes
 * from the service's body (`invalid_request`, …) or from the network (`timeout`, `ECONNREFUSED`, …). Status and code
 * are absent if there was none.
 */
export const Attempt = exactShape(
  {
    /** When the request began. */
    at: Instant,
    /** How long the request took, in milliseconds. */
    durationMs: Count,
  },
  {
    /** The HTTP status of the service's answer. */
    status: Count,
    /** The error code from the service's body or from the network. */
    code: Code,
  },
  'Attempt',
)
export type Attempt = t.TypeOf<typeof Attempt>

/**
 * Why the bridge itself made a command: the client had no reply in time, the delivery of the reply failed permanently,
 * or no agent was available and the bot did not react.
 */
export const Because = t.keyof(
  { 'no-reply-in-time': null, 'delivery-failed': null, 'agent-unavailable': null },
  'Because',
)
export type Because = t.TypeOf<typeof Because>

/** The type of message that the service got instead of the one that was written. */
export const RenderedAs = t.keyof({ TEXT: null, MARKDOWN: null }, 'RenderedAs')

/**
 * The common fields of the outcomes of a bot reply. `requestedAt` is when the command was appended to the topic. With
 * `because` it is a command of the bridge itself: `requestedAt` is when the bridge made it, and `inReplyTo` is the
 * ce_id of the event that it answers.
 */
export const reply = {
  required: {
    ...conversation,

    /** The id that bot logic gave its command. */
    commandId: Id,

    /** The type of the command. */
    commandType: t.union([t.literal('BotMessage'), t.literal('InviteAgent')]),

    /** Every request to the service so far, oldest first. */
    attempts: t.array(Attempt),

    /** When the command was appended to the topic, or when the bridge itself made it. */
    requestedAt: Instant,
  },
  optional: {
    /** The ce_id of the ClientMessageReceived that it answers, or of AgentUnavailable (see `because`). */
    inReplyTo: Id,
    /** The message of the command. */
    message: Message,
    /**
     * The type of message that the service got if it could not show the message as it was written: TEXT, the plain text
     * of other Markdown than links, bold and italic; MARKDOWN, without links that are not http, https, mailto or tel.
     */
    renderedAs: RenderedAs,
    /** Why the bridge itself made the command. Absent for a command of bot logic. */
    because: Because,
    /** True if the message only announces the answer: it does not answer the client. */
    expectsMore: t.boolean,
    /** Why bot logic hands the client over, in its own words: `reason` of InviteAgent. */
    handOverReason: Text,
    /** Which bot answered: the name of its consumer group, if its command has it. */
    group: Id,
  },
}
