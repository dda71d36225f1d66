import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ClientUpdated } from '../../../contracts/events/index.ts'
import type { ClientDocument } from '../../../contracts/views/client.ts'
import { evolveClient } from '../../../src/bridge/views/clients.ts'
import { anEvent, at, date, inLog } from '../../support/given-events.ts'

const clients = suite('clients')

const clientOf = (...events: ReadonlyArray<ClientUpdated>) =>
  inLog(...events).reduce<ClientDocument | undefined>(evolveClient, undefined)

const first = anEvent('ClientUpdated', 'e1', at('10:00:00'), { status: { id: 's1' }, tags: [{ id: 't1' }] })
const second = anEvent('ClientUpdated', 'e2', at('11:00:00'), { assignedAgent: { id: 'a1' } })

clients('a client has the data of its newest update only', () => {
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

clients('a repeated older update changes nothing', () => {
  assert.equal(clientOf(first, second, first), { ...clientOf(first, second), applied: { 'clients/0': 2 } })
})

clients.run()
