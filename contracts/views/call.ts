import * as t from 'io-ts'
import { Agent, Call, Department, Page, Session, Visitor } from '../events/parts.ts'
import { Count, exactShape, Id, Instant } from '../primitives.ts'
import { folded } from './applied.ts'

/** One step of a call: the event's id, the status it told, and when the bridge heard of it. */
export const CallStep = exactShape({ id: Id, status: t.string, at: Instant }, { reason: t.string }, 'CallStep')

const { type, status } = Call.type.types[0].props

/**
 * One call: `state` is the newest status, `history` every status in the order of the log. `startedAt` is its first
 * start, `endedAt` its end or error, `totalMs` between them; a start after that begins anew. The rest is as last
 * told.
 */
export const CallDocument = exactShape(
  {
    ...folded,
    chatId: Id,
    widgetId: Id,
    type,
    phone: t.string,
    state: status,
    history: t.array(CallStep),
    visitor: Visitor,
    firstEventAt: Instant,
    lastEventAt: Instant,
  },
  {
    agent: Agent,
    department: Department,
    session: Session,
    page: Page,
    reason: t.string,
    recordUrl: t.string,
    startedAt: Instant,
    endedAt: Instant,
    totalMs: Count,
  },
  'CallDocument',
)
export type CallDocument = t.TypeOf<typeof CallDocument>
