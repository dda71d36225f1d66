import * as t from 'io-ts'
import { Code } from '../personal.ts'
import { Count, exactShape } from '../primitives.ts'

/** The ways in which the service's transcript can differ from what the bridge saw. */
export const differenceKinds = { 'not-received': null, 'not-in-transcript': null, order: null, text: null } as const

/** The maximum number of differences that an audit has: the first ones. */
export const maxDifferences = 100

/**
 * One difference between the transcript and what the bridge saw. `not-received`: the transcript has a client's message
 * that the bridge never received. `not-in-transcript`: the transcript lacks a message that the bridge received, or a
 * reply that the service accepted. `order`, `text`: both have the message, in another order or with other words.
 */
export const TranscriptDifference = exactShape(
  {
    /** The kind of difference. */
    kind: t.keyof(differenceKinds),
    /** Who wrote the message. */
    from: t.keyof({ client: null, bot: null }),
  },
  {
    /** The index of the message in the log, from 0. Absent if the log does not have it. */
    index: Count,
    /** The event's `_id` in `timeline`. Absent if the bridge does not have the message. */
    event: Code,
  },
  'TranscriptDifference',
)

/**
 * The service's transcript compared with the messages and deliveries that the bridge saw. It has ids and kinds, and no
 * words. `due`: not compared yet, or to be compared again because an event came late.
 *
 * Messages of agents and of the service itself are not compared, because they never reach the bridge. The order between
 * client and bot is not compared either. The protocol does not mark a bot's message: one of type `agent` without an
 * agent counts as one. Replies are compared if at least one such message has the words of a delivered reply. The
 * protocol does not say how Markdown and buttons appear in the log, so their words are not compared. A client's message
 * after an agent's message may have gone to the agent. So may a message after the last one that both have, if agents
 * took part. The audit does not report such messages as missing.
 */
export const TranscriptAudit = exactShape(
  {
    /** Whether the transcript was compared. */
    state: t.keyof({ due: null, compared: null, 'not-compared': null }),
    /** The first 100 differences. Empty if the transcript was not compared. */
    differences: t.array(TranscriptDifference),
  },
  {
    /**
     * Why it was not compared: the transcript is empty; the bridge saw no bot conversation; no message is in both, so
     * the transcript does not have that part of the chat; an event was erased; an event is too large for `timeline`; an
     * event is missing there; or too many messages differ.
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
    /** Whether replies were compared too. Absent if there were none. */
    replies: t.keyof({ compared: null, 'no-bot-messages-in-transcript': null }),
    /** A value that changes with each late event while the audit is due. */
    mark: Code,
  },
  'TranscriptAudit',
)
export type TranscriptAudit = t.TypeOf<typeof TranscriptAudit>
