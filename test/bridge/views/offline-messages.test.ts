import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { evolveOfflineMessage } from '../../../src/bridge/views/offline-messages.ts'
import { anEvent, at, date, inLog } from '../../support/given-events.ts'

const offline = suite('offline messages')

offline('a message keeps the time of its first receipt when it is repeated under another id', () => {
  const [first, second] = inLog(
    anEvent('OfflineMessageReceived', 'e1', at('10:00:00')),
    anEvent('OfflineMessageReceived', 'e2', at('10:20:00'), { message: 'Hello? Anyone?' }),
  )
  assert.ok(first && second)
  assert.equal(evolveOfflineMessage(evolveOfflineMessage(undefined, first), second), {
    _id: 'acme/2037/77',
    accountId: 'acme',
    applied: { 'offline-messages/0': 1 },
    seen: ['webhooks/e1', 'webhooks/e2'],
    offlineMessageId: '77',
    chatId: '2037',
    widgetId: 'w1',
    visitor: { number: '2746', chatsCount: 3, name: 'Ann' },
    message: 'Hello? Anyone?',
    receivedAt: date('10:00:00'),
  })
})

offline.run()
