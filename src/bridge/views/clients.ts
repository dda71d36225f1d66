import type { ClientUpdated } from '../../../contracts/events/index.ts'
import { type ClientDocument, clients as contract } from '../../../contracts/views/client.ts'
import { applyGuarded } from './applied.ts'
import type { Recorded } from './document.ts'
import { byMarks } from './erase.ts'
import { documentId, present } from './fields.ts'
import { by, linkIndexes, where } from './indexes.ts'
import { ofVisitor } from './persons.ts'
import { each, folded } from './view.ts'

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
  return applyGuarded(current, recorded, (guard) => ({
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

export const clients = folded(contract, {
  key: 'clientId',
  folds: each(['ClientUpdated'], {
    at: ({ event }) => documentId(event),
    next: (current: ClientDocument | undefined, recorded) => [evolveClient(current, recorded)],
  }),
  erasure: byMarks(),
  indexes: [by('lastEventAt'), where('userToken'), ...linkIndexes],
  person: { links: { client: ['clientId'], ...ofVisitor }, documents: [{ field: 'clientId' }] },
})
