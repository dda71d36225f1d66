import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serviceAccountOf } from '../../../src/tools/simulator/account.ts'
import { startService } from '../../../src/tools/simulator/service.ts'
import { authorized, botMessage, inviteAgent, plain, providersPath, webhooksPath } from './accounts.ts'

const service = await startService({
  accounts: [serviceAccountOf(plain), serviceAccountOf(authorized)],
  acceptToken: (_, token) => token === 'access-token',
})

type Case = {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const json = { 'content-type': 'application/json' }
const bytes = (body: unknown) => (typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body))

const ask = async ({ method = 'POST', path = webhooksPath, headers = json, body = botMessage }: Case) => {
  const content = method === 'GET' ? {} : { body: bytes(body) }
  const response = await fetch(`${service.baseUrl}${path}`, { method, headers, ...content })
  const answer = (await response.json()) as { result?: string; error?: { code: string } }
  return [response.status, answer.error?.code ?? answer.result]
}

const message = (fields: object) => ({ ...botMessage, message: { ...botMessage.message, ...fields } })
const buttons = (n: number) =>
  message({
    type: 'BUTTONS',
    title: 'Which?',
    text: 'Which?',
    buttons: Array.from({ length: n }, (_, i) => ({ id: String(i), text: 'this' })),
  })
const withToken = (token: string) => ({ path: providersPath, headers: { ...json, authorization: token } })

const table: ReadonlyArray<readonly [string, Case, number, string]> = [
  ['a bot message is taken', {}, 200, 'ok'],
  ['an invitation is taken', { body: inviteAgent }, 200, 'ok'],
  [
    'application/json may have a charset',
    { headers: { 'content-type': 'application/json; charset=utf-8' } },
    200,
    'ok',
  ],
  ['an access token is requested and accepted', withToken('access-token'), 200, 'ok'],
  ['another path is malformed', { path: '/bot/bot-token-of-acme' }, 404, 'invalid_request'],
  ['a path without token is malformed', { path: '/webhooks/prov1' }, 404, 'invalid_request'],
  ['a path may be percent-encoded', { path: '/webhooks/prov1/bot%2Dtoken%2Dof%2Dacme' }, 200, 'ok'],
  ['a broken percent-encoding is malformed', { path: '/webhooks/prov1/%zz' }, 404, 'invalid_request'],
  ['a query is malformed', { path: `${webhooksPath}?a=1` }, 404, 'invalid_request'],
  ['GET is not supported', { method: 'GET' }, 405, 'invalid_request'],
  ['PUT is not supported', { method: 'PUT' }, 405, 'invalid_request'],
  ['an unknown token is refused', { path: '/webhooks/prov1/another' }, 401, 'invalid_client'],
  ['another provider has no access', { path: '/webhooks/prov2/bot-token-of-acme' }, 403, 'invalid_request'],
  ['a missing access token is refused', { path: providersPath }, 401, 'unauthorized_client'],
  ['a wrong access token is refused', withToken('another'), 401, 'unauthorized_client'],
  ['a scheme before the access token is refused', withToken('Bearer access-token'), 401, 'unauthorized_client'],
  ['authorization cannot be bypassed', { path: '/webhooks/prov2/bot-token-of-globex' }, 401, 'unauthorized_client'],
  ['no access token was agreed', { path: '/providers/prov1/bot-token-of-acme' }, 401, 'unauthorized_client'],
  ['text is not JSON', { headers: { 'content-type': 'text/plain' } }, 400, 'invalid_request'],
  ['a body that is not JSON is refused', { body: '{' }, 400, 'invalid_request'],
  ['invalid UTF-8 is refused', { body: Buffer.from('7b22ff223a317d', 'hex') }, 400, 'invalid_request'],
  ['an array is refused', { body: [] }, 400, 'invalid_request'],
  [
    'an event of the service is not supported',
    { body: { ...inviteAgent, event: 'AGENT_JOINED' } },
    405,
    'invalid_request',
  ],
  ['a missing event is refused', { body: { ...inviteAgent, event: undefined } }, 400, 'invalid_request'],
  ['a number is no chat_id', { body: { ...botMessage, chat_id: 2037 } }, 400, 'invalid_request'],
  ['a number is no client_id', { body: { ...inviteAgent, client_id: 1233 } }, 400, 'invalid_request'],
  ['a missing chat_id is refused', { body: { ...botMessage, chat_id: undefined } }, 400, 'invalid_request'],
  ['a missing client_id is refused', { body: { ...botMessage, client_id: undefined } }, 400, 'invalid_request'],
  ['a missing message is refused', { body: { ...botMessage, message: undefined } }, 400, 'invalid_request'],
  ['a timestamp as text is refused', { body: message({ timestamp: '1665415879' }) }, 400, 'invalid_request'],
  ['an unknown type of message is refused', { body: message({ type: 'IMAGE' }) }, 400, 'invalid_request'],
  ['an unknown field is refused', { body: { ...botMessage, site_id: '1' } }, 400, 'invalid_request'],
  ['an unknown field of a message is refused', { body: message({ html: '' }) }, 400, 'invalid_request'],
  ['three buttons are taken', { body: buttons(3) }, 200, 'ok'],
  ['four buttons are too many', { body: buttons(4) }, 400, 'invalid_request'],
]

const strictChecks = suite('strict checks')

for (const [name, given, status, code] of table)
  strictChecks(name, async () => {
    assert.equal(await ask(given), [status, code])
  })

strictChecks('a refusal names the field and what was expected, and changes no chat', async () => {
  const chats = service.chats()
  const response = await fetch(`${service.baseUrl}${webhooksPath}`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ ...inviteAgent, chat_id: 2037 }),
  })
  assert.equal(await response.json(), {
    error: { code: 'invalid_request', message: 'chat_id: expected text of 1 to 255 characters' },
  })
  assert.equal(service.chats(), chats)
})

strictChecks('the answer to a refused method names the supported one', async () => {
  const response = await fetch(`${service.baseUrl}${webhooksPath}`, { method: 'DELETE' })
  assert.is(response.headers.get('allow'), 'POST')
})

strictChecks.after(() => service.stop())
strictChecks.run()
