import type { CallStatusChanged } from '../../contracts/events/index.ts'
import type { CallDocument } from '../../contracts/views/call.ts'
import type { Dated } from '../../contracts/views/dated.ts'
import type { Recorded } from '../domain/ports.ts'
import { type Guard, once } from './applied.ts'
import { documentId, msBetween, present } from './fields.ts'

type Times = Pick<CallDocument, 'startedAt' | 'endedAt' | 'totalMs'>

const timesAfter = ({ startedAt, endedAt, totalMs }: Times, { time, data }: Dated<CallStatusChanged>): Times => {
  const { status } = data.call
  const before = {
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(totalMs !== undefined && { totalMs }),
  }
  if (status === 'start') return startedAt === undefined || endedAt !== undefined ? { startedAt: time } : before
  if (status !== 'end' && status !== 'error') return before
  return { ...before, endedAt: time, ...(startedAt !== undefined && { totalMs: msBetween(startedAt, time) }) }
}

const fold = (current: CallDocument | undefined, event: Dated<CallStatusChanged>, guard: Guard): CallDocument => {
  const { startedAt, endedAt, totalMs, ...rest } = current ?? {}
  const { id, time, data } = event
  const { type, phone, status } = data.call
  return {
    firstEventAt: time,
    ...rest,
    ...guard,
    _id: documentId(event),
    accountId: data.accountId,
    chatId: data.chatId,
    widgetId: data.widgetId,
    type,
    phone,
    state: status,
    history: [...(current?.history ?? []), { id, status, at: time, ...present(data.call, 'reason') }],
    visitor: data.visitor,
    ...present(data, 'agent', 'department', 'session', 'page'),
    ...present(data.call, 'reason', 'recordUrl'),
    ...timesAfter(current ?? {}, event),
    lastEventAt: time,
  }
}

/** Folds one call's statuses. Guarded as contracts/views/applied.ts describes, so `history` has each event once. */
export const evolveCall = (current: CallDocument | undefined, recorded: Recorded<CallStatusChanged>): CallDocument =>
  once(current, recorded, (guard) => fold(current, recorded.event, guard))
