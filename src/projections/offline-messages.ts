import type { OfflineMessageReceived } from '../../contracts/events/index.ts'
import type { OfflineMessageDocument } from '../../contracts/views/offline-message.ts'
import type { Recorded } from '../domain/ports.ts'
import { once } from './applied.ts'
import { present } from './fields.ts'

/** Folds one offline message into its newest state. Guarded as contracts/views/applied.ts describes. */
export const evolveOfflineMessage = (
  current: OfflineMessageDocument | undefined,
  recorded: Recorded<OfflineMessageReceived>,
): OfflineMessageDocument => {
  const { time, data } = recorded.event
  return once(current, recorded, (guard) => ({
    ...guard,
    _id: `${data.accountId}/${data.offlineMessageId}`,
    ...present(data, 'accountId', 'offlineMessageId', 'chatId', 'widgetId', 'visitor', 'message'),
    ...present(data, 'userToken', 'organization', 'status', 'assignedAgent', 'tags', 'session', 'page'),
    receivedAt: current?.receivedAt ?? time,
  }))
}
