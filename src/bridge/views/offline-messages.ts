import type { OfflineMessageReceived } from '../../../contracts/events/index.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { offline_messages as contract, type OfflineMessageDocument } from '../../../contracts/views/offline-message.ts'
import { asPart } from '../domain/identity.ts'
import { applyGuarded } from './applied.ts'
import type { Recorded } from './document.ts'
import { byMarks } from './erase.ts'
import { present } from './fields.ts'
import { by, linkIndexes, where } from './indexes.ts'
import { ofVisitor } from './persons.ts'
import { each, folded } from './view.ts'

/**
 * `acme/2037/77`: the service's id is unique within its chat. Where the service sends none, each event is a message of
 * its own.
 */
export const offlineMessageId = ({ id, data }: Pick<Dated<OfflineMessageReceived>, 'id' | 'data'>): string =>
  `${data.accountId}/${asPart(data.chatId)}/${asPart(data.offlineMessageId ?? id)}`

/** Folds one offline message into its newest state. Guarded as contracts/views/applied.ts describes. */
export const evolveOfflineMessage = (
  current: OfflineMessageDocument | undefined,
  recorded: Recorded<OfflineMessageReceived>,
): OfflineMessageDocument => {
  const { time, data } = recorded.event
  return applyGuarded(current, recorded, (guard) => ({
    ...guard,
    _id: offlineMessageId(recorded.event),
    ...present(data, 'accountId', 'offlineMessageId', 'chatId', 'widgetId', 'visitor', 'message'),
    ...present(data, 'userToken', 'organization', 'status', 'assignedAgent', 'tags', 'session', 'page'),
    receivedAt: current?.receivedAt ?? time,
  }))
}

export const offlineMessages = folded(contract, {
  folds: each(['OfflineMessageReceived'], {
    at: ({ event }) => offlineMessageId(event),
    next: (current: OfflineMessageDocument | undefined, recorded) => [evolveOfflineMessage(current, recorded)],
  }),
  erasure: byMarks(),
  indexes: [by('receivedAt'), by('chatId'), where('userToken'), ...linkIndexes],
  person: { links: { chat: ['chatId'], ...ofVisitor }, documents: [{ field: 'chatId' }] },
})
