import * as t from 'io-ts'
import { Agent, Call, Department, Visitor } from '../events/parts.ts'
import { Page, Session } from '../events/session.ts'
import { Code, Text } from '../personal.ts'
import { BsonDate, Count, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'

/** One step of a call: the event's id, the status it told, and when the bridge heard of it. */
export const CallStep = exactShape(
  {
    /** The ce_id of the event. */
    id: Id,
    /** The status that it told. */
    status: Code,
    /** When the bridge heard of it. */
    at: BsonDate,
  },
  {
    /** Why the call failed, with the status error. */
    reason: Text,
  },
  'CallStep',
)

const { type, status } = Call.type.types[0].props

/**
 * One call: `state` is the newest status, `history` every status in the order of the log. `startedAt` is its first
 * start, `endedAt` its end or error, `totalMs` between them; a start after that begins anew. The rest is as last
 * told.
 */
export const CallDocument = exactShape(
  {
    ...folded,

    /** The call, by its number among the chats of the account. */
    chatId: Id,
    widgetId: Id,

    /** Who calls whom. */
    type,

    /** The client's phone number. */
    phone: Text,

    /** The newest status. */
    state: status,

    /** Every status, in the order of the log. */
    history: t.array(CallStep),
    visitor: Visitor,

    /** When the bridge first heard of the call. */
    firstEventAt: BsonDate,

    /** When it last did. */
    lastEventAt: BsonDate,
  },
  {
    ...foldedOptional,
    /** The agent who has the call. */
    agent: Agent,
    department: Department,
    session: Session,
    page: Page,

    /** Why the call failed, with the status error. */
    reason: Text,

    /** Where the recording (.mp3) is, after the end. */
    recordUrl: Text,

    /** Its first start. */
    startedAt: BsonDate,

    /** Its end or error. */
    endedAt: BsonDate,

    /** From its start to its end, in milliseconds. */
    totalMs: Count,
  },
  'CallDocument',
)
export type CallDocument = t.TypeOf<typeof CallDocument>
