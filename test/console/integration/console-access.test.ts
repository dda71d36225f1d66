import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { UnsecuredJWT } from 'jose'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { consoleSessionsIn } from '../../../src/bridge/mongo/sign-in-sessions.ts'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { newAuthority } from '../../bridge/security/certificates.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { silentLog, testDatabase } from '../../support/mongo.ts'
import { consoleServer, roleGroups } from '../server.ts'
import { type Change, oidcServer, type Person } from './oidc-server.ts'

const origin = 'https://chats.example.com'
const provider = await oidcServer(`${origin}/console/sign-in/done`)
const base = await testDatabase()
const mongo = base.connect()
await mongo.ensureIndexes()
const sessionKey = 'a key of the console, of 32 characters'
const oidc = {
  issuer: provider.issuer,
  clientId: 'livechat',
  clientSecret: 'a-secret-of-the-client',
  groupsClaim: 'groups',
}
const settings = { origin, sessionKey, oidc }
const store = mongo.query(consoleSessionsIn)
const server = await consoleServer({ settings, store })
type Console = typeof server

const ann: Person = {
  sub: 'u-1',
  email: 'ann@example.com',
  email_verified: true,
  preferred_username: 'ann',
  groups: ['lead'],
}
const host = { host: 'chats.example.com' }

const cookiesOf = (headers: Readonly<Record<string, unknown>>) =>
  [headers['set-cookie'] ?? []].flat().map((cookie) => String(cookie).split(';')[0] ?? '')
const cookieNamed = (name: string, headers: Readonly<Record<string, unknown>>) =>
  cookiesOf(headers).find((cookie) => cookie.startsWith(`${name}=`) && !cookie.endsWith('=')) ?? ''

/** Signs in until the provider sends the browser back. */
const begin = async (
  person: Person,
  { at = server, next = '' }: { readonly at?: Console; readonly next?: string } = {},
) => {
  provider.state.person = person
  const begun = await at.ask(`/console/sign-in/start?next=${encodeURIComponent(next)}`, { headers: host })
  const transaction = cookiesOf(begun.headers).find((cookie) => /^livechat_console_sign_in_[\w-]+=./.test(cookie)) ?? ''
  return { transaction, search: await provider.visit(String(begun.headers.location)) }
}
const finish = async (search: string, cookie: string, at = server) => {
  const answered = await at.ask(`/console/sign-in/done${search}`, { headers: { ...host, cookie } })
  return { ...answered, session: cookieNamed('livechat_console', answered.headers) }
}
const signIn = async (person: Person, change?: Change) => {
  provider.state.change = change
  const { transaction, search } = await begin(person)
  const finished = await finish(search, transaction)
  provider.state.change = undefined
  return finished
}
const sessionOf = async (cookie: string, at = server) =>
  at.ask('/console/api/session', { headers: { ...host, cookie } })
const nobody = async (answered: Awaited<ReturnType<typeof signIn>>, status: number, words: string) => {
  assert.equal([answered.status, answered.session], [status, ''])
  assert.match(answered.text, words)
  assert.is(await base.db.collection('console_sessions').countDocuments({ who: 'ann@example.com' }), 0)
}

const access = suite('access to the console')

access.before.each(async () => {
  await base.db.collection('console_sessions').deleteMany({})
})

access('a user who signs in at the provider has the roles of the groups, and gets to the requested page', async () => {
  const page = '/console/accounts/acme/conversations/2037?tab=raw'
  const { transaction, search } = await begin(ann, { next: page })
  const finished = await finish(search, transaction)
  assert.equal([finished.status, finished.headers.location], [303, page])
  const now = (account: string) =>
    server.ask(`/console/api/accounts/${account}/now`, { headers: { ...host, cookie: finished.session } })
  assert.equal([(await now('acme')).status, (await now('other')).status], [200, 404])
  const [stored] = await base.db.collection('console_sessions').find().toArray()
  assert.equal([stored?.who, stored?.groups], ['ann@example.com', ['lead']])
})

access('a sign-in never redirects to another site', async () => {
  for (const next of [
    'https://evil.example/console/',
    '//evil.example/console/',
    '/\\evil.example/console/',
    '/metrics',
  ]) {
    const { transaction, search } = await begin(ann, { next })
    assert.is((await finish(search, transaction)).headers.location, '/console/', next)
  }
})

access('an unverified address identifies nobody', async () => {
  const { email_verified, preferred_username, ...unknown } = ann
  await signIn({ ...ann, email_verified: false })
  await signIn({ ...unknown, sub: 'u-2' })
  await signIn({ ...unknown, sub: 'u-3', email: 'kim@example.com', email_verified: 'true' as never })
  const stored = await base.db.collection('console_sessions').find().toArray()
  assert.equal(stored.map(({ who }) => who).sort(), ['ann', 'kim@example.com', 'u-2'])
})

access('a user without a role sees that', async () => {
  await nobody(await signIn({ ...ann, groups: ['accountants'] }), 403, 'You have no role here')
  const { groups, ...without } = ann
  await nobody(await signIn(without), 403, 'You have no role here')
})

const hour = 3600
const now = () => Math.floor(Date.now() / 1000)
const wrong: Readonly<Record<string, Change>> = {
  'of another issuer': { claims: (claims) => ({ ...claims, iss: 'https://evil.example' }) },
  'for another client': { claims: (claims) => ({ ...claims, aud: 'another' }) },
  'that has expired': { claims: (claims) => ({ ...claims, iat: now() - 2 * hour, exp: now() - hour }) },
  'with another nonce': { claims: (claims) => ({ ...claims, nonce: 'another' }) },
  'without a nonce': { claims: ({ nonce, ...claims }) => claims },
  'of another signer': { byStranger: true },
  'that was changed after it was signed': {
    token: (token) => {
      const [head, body = '', signature] = token.split('.')
      const claims = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), sub: 'u-9' }
      return [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
    },
  },
  'without a signature': {
    token: (token) =>
      new UnsecuredJWT(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).encode(),
  },
  'that is none': { token: () => 'none' },
}
for (const [which, change] of Object.entries(wrong))
  access(`an ID token ${which} signs nobody in`, async () => {
    await nobody(await signIn(ann, change), 403, 'You are not signed in')
  })

access('the same tokens sign in if they are valid', async () => {
  assert.is((await signIn(ann, { claims: (claims) => claims })).status, 303)
})

access('a code and its state work once, and for the browser that asked for them', async () => {
  const { transaction, search } = await begin(ann)
  await nobody(await finish(search, ''), 400, 'This sign-in has ended')
  await nobody(await finish(search, (await begin(ann)).transaction), 403, 'You are not signed in')
  const other = new URLSearchParams(search)
  other.set('state', 'another')
  await nobody(await finish(`?${other}`, transaction), 403, 'You are not signed in')
  assert.is((await finish(search, transaction)).status, 303)
  await base.db.collection('console_sessions').deleteMany({})
  await nobody(await finish(search, transaction), 403, 'You are not signed in')
})

access('the answer of another provider is refused', async () => {
  const { transaction, search } = await begin(ann)
  const mixedUp = new URLSearchParams(search)
  mixedUp.set('iss', 'https://evil.example')
  await nobody(await finish(`?${mixedUp}`, transaction), 403, 'You are not signed in')
})

access('the cookie of a running sign-in lasts ten minutes, and cannot be changed or read', async () => {
  const { transaction, search } = await begin(ann)
  await nobody(await finish(search, `${transaction}x`), 400, 'This sign-in has ended')
  assert.not.match(Buffer.from(transaction, 'base64url').toString('latin1'), 'state')
  const late = await consoleServer({ settings, store })
  late.at.ms = Date.now() + 10 * 60_000 + 1000
  await nobody(await finish(search, transaction, late), 400, 'This sign-in has ended')
  await late.stop()
})

const { port: providersPort } = new URL(provider.issuer)
const page = createServer((_, res) => res.setHeader('Content-Type', 'text/html').end('<h1>Welcome</h1>'))
const authority = await newAuthority(temporaryFolder(), 'company')
const privately = createTlsServer(await authority.forLocalhost('identity'))
for (const each of [page, privately]) await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve))
const portOf = (server: Server) => (server.address() as AddressInfo).port
const away = `127.0.0.1:${await anyFree()}`

const unusable: ReadonlyArray<readonly [title: string, issuer: string, code: string, reason: string]> = [
  ['that is away', `http://${away}`, 'ECONNREFUSED', `nothing listens at ${away}: see CONSOLE_OIDC_ISSUER`],
  [
    'that is not known',
    'https://login.invalid',
    'ENOTFOUND',
    'the host name of login.invalid is not known: see CONSOLE_OIDC_ISSUER',
  ],
  [
    'that is a page',
    `http://127.0.0.1:${portOf(page)}`,
    'OAUTH_RESPONSE_IS_NOT_JSON',
    'answers with a page, not as an identity provider: see CONSOLE_OIDC_ISSUER',
  ],
  [
    'of a private authority',
    `https://localhost:${portOf(privately)}`,
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'not signed by an authority in NODE_EXTRA_CA_CERTS',
  ],
  [
    'with another issuer name',
    `http://localhost:${providersPort}`,
    'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
    'CONSOLE_OIDC_ISSUER must be exactly as its metadata has it',
  ],
]
for (const [title, issuer, code, reason] of unusable)
  access(`with a provider ${title}, page and log say the code and the setting`, async () => {
    const logged: object[] = []
    const misled = await consoleServer({
      settings: { ...settings, oidc: { ...oidc, issuer } },
      store,
      log: { ...silentLog, warn: (fields) => logged.push(fields) },
    })
    const { status, text } = await misled.ask('/console/sign-in/start', { headers: host })
    for (const told of [text, JSON.stringify(logged)]) for (const words of [code, reason]) assert.match(told, words)
    assert.is(status, 503)
    await misled.stop()
  })

access('while the provider is unavailable, nobody can sign in; sessions continue', async () => {
  const { session } = await signIn(ann)
  const { transaction, search } = await begin(ann)
  const late = await consoleServer({ settings, store })
  provider.state.answers = false
  for (const at of [server, late]) assert.is((await finish(search, transaction, at)).status, 503)
  assert.is((await late.ask('/console/sign-in/start', { headers: host })).status, 503)
  assert.is((await sessionOf(session)).status, 200)
  provider.state.answers = true
  assert.is((await late.ask('/console/sign-in/start', { headers: host })).status, 303, 'it is asked again')
  await late.stop()
})

access('a revoked session ends at once, in other processes too', async () => {
  const { session } = await signIn(ann)
  const beside = await consoleServer({ settings, store: base.connect().query(consoleSessionsIn) })
  assert.equal([(await sessionOf(session)).status, (await sessionOf(session, beside)).status], [200, 200])
  await base.db.collection('console_sessions').deleteMany({})
  assert.equal([(await sessionOf(session)).status, (await sessionOf(session, beside)).status], [401, 401])
  await beside.stop()
})

access('two tabs can sign in at the same time', async () => {
  const [first, second] = [await begin(ann), await begin(ann)]
  const both = `${first.transaction}; ${second.transaction}`
  const answers = [await finish(second.search, both), await finish(first.search, both)]
  assert.equal(
    answers.map(({ status, session }) => [status, session !== '']),
    [
      [303, true],
      [303, true],
    ],
  )
})

access('an empty user name is no name: the subject is in the audit log', async () => {
  const before = server.audit.actions.length
  await signIn({ sub: 'u-7', preferred_username: '', groups: ['lead'] })
  await eventually('the record', () => server.audit.actions.length > before)
  assert.equal(server.audit.actions.at(-1), { who: 'u-7', action: 'sign-in', command: 'with OpenID Connect' })
})

access('a user without a role sees which groups the provider sent', async () => {
  const { status, text } = await signIn({ ...ann, groups: ['accountants', '<b>'] })
  assert.is(status, 403)
  assert.match(text, 'sent these groups: accountants, &lt;b&gt;.')
  assert.match((await signIn({ ...ann, groups: [] })).text, 'sent no groups')
})

access('the groups are in the claim that the setting names', async () => {
  const named = { ...settings, oidc: { ...oidc, groupsClaim: 'cognito:groups' } }
  const other = await consoleServer({ settings: named, store })
  const { transaction, search } = await begin({ ...ann, groups: ['accountants'] }, { at: other })
  provider.state.change = { claims: (claims) => ({ ...claims, 'cognito:groups': ['lead'] }) }
  const finished = await finish(search, transaction, other)
  provider.state.change = undefined
  assert.is(finished.status, 303)
  const [stored] = await base.db.collection('console_sessions').find().toArray()
  assert.equal(stored?.groups, ['lead'])
  await other.stop()
})

for (const overage of [{ _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } }, { hasgroups: true }])
  access(`groups that do not fit into a token are told: ${Object.keys(overage)[0]}`, async () => {
    const { groups, ...without } = ann
    const answered = await signIn(without, { claims: (claims) => ({ ...claims, ...overage }) })
    await nobody(answered, 403, 'You have too many groups')
    assert.match(answered.text, 'only the groups that are assigned to this application')
  })

access('removed grants also apply to existing sessions', async () => {
  const { session } = await signIn({ ...ann, groups: ['lead', 'viewer'] })
  const fewer = await consoleServer({
    settings: { ...settings, grants: roleGroups.filter(({ role }) => role === 'viewer') },
    store,
  })
  const none = await consoleServer({ settings: { ...settings, grants: [] }, store })
  const unmask = async (at: Console) => {
    const { text } = await at.ask('/console/api/session', { headers: { ...host, cookie: session } })
    const { csrf = '' } = JSON.parse(text)
    const headers = { ...host, cookie: session, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const sent = { method: 'POST', headers: { ...headers, 'x-csrf-token': csrf }, body: '{}' }
    return (await at.ask('/console/api/accounts/acme/conversations/2037/unmask', sent)).status
  }
  assert.equal([await unmask(server), await unmask(fewer)], [200, 403])
  assert.is((await sessionOf(session, none)).status, 403)
  await Promise.all([fewer.stop(), none.stop()])
})

access('if many use a link at the same time, only one is signed in', async () => {
  const link = await server.link()
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await server.useLink(link)).status))
  assert.equal(statuses.sort(), [303, ...Array(19).fill(403)])
})

access('MongoDB deletes expired sessions and links', async () => {
  for (const name of ['console_sessions', 'console_links']) {
    const indexes = await base.db.collection(name).indexes()
    assert.equal(
      indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds === 0).map(({ key }) => key),
      [{ expiresAt: 1 }],
    )
  }
})

access('a session remembers which chats are unmasked, the newest 200', async () => {
  const { session } = await signIn(ann)
  const [stored] = await base.db.collection('console_sessions').find().toArray()
  const until = new Date(Date.now() + 60_000)
  for (let i = 0; i < 201; i++) await store.unmask(String(stored?._id), { accountId: 'acme', chatId: String(i), until })
  const found = await store.find(String(stored?._id), new Date())
  assert.equal([found?.unmasked.length, found?.unmasked[0]?.chatId, found?.unmasked.at(-1)?.until], [200, '1', until])
  assert.is((await sessionOf(session)).status, 200)
})

access.after(async () => {
  for (const each of [page, privately]) each.close()
  await Promise.all([server.stop(), provider.stop()])
  await base.drop()
})

access.run()
