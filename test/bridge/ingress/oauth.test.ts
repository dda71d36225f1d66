import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Sent, send, start } from './harness.ts'

const id = 'guarded-client'
const secret = 'guarded secret+key/1'
const form = (fields: ReadonlyArray<readonly [string, string]>, headers = {}): Sent => ({
  body: fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'),
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
})
const json = (body: string): Sent => ({ body })
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(user)}:${encodeURIComponent(password)}`).toString('base64')}`,
})
const grant = ['grant_type', 'client_credentials'] as const
const credentials = [
  ['client_id', id],
  ['client_secret', secret],
] as const

const oauth = suite('oauth')
const { port, stop, requests } = await start()
oauth.after(stop)

const granted: Readonly<Record<string, Sent>> = {
  'a form': form([grant, ...credentials]),
  'a form with unknown parameters, and one without a value': form([
    grant,
    ...credentials,
    ['scope', ''],
    ['audience', 'x'],
  ]),
  JSON: json(JSON.stringify(Object.fromEntries([grant, ...credentials]))),
  'JSON of the type of forms': {
    body: JSON.stringify(Object.fromEntries([grant, ...credentials])),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  },
  'JSON that two proxies declared': {
    body: JSON.stringify(Object.fromEntries([grant, ...credentials])),
    headers: { 'content-type': 'application/json, application/json' },
  },
  'HTTP Basic': form([grant], basic(id, secret)),
  'HTTP Basic and the same client_id': form([grant, ['client_id', id]], basic(id, secret)),
}
for (const [name, sent] of Object.entries(granted))
  oauth(`${name} is granted a token`, async () => {
    const { status, headers, body } = await send(port, '/oauth/token', sent)
    assert.equal(body, { access_token: 'token of guarded', token_type: 'Bearer', expires_in: 5000 })
    assert.equal([status, headers['cache-control'], headers.pragma], [200, 'no-store', 'no-cache'])
    assert.match(String(headers['content-type']), /^application\/json/)
  })

type Row = readonly [status: number, error: string, sent: Sent]
const refused: Readonly<Record<string, Row>> = {
  'a wrong secret': [401, 'invalid_client', form([grant, ['client_id', id], ['client_secret', 'wrong']])],
  'an unknown client': [401, 'invalid_client', form([grant, ['client_id', 'nobody'], ['client_secret', secret]])],
  'an unknown client without a secret': [401, 'invalid_client', form([grant, ['client_id', 'nobody']])],
  'no credentials': [401, 'invalid_client', form([grant])],
  'a wrong secret in the header': [401, 'invalid_client', form([grant], basic(id, 'wrong'))],
  'a header that is not Basic': [401, 'invalid_client', form([grant], { authorization: 'Bearer x' })],
  'a header that cannot be decoded': [
    401,
    'invalid_client',
    form([grant], { authorization: `Basic ${btoa('%zz:%zz')}` }),
  ],
  'credentials in header and body': [400, 'invalid_request', form([grant, ...credentials], basic(id, secret))],
  'another client_id than the header’s': [
    400,
    'invalid_request',
    form([grant, ['client_id', 'other']], basic(id, secret)),
  ],
  'a repeated parameter': [400, 'invalid_request', form([grant, grant, ...credentials])],
  'a repeated parameter in JSON': [400, 'invalid_request', json('{"grant_type":"x","grant_type":"y"}')],
  'no grant_type': [400, 'invalid_request', form([...credentials])],
  'an empty grant_type': [400, 'invalid_request', form([['grant_type', ''], ...credentials])],
  'another grant_type': [400, 'unsupported_grant_type', form([['grant_type', 'password'], ...credentials])],
  'another content type': [400, 'invalid_request', { body: 'x', headers: { 'content-type': 'text/plain' } }],
  'no body': [400, 'invalid_request', {}],
  'an array': [400, 'invalid_request', json('[]')],
  'a number': [400, 'invalid_request', json('{"grant_type":7}')],
  'another method': [405, 'invalid_request', { method: 'GET' }],
  'too large a body': [413, 'invalid_request', json(' '.repeat(8 * 1024 + 1))],
}
for (const [name, [status, error, sent]] of Object.entries(refused))
  oauth(`${name}: ${status} ${error}`, async () => {
    const reply = await send(port, '/oauth/token', sent)
    assert.is(reply.status, status)
    assert.equal(Object.keys(Object(reply.body)), ['error', 'error_description'])
    assert.is(Object(reply.body).error, error)
    assert.not.match(reply.text, 'secret+key')
    const scheme = reply.headers['www-authenticate']
    assert.is(scheme?.includes('Basic') ?? false, status === 401 && 'authorization' in (sent.headers ?? {}))
  })

oauth('requests are measured', () => {
  assert.is(
    requests.every(([api]) => api === 'oauth'),
    true,
  )
})

oauth.run()
