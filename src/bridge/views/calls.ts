import type { CallStatusChanged } from '../../../contracts/events/index.ts'
import { type CallDocument, calls as contract, maxStatuses } from '../../../contracts/views/call.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { applyGuarded, type Guard } from './applied.ts'
import type { Recorded } from './document.ts'
import { byMarks } from './erase.ts'
import { documentId, isWithinMoments, msBetween, present } from './fields.ts'
import { by, linkIndexes } from './indexes.ts'
import { ofCaller } from './persons.ts'
import { each, folded } from './view.ts'

const isOver = (status: string | undefined): boolean => status === 'end' || status === 'error'

/** What a status changes in a call that is not over. */
const progress = (
  startedBefore: Date | undefined,
  status: CallDocument['state'],
  time: Date,
): Partial<CallDocument> => {
  const startedAt = startedBefore ?? (status === 'start' ? time : undefined)
  return {
    ...(status !== undefined && { state: status }),
    ...(startedAt !== undefined && { startedAt }),
    ...(isOver(status) && {
      endedAt: time,
      ...(startedAt !== undefined && { totalMs: msBetween(startedAt, time) }),
    }),
  }
}

/**
 * Whether a status begins a new call under the same chat id. A start that comes moments after the end of a call without
 * a start was only overtaken by that end.
 */
const beginsAnew = (current: CallDocument | undefined, status: string | undefined, time: Date): boolean =>
  status === 'start' &&
  current?.endedAt !== undefined &&
  !(current.startedAt === undefined && isWithinMoments(current.endedAt, time))

/**
 * The fields that stay until an event replaces them. A start after an end is a new call under the same chat, which has
 * nothing of the former one: neither its times, its reason and its recording, nor the agent who had it.
 */
const kept = (current: CallDocument | undefined, isNew: boolean) =>
  current === undefined || isNew
    ? {}
    : present(
        current,
        'widgetId',
        'visitor',
        'type',
        'phone',
        'state',
        'agent',
        'department',
        'session',
        'page',
        'reason',
        'recordUrl',
        'startedAt',
        'endedAt',
        'totalMs',
      )

/** The first status and the newest ones, so that the document stays below MongoDB's limit. */
const withStatus = (
  history: CallDocument['history'],
  status: CallDocument['history'][number],
): CallDocument['history'] => {
  const all = [...history, status]
  return all.length > maxStatuses ? [...all.slice(0, 1), ...all.slice(1 - maxStatuses)] : all
}

const fold = (current: CallDocument | undefined, event: Dated<CallStatusChanged>, guard: Guard): CallDocument => {
  const { id, time, data } = event
  const { status } = data.call ?? {}
  const before = kept(current, beginsAnew(current, status, time))
  const isLate = before.endedAt !== undefined
  return {
    firstEventAt: current?.firstEventAt ?? time,
    ...guard,
    _id: documentId(event),
    accountId: data.accountId,
    chatId: data.chatId,
    history: withStatus(current?.history ?? [], { id, at: time, ...present(data.call ?? {}, 'status', 'reason') }),
    ...before,
    ...present(data, 'widgetId', 'visitor', 'agent', 'department', 'session', 'page'),
    ...present(data.call ?? {}, 'type', 'phone', 'recordUrl'),
    ...((!isLate || status === before.state) && present(data.call ?? {}, 'reason')),
    ...(!isLate && progress(before.startedAt, status, time)),
    lastEventAt: time,
  }
}

/** Folds one call's statuses. Guarded as contracts/views/applied.ts describes, so `history` has each event once. */
export const evolveCall = (current: CallDocument | undefined, recorded: Recorded<CallStatusChanged>): CallDocument =>
  applyGuarded(current, recorded, (guard) => fold(current, recorded.event, guard))

export const calls = folded(contract, {
  key: 'chatId',
  folds: each(['CallStatusChanged'], {
    at: ({ event }) => documentId(event),
    next: (current: CallDocument | undefined, recorded) => [evolveCall(current, recorded)],
  }),
  erasure: byMarks(),
  indexes: [by('firstEventAt'), by('phone'), ...linkIndexes],
  person: {
    links: { chat: ['chatId'], ...ofCaller, phone: ['visitor.phone', 'phone'] },
    documents: [{ field: 'chatId' }],
  },
})
