import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { History } from '../../../contracts/http.ts'
import { eventually } from '../../support/eventually.ts'
import { at } from '../../support/given-events.ts'
import { accounts, send, start } from './harness.ts'

const said: History = {
  messages: [{ id: 'm1', from: 'client', type: 'TEXT', text: 'Hello', at: at('12:00:00') as never }],
  upTo: 'm1',
}
const token = { authorization: 'Bearer history-token-of-acme' }
const get = (headers: Readonly<Record<string, string>> = token) => ({ method: 'GET', headers })

const history = suite('history of a chat, over HTTP')

const asked: unknown[] = []
const views: ReadonlySet<string> = new Set(['m1'])
/** How often the views are asked before they have the event. */
let asksUntilThere = 0
let isAway = false
let nowMs = 0
const { port, stop, requests, logged } = await start(
  {
    history: {
      has: async ({ accountId, chatId }, eventId) => {
        asked.push(['has', accountId, chatId, eventId])
        if (isAway) throw new Error('no primary')
        return views.has(eventId) && asked.length > asksUntilThere
      },
      read: async ({ accountId, chatId }, last) => {
        asked.push(['read', accountId, chatId, last])
        if (isAway) throw new Error('no primary')
        return chatId === '2037' ? said : undefined
      },
    },
    monotonic: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms
    },
  },
  { historyWaitMs: 120 },
)
history.after(stop)
history.before.each(() => {
  asked.length = 0
  asksUntilThere = 0
  isAway = false
})

history('the newest messages, 20 unless the bot asks for another number, are never cached', async () => {
  const { status, body, headers } = await send(port, '/history/acme/2037', get())
  assert.equal([status, body, headers['cache-control']], [200, said, 'no-store'])
  await send(port, '/history/acme/2037?last=7', get())
  assert.equal(asked, [
    ['read', 'acme', '2037', 20],
    ['read', 'acme', '2037', 7],
  ])
  assert.equal(requests.slice(-2), [
    ['history', 200],
    ['history', 200],
  ])
})

history('an id of a chat may have any characters', async () => {
  await send(port, `/history/acme/${encodeURIComponent('a/b c')}`, get())
  assert.equal(asked, [['read', 'acme', 'a/b c', 20]])
})

history('with `after` the answer waits until the views have that event', async () => {
  asksUntilThere = 2
  assert.is((await send(port, '/history/acme/2037?after=m1', get())).status, 200)
  assert.equal(asked, [...Array(3).fill(['has', 'acme', '2037', 'm1']), ['read', 'acme', '2037', 20]])
})

history('an event that does not come into the views in time: 425', async () => {
  const { status, headers, body } = await send(port, '/history/acme/2037?after=m9', get())
  assert.equal([status, headers['retry-after']], [425, '1'])
  assert.match(JSON.stringify(body), 'the views do not have this event yet')
})

history('a chat that the views do not have: 404', async () => {
  assert.is((await send(port, '/history/acme/2038', get())).status, 404)
})

history('MongoDB away: 503, and the log says why', async () => {
  isAway = true
  for (const query of ['', '?after=m1']) {
    const { status, headers } = await send(port, `/history/acme/2037${query}`, get())
    assert.equal([status, headers['retry-after']], [503, '1'])
  }
  assert.is(logged.at(-2)?.message, 'a history could not be read')
  assert.equal(logged.at(-2)?.fields, { accountId: 'acme', reason: 'no primary' })
})

const wrong: Readonly<Record<string, readonly [status: number, path: string, headers?: object, method?: string]>> = {
  'no token': [401, '/history/acme/2037', {}],
  'a wrong token': [401, '/history/acme/2037', { authorization: 'Bearer history-token-of-acmf' }],
  "another account's token": [401, '/history/acme/2037', { authorization: 'Bearer history-token-guarded' }],
  'the token for bot events': [401, '/history/acme/2037', { authorization: 'Bearer bot-token-of-acme' }],
  'an unknown account': [401, '/history/nobody/2037'],
  'an empty token': [401, '/history/acme/2037', { authorization: 'Bearer ' }],
  'no scheme': [401, '/history/acme/2037', { authorization: 'history-token-of-acme' }],
  'a number that is none': [400, '/history/acme/2037?last=many'],
  'no message': [400, '/history/acme/2037?last=0'],
  'too many messages': [400, '/history/acme/2037?last=101'],
  'two numbers': [400, '/history/acme/2037?last=1&last=2'],
  'an empty event': [400, '/history/acme/2037?after='],
  'two events': [400, '/history/acme/2037?after=a&after=b'],
  'another method': [405, '/history/acme/2037', token, 'POST'],
  'no chat': [404, '/history/acme'],
}
for (const [what, [status, path, headers = token, method = 'GET']] of Object.entries(wrong))
  history(`${what}: ${status}`, async () => {
    const reply = await send(port, path, { method, headers: headers as Record<string, string> })
    assert.is(reply.status, status)
    assert.equal(asked, [])
    assert.not.match(JSON.stringify(reply.body), /history-token|bot-token/)
  })

history('an account without a history token has no history', async () => {
  const open = accounts.map(({ bot, ...rest }) => {
    const { historyToken: _, ...others } = bot ?? ({} as never)
    return { ...rest, ...(bot && { bot: others }) }
  })
  const { port, stop } = await start({ accounts: open })
  for (const headers of [{ authorization: 'Bearer undefined' }, { authorization: 'Bearer ' }, {}])
    assert.is((await send(port, '/history/acme/2037', { method: 'GET', headers })).status, 401)
  await stop()
})

history(
  'wrong tokens are delayed, and are refused if they are too many; the rate limit of the account holds',
  async () => {
    const waits: number[] = []
    const { port, stop } = await start({
      sleep: async (ms) => void waits.push(ms),
      history: { has: async () => true, read: async () => said },
      monotonic: () => 0,
    })
    const wrongly = () => send(port, '/history/acme/2037', { method: 'GET', headers: {} })
    for (let i = 0; i < 60; i += 1) await wrongly()
    assert.ok(waits.slice(50).every((ms) => ms > 0))
    for (let i = 0; i < 60; i += 1) await wrongly()
    assert.is((await wrongly()).status, 429)
    await stop()

    const slow = await start({ history: { has: async () => true, read: async () => said }, monotonic: () => 0 })
    const own = { method: 'GET', headers: { authorization: 'Bearer history-token-of-slow' } }
    const statuses = [await send(slow.port, '/history/slow/1', own), await send(slow.port, '/history/slow/1', own)]
    assert.equal(
      statuses.map(({ status }) => status),
      [200, 429],
    )
    await slow.stop()
  },
)

history('an account with many waiting requests does not delay the history of another account', async () => {
  const reading = new Map<string, number>()
  const answer = Promise.withResolvers<void>()
  const held = await start({
    history: {
      has: async () => true,
      read: async ({ accountId }) => {
        reading.set(accountId, (reading.get(accountId) ?? 0) + 1)
        if (accountId === 'acme') await answer.promise
        return said
      },
    },
  })
  const ofAcme = Array.from({ length: 40 }, () => send(held.port, '/history/acme/2037', get()))
  await eventually('the first of acme', () => (reading.get('acme') ?? 0) >= 6 || undefined)
  const ofSlow = await send(held.port, '/history/slow/1', get({ authorization: 'Bearer history-token-of-slow' }))
  answer.resolve()

  assert.equal([ofSlow.status, reading.get('slow')], [200, 1])
  assert.ok((await Promise.all(ofAcme)).every(({ status }) => status === 200))
  await held.stop()
})

history('few histories are read at once', async () => {
  let running = 0
  let most = 0
  const { port, stop } = await start(
    {
      history: {
        has: async () => true,
        read: async () => {
          running += 1
          most = Math.max(most, running)
          await new Promise((resolve) => setTimeout(resolve, 5))
          running -= 1
          return said
        },
      },
    },
    { historiesAtOnce: { inAll: 2, ofOne: 2 } },
  )
  await Promise.all(Array.from({ length: 12 }, () => send(port, '/history/acme/2037', get())))
  assert.is(most, 2)
  await stop()
})

history.run()
