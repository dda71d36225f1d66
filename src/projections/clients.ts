import type { ClientUpdated } from '../../contracts/events/index.ts'
import type { ClientDocument } from '../../contracts/views/client.ts'
import type { Recorded } from '../domain/ports.ts'
import { once } from './applied.ts'
import { documentId, present } from './fields.ts'

/**
 * One client as last told; guarded as contracts/views/applied.ts says: an older state that is repeated does not come
 * back.
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
    ...present(data, 'accountId', 'clientId', 'widgetId', 'visitor'),
    ...present(data, 'userToken', 'organization', 'status', 'assignedAgent', 'tags'),
    firstEventAt: current?.firstEventAt ?? time,
    lastEventAt: time,
  }))
}
