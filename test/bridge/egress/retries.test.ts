import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulation } from './support/simulation.ts'
import { account, answer, botMessage, id, networkFailure, ok, serviceEvent } from './support/values.ts'

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

test('a final answer ends the attempts at once', async () => {
  const w = simulation({ answer: () => ({ result: answer(400, '{"error":{"code":"invalid_request"}}') }) })
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  assert.is(w.requests.length, 1)
  assert.equal(
    w.outcomes().map((event) => event.type === 'BotReplyFailed' && event.data.reason),
    ['rejected'],
  )
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

test('a Retry-After of thirty years pauses an account for five minutes', async () => {
  const w = simulation({
    accounts: [account({ deadlineMs: 3_600_000 })],
    answer: (_, nth) => ({ result: nth === 0 ? answer(429, '', '999999999') : ok }),
  })
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  assert.equal(
    w.requests.map(({ at }) => at),
    [0, 300_010],
  )
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

test('after an outage and a recovery at a fifth of the capacity there is no retry storm, and it ends within a minute', async () => {
  let second = -1
  let taken = 0
  const begun = new Set<string>()
  const minutes = [0, 1, 2, 3, 4].map(() => ({ firsts: 0, vainRetries: 0 }))
  const w: ReturnType<typeof simulation> = simulation({
    accounts: [account({ attempts: 1000, deadlineMs: 3_600_000 })],
    answer: ({ id }) => {
      const now = Math.floor(w.time.monotonic() / 1000)
      if (now !== second) taken = 0
      second = now
      taken += 1
      const isTaken = now >= 180 || (now >= 60 && taken <= 1)
      const minute = minutes[Math.floor(now / 60)]
      if (minute !== undefined && !begun.has(id)) minute.firsts += 1
      else if (minute !== undefined && !isTaken) minute.vainRetries += 1
      begun.add(id)
      return isTaken ? { result: ok } : { result: now < 60 ? networkFailure('ECONNREFUSED') : answer(503), afterMs: 1 }
    },
  })
  await w.start()
  for (let i = 0; i < 360; i += 1) {
    w.command(botMessage(`c${i}`, { chatId: `chat-${i}` }))
    await w.time.pass(500)
  }
  await w.time.until(w.isDone)
  assert.is(new Set(w.applied).size, 360)
  assert.ok(w.time.monotonic() < 240_000, `done at ${w.time.monotonic()}`)
  const isStorm = ({ firsts, vainRetries }: (typeof minutes)[number]) => vainRetries > 0.1 * firsts + 16
  assert.equal(minutes.filter(isStorm), [])
})

test('an account may have replies suppressed if the client wrote again', async () => {
  for (const whenOvertaken of ['send', 'suppress'] as const) {
    const w = simulation({ accounts: [account({ whenOvertaken })] })
    await w.start()
    w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm1'))
    w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm2'))
    w.command(botMessage('c1', { inReplyTo: 'm1' }))
    w.command(botMessage('c2', { inReplyTo: 'm2' }))
    await w.time.until(w.isDone)
    assert.equal(w.applied, whenOvertaken === 'send' ? ['c1', 'c2'] : ['c2'])
  }
})

test.run()
