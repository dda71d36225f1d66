import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ClientUpdated } from '../../contracts/events/index.ts'
import type { ClientDocument } from '../../contracts/views/client.ts'
import { evolveClient } from '../../src/projections/clients.ts'
import { anEvent, at, date, inLog } from '../support/given-events.ts'

const clients = suite('clients')

const clientOf = (...events: ReadonlyArray<ClientUpdated>) =>
  inLog(...events).reduce<ClientDocument | undefined>(evolveClient, undefined)

const first = anEvent('ClientUpdated', 'e1', at('10:00:00'), { status: { id: 's1' }, tags: [{ id: 't1' }] })
const second = anEvent('ClientUpdated', 'e2', at('11:00:00'), { assignedAgent: { id: 'a1' } })

clients('a client is as its newest update describes it, and what that leaves out is gone', () => {
  assert.equal(clientOf(first, second), {
    _id: 'acme/1233',
    accountId: 'acme',
    applied: { 'clients/0': 1 },
    seen: ['webhooks/e1', 'webhooks/e2'],
    clientId: '1233',
    widgetId: 'w1',
    visitor: { number: '2746', chatsCount: 3, name: 'Ann' },
    assignedAgent: { id: 'a1' },
    firstEventAt: date('10:00:00'),
    lastEventAt: date('11:00:00'),
  })
})

clients('an older update that is repeated does not come back', () => {
  assert.equal(clientOf(first, second, first), { ...clientOf(first, second), applied: { 'clients/0': 2 } })
})

clients.run()
