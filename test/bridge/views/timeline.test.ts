import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dated } from '../../../src/bridge/domain/dated.ts'
import { evolveTimeline, timelineId } from '../../../src/bridge/views/timeline.ts'
import { anEvent, at, date } from '../../support/given-events.ts'

const timeline = suite('timeline')

const event = dated(anEvent('ClientMessageReceived', 'e1', at('10:00:00'), { extra: { $sender: { 'a.b': 1 } } }))
const recorded = { event, topic: 'bot-conversations', partition: 3, offset: 12 } as const

timeline('an entry has the event, its place, and unknown fields as text', () => {
  const { extra, ...data } = event.data
  assert.equal(evolveTimeline(undefined, recorded), {
    _id: 'acme/2037/bot/e1',
    accountId: 'acme',
    type: 'ClientMessageReceived',
    time: date('10:00:00'),
    topic: 'bot-conversations',
    partition: 3,
    offset: 12,
    data,
    chatId: '2037',
    clientId: '1233',
    extra: '{"$sender":{"a.b":1}}',
  })
})

timeline('an entry says that its event is late', () => {
  const late = { ...recorded, event: { ...event, receivedTime: event.time } }
  assert.equal(evolveTimeline(undefined, late), { ...evolveTimeline(undefined, recorded), late: true })
})

timeline('an entry of an event with more than 1 MiB of JSON names its record, and has no data', () => {
  const { data, extra, ...rest } = evolveTimeline(undefined, { ...recorded, bytes: 1024 * 1024 })
  assert.ok(data && extra)
  assert.equal(evolveTimeline(undefined, { ...recorded, bytes: 1024 * 1024 + 1 }), rest)
})

timeline('events of other accounts, chats and interfaces with the same id have their own entries', () => {
  const ids = [
    { ...event, data: { ...event.data, accountId: 'zeta' as typeof event.data.accountId } },
    { ...event, data: { ...event.data, chatId: '20/37' as typeof event.data.chatId } },
    { ...event, source: '/accounts/acme/egress' },
    event,
    dated(anEvent('ClientUpdated', 'e1', at('10:00:00'))),
  ].map(timelineId)
  assert.equal(ids, [
    'zeta/2037/bot/e1',
    'acme/20%2F37/bot/e1',
    'acme/2037/egress/e1',
    'acme/2037/bot/e1',
    'acme/client:1233/webhooks/e1',
  ])
})

timeline('the first record of an event is kept', () => {
  const first = evolveTimeline(undefined, recorded)
  assert.is(evolveTimeline(first, { ...recorded, offset: 40 }), first)
})

timeline.run()
