import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulation } from './support/simulation.ts'
import { answer, botMessage, noMeasure, ok, serviceEvent } from './support/values.ts'

const test = suite('the egress worker')

test('a command is posted, its outcome published and its offset committed', async () => {
  const w = simulation()
  await w.start()
  w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm1'))
  w.command(botMessage('c1', { inReplyTo: 'm1', group: 'shop-bot' }))
  await w.time.until(w.isDone)

  assert.equal(w.requests[0]?.request, {
    url: 'https://bot.example.com/webhooks/prov1/bot-token-0123456789',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      event: 'BOT_MESSAGE',
      id: 'c1',
      client_id: '1233',
      chat_id: '2037',
      message: { type: 'TEXT', text: 'text of c1', timestamp: 1769860800 },
    }),
  })
  assert.equal(w.outcomes(), [
    {
      type: 'BotReplyDelivered',
      id: 'acme/2037/c1:delivered',
      source: '/accounts/acme/egress',
      subject: '2037',
      time: '2026-01-31T12:00:00.010Z',
      data: {
        accountId: 'acme',
        chatId: '2037',
        clientId: '1233',
        commandId: 'c1',
        commandType: 'BotMessage',
        attempts: [{ at: '2026-01-31T12:00:00.000Z', durationMs: 10, status: 200 }],
        requestedAt: '2026-01-31T12:00:00.000Z',
        inReplyTo: 'm1',
        group: 'shop-bot',
        message: { type: 'TEXT', text: 'text of c1', timestamp: '2026-01-31T12:00:00.000Z' },
      },
    },
  ])
})

test('a client’s wait is measured once, from the message to the reply that the service accepted', async () => {
  const waits: Array<readonly [string, number]> = []
  const measure = { ...noMeasure, answered: (account: string, seconds: number) => waits.push([account, seconds]) }
  const w = simulation({ ports: { measure } })
  await w.start()
  w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm1'))
  await w.time.pass(2_000)
  w.command(botMessage('c1', { inReplyTo: 'm1' }))
  w.command(botMessage('c2', { inReplyTo: 'm1' }))
  await w.time.until(w.isDone)

  assert.equal(w.applied, ['c1', 'c2'])
  assert.equal(waits, [['acme', 2.01]])
})

test('a chat that always fails delays no other chat of its partition', async () => {
  const w = simulation({ answer: ({ chat_id }) => ({ result: chat_id === 'bad' ? answer(500) : ok }) })
  await w.start()
  w.command(botMessage('b1', { chatId: 'bad' }))
  for (let i = 0; i < 50; i += 1) w.command(botMessage(`g${i}`, { chatId: `good-${i}` }))
  await w.time.until(() => w.applied.length === 50)
  assert.ok(w.time.monotonic() < 100)
  assert.is(w.log.committed['bot-replies'], 0)

  await w.time.until(w.isDone)
  const failed = w.outcomes().at(-1)
  assert.equal(
    [failed?.data.commandId, failed?.type === 'BotReplyFailed' && failed.data.reason, failed?.data.attempts.length],
    ['b1', 'attempts', 8],
  )
})

test.run()
