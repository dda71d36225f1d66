import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { consoleRoles } from '../../src/bridge/domain/accounts.ts'
import { type ConsoleRoute, rolesOf, routeNames as routes } from '../../src/console/routes.ts'
import { consoleServer } from './server.ts'

const server = await consoleServer()

const methodOf = (route: ConsoleRoute) => route.slice(0, route.indexOf(' '))
const pathOf = (route: ConsoleRoute, account: string) =>
  `/console${route
    .slice(route.indexOf(' ') + 1)
    .replace(':account', account)
    .replace(':chat', '2037')}`
const call = (route: ConsoleRoute, account: string, headers: Readonly<Record<string, string>>) => {
  const method = methodOf(route)
  return server.ask(pathOf(route, account), { method, headers, ...(method === 'POST' && { body: '{"a":1}' }) })
}
type Sent = { readonly headers: Readonly<Record<string, string>> }
const answersOf = async (account: string, { headers }: Sent) =>
  Promise.all(routes.map(async (route) => [route, (await call(route, account, headers)).status] as const))

const roles = suite('roles of the console')

roles('each role can use the routes that the table gives it, and no other', async () => {
  for (const role of consoleRoles) {
    const allowed = (route: ConsoleRoute) => rolesOf(route).some((each) => each === role)
    assert.equal(
      await answersOf('acme', await server.signIn([role])),
      routes.map((route) => [route, allowed(route) ? 200 : 403]),
      role,
    )
  }
})

roles('an account without a grant is answered like one that does not exist', async () => {
  const withoutAccount = routes.filter((route) => !route.includes(':account'))
  for (const role of consoleRoles) {
    const caller = await server.signIn([role])
    for (const account of ['other', 'nobody', '__proto__'])
      assert.equal(
        await answersOf(account, caller),
        routes.map((route) => [route, withoutAccount.includes(route) ? 200 : 404]),
        `${role} ${account}`,
      )
    const [other, nobody] = await Promise.all(
      ['other', 'nobody'].map((account) => call('GET /api/accounts/:account/now', account, caller.headers)),
    )
    assert.is(other?.text, nobody?.text)
  }
})

roles('an unknown account is answered with a similar one that the session may see', async () => {
  const { headers } = await server.signIn(['viewer'])
  const said = async (account: string) => {
    const { status, text } = await call('GET /api/accounts/:account/now', account, headers)
    return [status, JSON.parse(text).error.message]
  }
  assert.equal(
    [await said('acne'), await said('othe')],
    [
      [404, 'account: expected one that you may see. Did you mean acme?'],
      [404, 'account: expected one that you may see.'],
    ],
  )
})

roles('nobody without a session or without a role can use any route', async () => {
  const none = { headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' } }
  const status = (of: number) => routes.map((route) => [route, of])
  assert.equal(await answersOf('acme', none), status(401))
  const stranger = await server.signIn(['accountants'])
  const answers = await answersOf('acme', stranger)
  assert.equal(
    answers,
    routes.map((route) => [route, route.includes(':account') ? 404 : 403]),
  )
})

roles('a sign-in link is for every role and every account', async () => {
  for (const account of ['acme', 'other'])
    assert.equal(
      await answersOf(account, await server.signIn()),
      routes.map((route) => [route, 200]),
    )
})

roles('the routes that only some roles may use', () => {
  const beyond = (role: string) =>
    routes.filter(
      (route) => rolesOf(route).length < consoleRoles.length && rolesOf(route).some((each) => each === role),
    )
  assert.equal(beyond('viewer'), [])
  assert.equal(beyond('lead'), [
    'POST /api/accounts/:account/conversations/:chat/unmask',
    'POST /api/accounts/:account/record',
    'POST /api/accounts/:account/statistics/names',
  ])
  for (const route of beyond('operator')) assert.match(route, /drift\/unmask|dead-letters|quarantine|operation|rebuild/)
  assert.equal(
    routes.filter((route) => route.startsWith('POST') && rolesOf(route).some((role) => role === 'viewer')),
    [],
  )
})

roles('a removed role is refused from the next request on', async () => {
  const caller = await server.signIn(['operator'])
  const look = async () => (await call('POST /api/accounts/:account/dead-letters/show', 'acme', caller.headers)).status
  assert.is(await look(), 200)
  caller.give(['viewer'])
  assert.is(await look(), 403)
  caller.give([])
  assert.is(await look(), 404)
})

roles('a handler gets the account, the chat and the body that were sent', async () => {
  const { headers } = await server.signIn(['lead'])
  const path = `/console/api/accounts/acme/conversations/${encodeURIComponent('a/b c')}/unmask`
  const { text } = await server.ask(path, { method: 'POST', headers, body: '{"why":"he asked"}' })
  assert.equal(JSON.parse(text), {
    route: 'POST /api/accounts/:account/conversations/:chat/unmask',
    accountId: 'acme',
    chatId: 'a/b c',
    body: { why: 'he asked' },
  })
})

roles.after(server.stop)

roles.run()
