import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Ingress } from '../../../src/bridge/ingress/admission.ts'
import { sample } from '../../support/samples.ts'
import { never, noon, type Reply, send, start } from './harness.ts'

const accepted = sample('webhooks', 'chat_accepted')
const message = sample('bot-api', 'CLIENT_MESSAGE')
const hooks = '/webhooks/webhooks-token-acme'
const bot = '/bot/bot-token-of-acme'
const left = E.left({ kind: 'transient' as const, reason: 'no broker' })
const short = { webhooksMs: 20, botMs: 40 }

const isUnavailable = ({ status, headers, body }: Reply, api: 'webhooks' | 'bot') => {
  assert.is(status, 503)
  assert.is(headers['retry-after'], '1')
  assert.equal(body, {
    ...(api === 'webhooks' && { result: 'error' }),
    error: { code: 'temporarily_unavailable', message: 'the event could not be stored, send it again' },
  })
}

const unavailable = suite('unavailable')

const broken: Pick<Ingress, 'publish' | 'append'> = { publish: async () => left, append: async () => left }
const { port: brokenPort, stop: stopBroken } = await start(broken, short)
unavailable.after(stopBroken)

unavailable('an event whose publishing fails is answered 503', async () => {
  isUnavailable(await send(brokenPort, hooks, { body: accepted }), 'webhooks')
  isUnavailable(await send(brokenPort, bot, { body: message }), 'bot')
})

unavailable('a refused request whose storing fails is answered 503 instead of its error', async () => {
  isUnavailable(await send(brokenPort, hooks, { body: 'not json' }), 'webhooks')
  isUnavailable(await send(brokenPort, hooks, { body: '{"event_name":"unheard_of"}' }), 'webhooks')
  isUnavailable(await send(brokenPort, bot, { body: '{"event":"UNHEARD_OF"}' }), 'bot')
  isUnavailable(await send(brokenPort, bot, { body: 'x', headers: { 'content-type': 'text/plain' } }), 'bot')
})

unavailable('the time budget of Interface B counts from the arrival of the request', async () => {
  const slow = await start({ verify: () => never() }, short)
  isUnavailable(
    await send(slow.port, '/bot/bot-token-guarded', { body: message, headers: { authorization: 'x' } }),
    'bot',
  )
  assert.equal(slow.published, [])
  await slow.stop()
})

unavailable('the publisher gets the remaining time', async () => {
  const told: number[] = []
  let ms = 0
  const { port, stop } = await start({
    publish: async (_, withinMs) => {
      told.push(withinMs)
      return E.right('kafka' as const)
    },
    // The clock is read after the body was received.
    now: () => {
      ms += 1000
      return noon
    },
    monotonic: () => ms,
  })
  await send(port, bot, { body: message })
  await send(port, hooks, { body: accepted })
  assert.equal(told, [1500, 5000])
  await stop()
})

unavailable('after a failure the same request is published again, after a success it is not', async () => {
  const results = [left, E.right('kafka' as const)]
  let calls = 0
  const { port, stop } = await start({ publish: async () => results[calls++] ?? left })
  const statuses = []
  for (const _ of [1, 2, 3]) statuses.push((await send(port, bot, { body: message })).status)
  for (const _ of [1, 2]) statuses.push((await send(port, hooks, { body: accepted })).status)
  assert.equal(statuses, [503, 200, 200, 503, 503])
  assert.is(calls, 4)
  await stop()
})

unavailable('an event that is only in the journal: a webhook is accepted, a bot event is answered 503', async () => {
  const { port, stop } = await start({ publish: async () => E.right('journal') })
  assert.is((await send(port, hooks, { body: accepted })).status, 200)
  isUnavailable(await send(port, bot, { body: message }), 'bot')
  await stop()
})

unavailable(
  'two equal webhooks at the same time are two events; two equal bot events are one event with two answers',
  async () => {
    const { promise, resolve } = Promise.withResolvers<E.Either<never, 'kafka'>>()
    const begun = Promise.withResolvers<void>()
    let calls = 0
    const { port, stop, logged } = await start({
      publish: async () => {
        calls++
        begun.resolve()
        return promise
      },
    })
    const first = send(port, hooks, { body: accepted })
    await begun.promise
    const others = [hooks, bot, bot].map((path) => send(port, path, { body: path === bot ? message : accepted }))
    while (calls < 3) await new Promise(setImmediate)
    resolve(E.right('kafka' as const))
    const replies = await Promise.all([first, ...others])
    assert.equal(
      replies.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    assert.is(calls, 3)
    const ids = logged.map(({ fields }) => ('eventId' in fields ? fields.eventId : undefined))
    assert.is(new Set(ids).size, 3)
    await stop()
  },
)

unavailable(
  'a state that is set, changed and set again is three events; the first and the last have the same content hash',
  async () => {
    const { port, stop, published } = await start()
    const other = JSON.stringify({ ...JSON.parse(accepted), chat_id: 2038 })
    for (const body of [accepted, other, accepted]) assert.is((await send(port, hooks, { body })).status, 200)
    assert.is(new Set(published.map(({ id }) => id)).size, 3)
    const [first, second, third] = published.map(({ contentHash }) => contentHash)
    assert.is(first, third)
    assert.is.not(first, second)
    await stop()
  },
)

unavailable.run()
