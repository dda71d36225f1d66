import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulation } from './support/simulation.ts'
import { account, answer, botMessage, id, networkFailure, ok } from './support/values.ts'

const test = suite('retries')

const sent = (requests: ReadonlyArray<{ readonly body: { readonly id: string } }>) =>
  requests.map(({ body }) => body.id)

test('a failed reply is retried under the same id until the service accepts it, and each attempt is recorded', async () => {
  const answers = [networkFailure('ECONNRESET'), answer(503, '{"error":{"code":"busy"}}'), ok]
  const w = simulation({ answer: (_, nth) => ({ result: answers[nth] ?? ok }) })
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)

  assert.equal(sent(w.requests), ['c1', 'c1', 'c1'])
  assert.equal(
    w.outcomes().map(({ type, data }) => [type, data.attempts.map(({ status, code }) => code ?? status)]),
    [['BotReplyDelivered', ['ECONNRESET', 'busy', 200]]],
  )
})

test('an attempt that takes longer than 3 s is a timeout', async () => {
  const w = simulation({ answer: (_, nth) => ({ result: ok, afterMs: nth === 0 ? 5000 : 10 }) })
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  assert.equal(w.outcomes()[0]?.data.attempts, [
    { at: '2026-01-31T12:00:00.000Z', durationMs: 3000, code: 'timeout' },
    { at: '2026-01-31T12:00:03.100Z', durationMs: 10, status: 200 },
  ])
})

test('a reply is held until Retry-After, and so is the whole account after 429', async () => {
  const w = simulation({ answer: ({ id }, nth) => ({ result: id === 'c1' && nth === 0 ? answer(429, '', '20') : ok }) })
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(() => w.requests.length === 1)
  await w.time.pass(100)
  w.command(botMessage('d1', { chatId: '2038' }))
  await w.time.until(w.isDone)
  assert.ok(w.requests.slice(1).every(({ at }) => at >= 20_010))
  assert.equal([...w.applied].sort(), ['c1', 'd1'])
})

test('replies wait while the service is unavailable, and none is lost', async () => {
  const away = { until: 60_000 }
  const w: ReturnType<typeof simulation> = simulation({
    answer: () => ({ result: w.time.monotonic() < away.until ? networkFailure('ECONNREFUSED') : ok, afterMs: 1 }),
  })
  await w.start()
  for (let i = 0; i < 100; i += 1) w.command(botMessage(`c${i}`, { chatId: `chat-${i}` }))
  await w.time.until(w.isDone)
  assert.is(new Set(w.applied).size, 100)
  assert.ok(w.requests.filter(({ at }) => at < away.until).length < 100)
})

test('a reply is given up at its deadline, even if the service is still unavailable', async () => {
  const w = simulation({
    accounts: [account({ attempts: 100, deadlineMs: 30_000 })],
    answer: () => ({ result: networkFailure('ECONNREFUSED') }),
  })
  await w.start()
  for (let i = 0; i < 20; i += 1) w.command(botMessage(`c${i}`, { chatId: `chat-${i}` }))
  await w.time.until(w.isDone)
  assert.is(w.outcomes().length, 20)
  assert.ok(w.outcomes().every((event) => event.type === 'BotReplyFailed' && event.data.reason === 'deadline'))
  assert.ok(w.time.monotonic() <= 31_000)
})

test('a refused access token is replaced by a fresh one, until the deadline', async () => {
  const authorization = { clientId: id('acme'), secretKey: 'secret-key-0123456789' }
  let issued = 0
  const w = simulation({
    accounts: [account({ authorization, deadlineMs: 20_000 })],
    answer: ({ id }, nth) => ({ result: id === 'c1' && nth > 0 ? ok : answer(401) }),
    ports: {
      issueToken: async () => {
        issued += 1
        return { token: `token-${issued}`, expiresIn: 3600 }
      },
    },
  })
  await w.start()
  for (const command of ['c1', 'c2']) w.command(botMessage(command))
  await w.time.until(w.isDone)
  assert.equal(
    w.requests.slice(0, 4).map(({ body, request }) => [body.id, request.headers.authorization]),
    [
      ['c1', 'token-1'],
      ['c1', 'token-2'],
      ['c2', 'token-2'],
      ['c2', 'token-3'],
    ],
  )
  assert.equal(
    w.outcomes().map((event) => (event.type === 'BotReplyFailed' ? event.data.reason : event.type)),
    ['BotReplyDelivered', 'deadline'],
  )
  assert.ok(w.requests.every(({ request }) => request.url.includes('/providers/prov1/')))
})

test.run()
