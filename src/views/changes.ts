import type { OperatorAction } from '../../contracts/commands/operator-action.ts'
import type { Change, Recorded } from '../domain/ports.ts'
import { storable } from './free-form.ts'
import { foldedOfName, foldedViews } from './index.ts'
import type { AnyRecord, RecordedReply, RecordedRequest, RecordType } from './view.ts'

const changesIn = (type: RecordType, record: AnyRecord): ReadonlyArray<Change> =>
  foldedViews.flatMap((view) => view.changesOf(type, record))

/** The changes that an event makes in all views, with storable values only. */
export const changesOfEvent = (recorded: Recorded): ReadonlyArray<Change> => {
  const event = storable(recorded.event)
  return changesIn(event.type, { ...recorded, event, asItCame: recorded } as AnyRecord)
}

/** The changes of an operator's action. */
export const changesOfAction = (action: OperatorAction): ReadonlyArray<Change> => changesIn(action.type, { action })

/** The changes of a valid command of bot-replies. */
export const changesOfReply = (recorded: RecordedReply): ReadonlyArray<Change> =>
  changesIn(recorded.reply.type, { ...recorded, reply: storable(recorded.reply) } as AnyRecord)

/** The changes of a request in quarantine. */
export const changesOfRequest = (recorded: RecordedRequest): ReadonlyArray<Change> =>
  changesIn(recorded.request.type, recorded)

/** Whether the changed document has data of all chats, so that changes are applied in the order of the log. */
export const isOfAllChats = ({ view }: Change): boolean => foldedOfName(view)?.isOfAllChats ?? false
