import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Ctx } from '../../src/bridge/http/answer.ts'
import { isLocal } from '../../src/console/access/guard.ts'
import { eventually } from '../support/eventually.ts'
import { consoleServer } from './server.ts'

const server = await consoleServer({ settings: { origin: 'https://chats.example.com' } })
const { port } = new URL(server.url)
const { headers } = await server.signIn(['lead'])
const now = '/console/api/accounts/acme/now'
const record = '/console/api/accounts/acme/record'
const status = async (path: string, others: Readonly<Record<string, string>>, method = 'GET') => {
  const sent = Object.fromEntries(Object.entries({ ...headers, ...others }).filter(([, value]) => value !== ''))
  return (await server.ask(path, { method, headers: sent, ...(method === 'POST' && { body: '{}' }) })).status
}

const guard = suite('the guard of the console')

guard('a host name that is not its own is refused everywhere, since DNS of an attacker may point it here', async () => {
  for (const path of [
    '/console',
    '/console/',
    '/console/files/any/app.js',
    '/console/sign-in',
    now,
    '/console/nothing',
  ])
    for (const host of [`evil.example:${port}`, 'evil.example', '127.0.0.1', `127.0.0.1:${Number(port) - 1}`, 'a b'])
      assert.is((await server.ask(path, { headers: { ...headers, host } })).status, 421, `${path} ${host}`)
})

guard('its own host names are loopback with its port and the one of CONSOLE_URL', async () => {
  for (const host of [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `[::1]:${port}`,
    'chats.example.com',
    'chats.example.com:443',
  ])
    assert.is(await status(now, { host }), 200, host)
})

guard('a foreign Origin is refused', async () => {
  const origins = ['https://evil.example', 'null', 'http://chats.example.com', 'https://chats.example.com']
  for (const origin of origins)
    for (const [path, method] of [
      [now, 'GET'],
      [record, 'POST'],
    ] as const)
      assert.is(await status(path, { origin }, method), 403, `${method} ${origin}`)
  assert.is(await status(record, { origin: server.url }, 'POST'), 200)
  assert.is(await status(record, { origin: 'https://chats.example.com', host: 'chats.example.com' }, 'POST'), 200)
})

guard(
  'a request that changes something must come from a page of the console, with the CSRF token of its session',
  async () => {
    assert.is(await status(record, {}, 'POST'), 200)
    assert.is(await status(record, { 'sec-fetch-site': 'cross-site' }, 'POST'), 403)
    assert.is(await status(record, { 'sec-fetch-site': 'same-site' }, 'POST'), 403)
    assert.is(await status(record, { 'sec-fetch-site': 'none' }, 'POST'), 403)
    assert.is(await status(record, { 'sec-fetch-site': '' }, 'POST'), 403)
    assert.is(await status(record, { 'sec-fetch-site': '', origin: server.url }, 'POST'), 200)
    assert.is(await status(record, { 'x-csrf-token': '' }, 'POST'), 403)
    const other = await server.signIn(['lead'])
    assert.is(await status(record, { 'x-csrf-token': other.csrf }, 'POST'), 403)
    assert.is(await status(record, { 'content-type': 'text/plain' }, 'POST'), 415)
  },
)

guard('the API refuses requests from pages of other sites; links from other sites to its pages work', async () => {
  assert.is(await status(now, { 'sec-fetch-site': 'cross-site' }), 403)
  assert.is(await status('/console/sign-in', { 'sec-fetch-site': 'cross-site' }), 200)
})

guard('a route accepts one method only', async () => {
  for (const method of ['HEAD', 'PUT', 'DELETE', 'OPTIONS']) assert.is(await status(now, {}, method), 405, method)
  assert.is(await status(record, {}), 405)
})

guard('every answer has the policy, and answers of the API are never cached', async () => {
  for (const path of ['/console/sign-in', now, '/console/api/none', '/console/none.ts', '/console/api/session']) {
    const { headers: sent } = await server.ask(path, { headers })
    assert.is(
      sent['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    assert.equal([sent['x-content-type-options'], sent['cache-control']], ['nosniff', 'no-store'], path)
  }
})

guard('a body that is too large or is not JSON is refused', async () => {
  const send = (body: string) => server.ask(record, { method: 'POST', headers, body })
  assert.is((await send('x'.repeat(70_000))).status, 413)
  assert.equal(JSON.parse((await send('{"a":1,"a":2}')).text).error.message, 'a: expected one value, not several')
})

guard('a request is local if its socket and its host name are local and no proxy forwarded it', () => {
  const local = (remoteAddress: string, sent: Readonly<Record<string, string>>) =>
    isLocal({
      get: (name: string) => sent[name] ?? '',
      req: { socket: { remoteAddress, localPort: 8081 } },
    } as unknown as Ctx)
  assert.ok(local('127.0.0.1', { host: '127.0.0.1:8081' }))
  assert.ok(local('::1', { host: 'localhost:8081' }))
  assert.ok(local('::ffff:127.0.0.1', { host: 'localhost:8081' }))
  assert.not(local('10.0.0.7', { host: '127.0.0.1:8081' }))
  assert.not(local('127.0.0.1', { host: 'chats.example.com' }))
  assert.not(local('127.0.0.1', { host: '127.0.0.1:8081', 'x-forwarded-for': '10.0.0.7' }))
  assert.not(local('127.0.0.1', { host: '127.0.0.1:8081', forwarded: 'for=10.0.0.7' }))
})

const live = '/console/api/accounts/acme/conversations/2037/live'
const endless = {
  'GET /api/accounts/:account/conversations/:chat/live': async () => ({
    _tag: 'Right' as const,
    right: {
      status: 200 as const,
      type: 'text/event-stream' as const,
      stream: (async function* () {
        yield 'data: 1\n\n'
        await new Promise(() => {})
      })(),
    },
  }),
}

guard('a stream ends when its session is revoked, loses its role, or the bridge stops', async () => {
  const streams = await consoleServer({ handlers: endless, checkMs: 20 })
  const ends = async (end: (caller: Awaited<ReturnType<typeof streams.signIn>>) => void) => {
    const caller = await streams.signIn(['viewer'])
    const answered = streams.ask(live, { headers: caller.headers })
    let isOver = false
    void answered.then(() => (isOver = true))
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.not(isOver, 'it goes on while the session does')
    end(caller)
    await eventually('the end of the stream', () => isOver)
    const { headers: sent, text } = await answered
    assert.equal([sent['content-type'], text], ['text/event-stream', ':\n\ndata: 1\n\n'])
  }
  await ends(({ revoke }) => revoke())
  await ends(({ give }) => give(['lead of nothing']))
  await ends(() => {
    streams.state.away = true
  })
  streams.state.away = false
  await ends(() => streams.stopping.abort())
  await streams.stop()
})

guard.after(server.stop)

guard.run()
