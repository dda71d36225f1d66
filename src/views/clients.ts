import type { ClientUpdated } from '../../contracts/events/index.ts'
import type { ClientDocument } from '../../contracts/views/client.ts'
import type { Recorded } from '../domain/ports.ts'
import { once } from './applied.ts'
import { documentId, present } from './fields.ts'

/**
 * Folds the events of one client into its newest state. Guarded as contracts/views/applied.ts describes, so a
 * repetition of an older state does not replace a newer one.
 */
export const evolveClient = (
  current: ClientDocument | undefined,
  recorded: Recorded<ClientUpdated>,
): ClientDocument => {
  const { event } = recorded
  const { time, data } = event
  return once(current, recorded, (guard) => ({
    ...guard,
    _id: documentId(event),
    accountId: data.accountId,
    clientId: data.clientId,
    ...(current && present(current, 'widgetId', 'visitor')),
    ...present(data, 'widgetId', 'visitor'),
    ...present(data, 'userToken', 'organization', 'status', 'assignedAgent', 'tags'),
    firstEventAt: current?.firstEventAt ?? time,
    lastEventAt: time,
  }))
}
