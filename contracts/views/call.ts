import * as t from 'io-ts'
import { Agent, Call, Department, Visitor } from '../events/parts.ts'
import { Page, Session } from '../events/session.ts'
import { Code, Text } from '../personal.ts'
import { BsonDate, Count, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'
import type { ViewContract } from './contract.ts'

/** One step of a call: the event's id, the reported status, and when the bridge received it. */
export const CallStep = exactShape(
  {
    /** The ce_id of the event. */
    id: Id,
    /** When the bridge received the status. */
    at: BsonDate,
  },
  {
    /** The reported status; absent if the service sent none that the contract knows. */
    status: Code,
    /** Why the call failed. Present if the status is error. */
    reason: Text,
  },
  'CallStep',
)

const { type, phone, status } = Call.type.types[1].props

/** The maximum number of statuses in `history`. */
export const maxStatuses = 1_000

/**
 * One call. `state` is the newest status until the call is over: the first end or error is its last state. `history`
 * has every status in the order of the log; of more than 1,000 it has the first and the newest 999. `startedAt` is the
 * first start, `endedAt` the first end or error, and `totalMs` the time between them.
 *
 * A status that comes after the end or error is late. It goes to `history`, and `state`, `endedAt` and `totalMs` stay.
 * Only a start begins a new call under the same chat id, of which only `history` and `firstEventAt` stay. A start that
 * comes up to 15 s after the end of a call without a start is late too, because the end has overtaken it: webhooks have
 * no time and no number. `startedAt` and `totalMs` of such a call are absent. So a call whose own start was lost, and
 * that is started again within these 15 s, counts as over. A second call under the same chat id whose end overtakes its
 * start counts as open, and one whose start was lost counts as a part of the first.
 *
 * The other fields come from the newest event of the call that has them; `reason` only from one that reports `state`.
 */
export const CallDocument = exactShape(
  {
    ...folded,

    /** The chat id of the call. */
    chatId: Id,

    /** Every status, in the order of the log. Of more than 1,000 the first and the newest 999. */
    history: t.array(CallStep),

    /** The time of the first event. */
    firstEventAt: BsonDate,

    /** The time of the newest event. */
    lastEventAt: BsonDate,
  },
  {
    ...foldedOptional,
    widgetId: Id,
    visitor: Visitor,

    /** Who calls: the service (`callback`), the client (`incoming`) or the agent (`outgoing`). */
    type,

    /** The client's phone number. */
    phone,

    /** The newest known status, or how the call ended: the first end or error. */
    state: status,
    /** The agent who has the call. */
    agent: Agent,
    department: Department,
    session: Session,
    page: Page,

    /** Why the call failed. */
    reason: Text,

    /** The address of the recording (.mp3). Present after the end. */
    recordUrl: Text,

    /** When the call first started. */
    startedAt: BsonDate,

    /** When the call ended or failed: the first end or error. */
    endedAt: BsonDate,

    /** The time from start to end, in milliseconds. */
    totalMs: Count,
  },
  'CallDocument',
)
export type CallDocument = t.TypeOf<typeof CallDocument>

export const calls = { name: 'calls', version: 3, document: CallDocument } as const satisfies ViewContract
