import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { consoleKeys, hashOf, keyOfDataDir } from '../../src/console/access/keys.ts'
import { makeLink } from '../../src/console/access/link.ts'
import { notSafe } from '../../src/console/not-safe.ts'
import { isWithoutMongo, routeNames } from '../../src/console/routes.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { consoleServer } from './server.ts'

const server = await consoleServer()
const minute = 60_000

const signIn = suite('sign-in')

signIn('a link shows a button, which signs in the user once', async () => {
  const link = await server.link()
  const looked = await server.ask(link.slice(server.url.length))
  assert.is(looked.status, 200)
  assert.match(looked.text, '<form method="post" action="/console/sign-in">')
  const used = await server.useLink(link)
  assert.equal([used.status, used.headers.location], [303, '/console/'])
  const again = await server.useLink(link)
  assert.equal([again.status, again.headers['set-cookie']], [403, undefined])
  assert.match(again.text, 'works once, for ten minutes')
})

signIn('a sign-in is recorded on the audit log, and is possible while nothing can be recorded', async () => {
  const before = server.audit.actions.length
  await server.useLink(await server.link())
  await eventually('the record', () => server.audit.actions.length > before)
  assert.equal(server.audit.actions.at(-1), { who: 'ann@desk', action: 'sign-in', command: 'with a sign-in link' })
  server.audit.isAway = true
  assert.is((await server.useLink(await server.link())).status, 303)
  server.audit.isAway = false
})

signIn('the cookie is limited to this path, and hidden from scripts and other sites', async () => {
  const { headers } = await server.useLink(await server.link())
  assert.match(
    String(headers['set-cookie']),
    /^livechat_console=[\w-]{43}; Path=\/console; Max-Age=28800; HttpOnly; Secure; SameSite=Lax$/,
  )
})

signIn('neither cookies nor links can be read from the store', async () => {
  const link = await server.link()
  const token = new URL(link).searchParams.get('token') ?? ''
  const { cookie } = await server.signIn()
  const stored = JSON.stringify([...server.links, ...server.sessions])
  assert.match(stored, hashOf(token))
  assert.not.match(stored, token)
  assert.not.match(stored, cookie.slice('livechat_console='.length))
})

signIn('a link lasts ten minutes', async () => {
  const link = await server.link()
  server.at.ms += 10 * minute - 1
  const almost = await server.link()
  server.at.ms += 1
  assert.is((await server.useLink(link)).status, 403)
  assert.is((await server.useLink(almost)).status, 303)
})

signIn('a link works on this machine only, and requests from elsewhere do not use it up', async () => {
  const link = await server.link()
  const elsewhere = { 'x-forwarded-for': '10.0.0.7' }
  assert.is((await server.ask(link.slice(server.url.length), { headers: elsewhere })).status, 403)
  assert.is((await server.useLink(link, elsewhere)).status, 403)
  assert.is((await server.useLink(link)).status, 303)
})

signIn('a request from elsewhere is refused before its body has arrived', async () => {
  const { hostname, port } = new URL(server.url)
  const headers = { 'content-length': '100', 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '10.0.0.7' }
  const sent = request({ hostname, port, path: '/console/sign-in', method: 'POST', headers })
  sent.on('error', () => {}).flushHeaders()
  const [answer]: ReadonlyArray<IncomingMessage> = await once(sent, 'response', { signal: AbortSignal.timeout(3_000) })
  assert.is(answer?.statusCode, 403)
  sent.destroy()
})

signIn('a request with a link from a page of another site is refused', async () => {
  const link = await server.link()
  assert.is((await server.useLink(link, { 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.is((await server.useLink(link, { origin: 'https://evil.example' })).status, 403)
})

signIn('a session that a link started works on this machine only', async () => {
  const { headers } = await server.signIn('link')
  const asked = (others: object) => server.ask('/console/api/session', { headers: { ...headers, ...others } })
  assert.is((await asked({})).status, 200)
  assert.is((await asked({ 'x-forwarded-for': '10.0.0.7' })).status, 401)
})

signIn('a session lasts eight hours', async () => {
  const { headers } = await server.signIn()
  const status = async () => (await server.ask('/console/api/session', { headers })).status
  server.at.ms += 8 * 60 * minute - 1
  assert.is(await status(), 200)
  server.at.ms += 1
  assert.is(await status(), 401)
})

signIn('a sign-out ends the session, and another site cannot cause it', async () => {
  const { headers, cookie } = await server.signIn()
  const out = (given: Readonly<Record<string, string>>) =>
    server.ask('/console/sign-out', { method: 'POST', headers: given })
  assert.is((await out({ cookie, 'sec-fetch-site': 'same-origin' })).status, 403)
  assert.is((await server.ask('/console/api/session', { headers })).status, 200)
  const { status, headers: sent } = await out(headers)
  assert.is(status, 204)
  assert.match(String(sent['set-cookie']), /^livechat_console=; Path=\/console; Max-Age=0;/)
  assert.is((await server.ask('/console/api/session', { headers })).status, 401)
})

signIn('a new sign-in ends the previous session of the browser', async () => {
  const { cookie } = await server.signIn()
  await server.useLink(await server.link(), { cookie })
  assert.is((await server.ask('/console/api/session', { headers: { cookie } })).status, 401)
})

signIn('while MongoDB is unavailable, the answer says so in words', async () => {
  const { headers } = await server.signIn()
  const link = await server.link()
  server.state.away = true
  const api = await server.ask('/console/api/accounts/acme/now', { headers })
  const used = await server.useLink(link)
  server.state.away = false
  assert.equal([api.status, JSON.parse(api.text).error.message], [503, 'The database does not answer.'])
  assert.is(used.status, 503)
  assert.match(used.text, 'MongoDB does not respond, so sessions cannot be read')
})

signIn(
  'while MongoDB is unavailable, a session that was read before has the frame of the pages, and no data',
  async () => {
    const paths = ['session', 'accounts/acme/strip', 'system', 'accounts/acme/now', 'accounts/acme/conversations/2037']
    const statuses = async (headers: Readonly<Record<string, string>>) =>
      Promise.all(paths.map(async (path) => (await server.ask(`/console/api/${path}`, { headers })).status))
    const { headers, cookie } = await server.signIn()
    const gone = await server.signIn()
    await server.ask('/console/sign-out', { method: 'POST', headers: gone.headers })
    const page = async (given: Readonly<Record<string, string>>) =>
      (await server.ask('/console/accounts/acme/now', { headers: given })).text
    server.state.away = true
    assert.equal(await statuses(headers), [200, 200, 200, 503, 503])
    assert.match(await page({ cookie }), '"who":"ann@desk"')
    for (const [what, other] of [
      ['a session that this process has not read', { cookie: 'livechat_console=unknown' }],
      ['a session that was ended', { cookie: gone.cookie }],
      ['a session of a sign-in link, from elsewhere', { cookie, 'x-forwarded-for': '10.0.0.7' }],
    ] as const) {
      assert.equal(await statuses(other), [503, 503, 503, 503, 503], what)
      assert.not.match(await page(other), '"who"', what)
    }
    server.at.ms += 8 * 60 * minute
    assert.equal(await statuses(headers), [503, 503, 503, 503, 503], 'an expired session')
    server.state.away = false
  },
)

signIn(
  'while MongoDB is unavailable, what changes something or has personal data needs a session that is read now',
  () => {
    assert.equal(routeNames.filter(isWithoutMongo), [
      'GET /api/session',
      'GET /api/accounts/:account/strip',
      'GET /api/system',
    ])
  },
)

signIn('an address that sends many wrong links has to wait, and a right link of it works', async () => {
  const wrong = `${server.url}/console/sign-in?token=wrong`
  const statuses = []
  for (let i = 0; i < 120; i++) statuses.push((await server.useLink(wrong)).status)
  assert.equal([statuses[0], statuses.at(-1)], [403, 429])
  assert.is((await server.useLink(await server.link())).status, 303)
  server.at.ms += 10 * minute
  assert.is((await server.useLink(await server.link())).status, 303)
})

signIn('without a session, a user is redirected to the sign-in, and afterwards to the requested page', async () => {
  const { status, headers } = await server.ask('/console/accounts/acme/conversations/2037?tab=raw')
  assert.equal(
    [status, headers.location],
    [303, '/console/sign-in?next=%2Fconsole%2Faccounts%2Facme%2Fconversations%2F2037%3Ftab%3Draw'],
  )
})

signIn('the key of a DATA_DIR is created once, readable by this user only', () => {
  const folder = temporaryFolder()
  const key = keyOfDataDir(folder)
  assert.is(keyOfDataDir(folder), key)
  const path = join(folder, 'console-key')
  assert.ok(existsSync(path) && readFileSync(path, 'utf8') === key)
  assert.is(statSync(path).mode & 0o777, 0o600)
  assert.not.equal(consoleKeys(key).storedId('a'), consoleKeys(`${key}x`).storedId('a'))
})

signIn('a link leads to loopback, and is not created if the bridge listens on another address', async () => {
  const store = { addLink: async () => {} }
  const link = (adminUrl: string) => makeLink({ store, clock: () => new Date() }, adminUrl, '/console', 'ann@desk')
  assert.match(
    (await link('http://0.0.0.0:8081')) ?? '',
    /^http:\/\/127\.0\.0\.1:8081\/console\/sign-in\?token=[\w-]{43}$/,
  )
  assert.is(await link('http://10.0.0.7:8081'), undefined)
})

signIn('without a provider the console listens on loopback only', () => {
  const settings = { basePath: '/console', grants: [] }
  assert.is(notSafe(settings, '127.0.0.1'), undefined)
  assert.is(notSafe(settings, 'localhost'), undefined)
  assert.match(notSafe(settings, '0.0.0.0') ?? '', 'CONSOLE_OIDC_')
  const oidc = { issuer: 'https://login.example.com', clientId: 'a', groupsClaim: 'groups', clientSecret: 'b' }
  assert.is(notSafe({ ...settings, oidc }, '0.0.0.0'), undefined)
})

signIn.after(server.stop)

signIn.run()
