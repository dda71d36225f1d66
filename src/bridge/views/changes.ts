import type { OperatorAction } from '../../../contracts/commands/operator-action.ts'
import { dated } from '../domain/dated.ts'
import type { Folded } from '../domain/folded.ts'
import { type IncomingRecord, recordTime } from '../domain/log/record.ts'
import { withBlankPersonalData } from '../domain/person/erased.ts'
import { marksOf, withoutPersonal } from '../domain/person/personal-data.ts'
import type { Change, Recorded } from './document.ts'
import { storable } from './free-form.ts'
import { foldedOfName, foldedViews } from './index.ts'
import type { AnyRecord, RecordedReply, RecordedRequest, RecordType } from './view.ts'

const changesIn = (type: RecordType, record: AnyRecord): ReadonlyArray<Change> =>
  foldedViews.flatMap((view) => view.changesOf(type, record))

const marksOfView = new Map(
  foldedViews.flatMap((view) =>
    view.person === undefined ? [] : [[view.name as string, marksOf(view.document)] as const],
  ),
)

/**
 * Marks the documents that a change begins as erased: their first event was received before the person was erased.
 * Documents that exist keep what is newer than the erasure.
 */
const newDocumentsErased = (change: Change): Change => {
  const marks = marksOfView.get(change.view)
  if (marks === undefined) return change
  return {
    ...change,
    evolve: (current) =>
      change
        .evolve(current)
        .map((document, i) =>
          i === 0 && current !== undefined ? document : { ...withoutPersonal(marks, document), erased: true as const },
        ),
  }
}

/** The changes that an event makes in all views, with storable values only. */
export const changesOfEvent = (recorded: Recorded): ReadonlyArray<Change> => {
  const event = storable(recorded.event)
  const changes = changesIn(event.type, { ...recorded, event, unconverted: recorded } as AnyRecord)
  return recorded.beforeErasure === undefined ? changes : changes.map(newDocumentsErased)
}

/** The changes of an operator's action. */
export const changesOfAction = (action: OperatorAction): ReadonlyArray<Change> => changesIn(action.type, { action })

/** The changes of a valid command of bot-replies. */
export const changesOfReply = (recorded: RecordedReply): ReadonlyArray<Change> =>
  changesIn(recorded.reply.type, { ...recorded, reply: storable(recorded.reply) } as AnyRecord)

/** The changes of a request in quarantine. */
export const changesOfRequest = (recorded: RecordedRequest): ReadonlyArray<Change> =>
  changesIn(recorded.request.type, recorded)

/**
 * The changes that a decoded record makes. Of an event that was received before its person was erased, they keep
 * nothing personal. Its unknown fields still count in `drift`, which names no person.
 */
export const changesOf = (
  { topic, partition, offset, epoch, timestamp, value, erased }: IncomingRecord,
  decoded: Folded,
): ReadonlyArray<Change> => {
  if (decoded.type === 'OperatorAction') return changesOfAction(decoded)
  const place = { topic, partition, offset, ...(epoch !== undefined && { epoch }) }
  if (decoded.type === 'QuarantinedRequest') return changesOfRequest({ ...place, request: decoded })
  return decoded.type === 'BotMessage' || decoded.type === 'InviteAgent'
    ? changesOfReply({ ...place, reply: decoded, requestedAt: recordTime({ timestamp }) })
    : changesOfEvent({
        ...place,
        event: dated(erased ? withBlankPersonalData(decoded) : decoded),
        bytes: value?.length ?? 0,
        ...(erased && { beforeErasure: dated(decoded) }),
      })
}

/** Whether the changed document has data of all chats, so that changes are applied in the order of the log. */
export const isAccountWide = ({ view }: Change): boolean => foldedOfName(view)?.isAccountWide ?? false
