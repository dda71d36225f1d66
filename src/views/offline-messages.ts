import type { OfflineMessageReceived } from '../../contracts/events/index.ts'
import type { Dated } from '../../contracts/views/dated.ts'
import type { OfflineMessageDocument } from '../../contracts/views/offline-message.ts'
import { asPart } from '../domain/identity.ts'
import type { Recorded } from '../domain/ports.ts'
import { once } from './applied.ts'
import { present } from './fields.ts'

/**
 * `acme/2037/77`: the service's id is unique within its chat. Where the service sends none, each event is a message of
 * its own.
 */
export const offlineMessageId = ({ id, data }: Dated<OfflineMessageReceived>): string =>
  `${data.accountId}/${asPart(data.chatId)}/${asPart(data.offlineMessageId ?? id)}`

/** Folds one offline message into its newest state. Guarded as contracts/views/applied.ts describes. */
export const evolveOfflineMessage = (
  current: OfflineMessageDocument | undefined,
  recorded: Recorded<OfflineMessageReceived>,
): OfflineMessageDocument => {
  const { time, data } = recorded.event
  return once(current, recorded, (guard) => ({
    ...guard,
    _id: offlineMessageId(recorded.event),
    ...present(data, 'accountId', 'offlineMessageId', 'chatId', 'widgetId', 'visitor', 'message'),
    ...present(data, 'userToken', 'organization', 'status', 'assignedAgent', 'tags', 'session', 'page'),
    receivedAt: current?.receivedAt ?? time,
  }))
}
