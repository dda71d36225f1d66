import * as t from 'io-ts'
import { Code } from '../personal.ts'
import { Count, exactShape } from '../primitives.ts'

/** How the service's transcript can differ from what the bridge saw. */
export const differenceKinds = { 'not-received': null, 'not-in-transcript': null, order: null, text: null } as const

/** The most differences that an audit names: the first ones. */
export const mostDifferences = 100

/**
 * One difference between the transcript and what the bridge saw. `not-received`: the transcript has a message of the client that
 * never came to the bridge. `not-in-transcript`: it lacks a message that the bridge received, or a reply that the service took.
 * `order`, `text`: both have the message, in another order or with other words.
 */
export const TranscriptDifference = exactShape(
  {
    /** What differs. */
    kind: t.keyof(differenceKinds),
    /** Who wrote the message. */
    from: t.keyof({ client: null, bot: null }),
  },
  {
    /** Which message of the log it is, from 0, where the log has it. */
    index: Count,
    /** The event's `_id` in `timeline`, where the bridge has one. */
    event: Code,
  },
  'TranscriptDifference',
)

/**
 * The service's transcript compared with the messages and deliveries that the bridge saw. It has ids and kinds, and no words. `due`: not
 * compared yet, or to be compared again since something was told late.
 *
 * Messages of agents and of the service itself never come to the bridge: they are not compared. Nor is the order between client
 * and bot. The protocol has no sign for a message of a bot: one of type `agent` without an agent counts as one, and replies are
 * compared where at least one such message has the words of a delivered reply. The protocol does not say either how Markdown and buttons
 * appear in the log, so their words are not compared. What the client wrote after an agent's message, or after all that both have
 * where agents took part, may have gone to the agent: it is not missed.
 */
export const TranscriptAudit = exactShape(
  {
    /** Whether it was compared. */
    state: t.keyof({ due: null, compared: null, 'not-compared': null }),
    /** The first 100 differences; none where it was not compared. */
    differences: t.array(TranscriptDifference),
  },
  {
    /**
     * Why it was not compared: the transcript is empty; the bridge saw no bot conversation; no message is in both, so the transcript does
     * not have that part of the chat; an event was erased; or is too large for `timeline`, or is not there; or too many messages differ.
     */
    reason: t.keyof({
      'empty-transcript': null,
      'no-bot-conversation': null,
      'nothing-in-common': null,
      erased: null,
      'event-too-large': null,
      'event-missing': null,
      'too-many-messages': null,
    }),
    /** Whether replies were compared as well; where there were any. */
    replies: t.keyof({ compared: null, 'no-bot-messages-in-transcript': null }),
    /** Changes with each late event while it is due. */
    mark: Code,
  },
  'TranscriptAudit',
)
export type TranscriptAudit = t.TypeOf<typeof TranscriptAudit>
