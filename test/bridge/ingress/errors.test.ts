import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { refusalOfSize } from '../../../src/bridge/ingress/admission.ts'
import { sample } from '../../support/samples.ts'
import { accounts, type Sent, send, start } from './harness.ts'

const accepted = sample('webhooks', 'chat_accepted')
const message = sample('bot-api', 'CLIENT_MESSAGE')
const hooks = '/webhooks/webhooks-token-acme'
const bot = '/bot/bot-token-of-acme'
const guarded = '/bot/bot-token-guarded'
const large = `{"event_name":"${'x'.repeat(8 * 1024 * 1024)}"}`
const nested = `{"a":${'['.repeat(32)}${']'.repeat(32)}}`
const json = 'application/json'
const as = (contentType: string, body: string | Buffer, more = {}) => ({
  body,
  headers: { 'content-type': contentType, ...more },
})

type Row = readonly [name: string, path: string, sent: Sent, status: number, code: string, message: string]

/** Every error that a caller can get; `message` is a part of the answer's message. */
const rows: ReadonlyArray<Row> = [
  ['an unknown token', '/webhooks/webhooks-token-of-nobody', { body: accepted }, 401, 'invalid_client', 'path'],
  ['an unknown bot token', '/bot/bot-token-of-nobody', { body: message }, 401, 'invalid_client', 'path'],
  ['the other interface’s token', '/bot/webhooks-token-acme', { body: message }, 401, 'invalid_client', 'path'],
  ['no Authorization', guarded, { body: message }, 401, 'unauthorized_client', 'Authorization'],
  [
    'a wrong Authorization',
    guarded,
    as('application/json', message, { authorization: 'Bearer token of acme' }),
    401,
    'unauthorized_client',
    'Authorization',
  ],
  [
    'an empty Bearer',
    guarded,
    as('application/json', message, { authorization: 'Bearer' }),
    401,
    'unauthorized_client',
    'Authorization',
  ],
  ['no body', hooks, {}, 415, 'invalid_request', 'Content-Type'],
  ['an empty body', hooks, { body: '' }, 400, 'invalid_request', 'body: expected JSON'],
  ['not JSON', hooks, { body: '{"event_name":' }, 400, 'invalid_request', 'body: expected JSON'],
  ['not JSON, for a bot', bot, { body: 'event=CLIENT_MESSAGE' }, 400, 'invalid_request', 'body: expected JSON'],
  ['not an object', hooks, { body: `[${accepted}]` }, 400, 'invalid_request', 'body: expected an object'],
  ['no event_name', hooks, { body: '{}' }, 400, 'invalid_request', 'event_name: expected text'],
  ['no event', bot, { body: '{}' }, 400, 'invalid_request', 'event: expected text'],
  [
    'a wrong field',
    hooks,
    { body: accepted.replace('2037', '2037.5') },
    400,
    'invalid_request',
    'chat_id: expected an integer or text',
  ],
  [
    'several wrong fields',
    bot,
    { body: '{"event":"INVITE_AGENT","client_id":{}}' },
    400,
    'invalid_request',
    'id: expected an integer or text; chat_id: expected an integer or text',
  ],
  [
    'invalid UTF-8',
    hooks,
    { body: Buffer.from([0x7b, 0xff, 0x7d]) },
    400,
    'invalid_request',
    'body: expected valid UTF-8',
  ],
  ['nested too deep', hooks, { body: nested }, 400, 'invalid_request', 'body: expected JSON nested at most 32 deep'],
  [
    'a repeated key',
    bot,
    { body: message.replace('{', '{"chat_id":"1",') },
    400,
    'invalid_request',
    'chat_id: expected one value, not several',
  ],
  ['an unknown path', '/nothing', { body: accepted }, 404, 'invalid_request', 'unknown path'],
  ['a path without token', '/webhooks', { body: accepted }, 404, 'invalid_request', 'unknown path'],
  ['a path with more than a token', `${hooks}/more`, { body: accepted }, 401, 'invalid_client', 'path'],
  ['another method', hooks, { method: 'GET' }, 405, 'invalid_request', 'method: expected POST'],
  [
    'another method with an unknown token',
    '/bot/bot-token-of-nobody',
    { method: 'PUT', body: message },
    405,
    'invalid_request',
    'method: expected POST',
  ],
  ['OPTIONS', bot, { method: 'OPTIONS' }, 405, 'invalid_request', 'method: expected POST'],
  [
    'an event that the bot interface does not support',
    bot,
    { body: '{"event":"BOT_MESSAGE"}' },
    405,
    'invalid_request',
    'event',
  ],
  ['too large a body', hooks, { body: large }, 413, 'invalid_request', 'body: expected at most 8388608 bytes'],
  ['no JSON of another type', hooks, as('text/plain', 'Hello'), 415, 'invalid_request', 'Content-Type'],
  ['a form', bot, as('application/x-www-form-urlencoded', 'event=1'), 415, 'invalid_request', 'Content-Type'],
  ['bytes', bot, as('application/octet-stream', Buffer.from([0xff])), 415, 'invalid_request', 'Content-Type'],
  [
    'a repeated key in JSON of another type',
    bot,
    as('text/plain', message.replace('{', '{"chat_id":"1",')),
    400,
    'invalid_request',
    'chat_id: expected one value, not several',
  ],
  [
    'no JSON, declared twice as JSON',
    hooks,
    as(`${json}, ${json}`, '{'),
    400,
    'invalid_request',
    'body: expected JSON',
  ],
  [
    'no JSON, declared as JSON and as another type',
    hooks,
    as(`text/plain, ${json}`, '{'),
    400,
    'invalid_request',
    'body: expected JSON',
  ],
  [
    'a content encoding',
    hooks,
    as('application/json', accepted, { 'content-encoding': 'gzip' }),
    415,
    'invalid_request',
    'Content-Encoding',
  ],
  [
    'a too large body of another type',
    hooks,
    as('text/plain', large),
    413,
    'invalid_request',
    'body: expected at most',
  ],
  [
    'a too large body with a content encoding',
    hooks,
    as('application/json', large, { 'content-encoding': 'gzip' }),
    415,
    'invalid_request',
    'Content-Encoding',
  ],
]

/** The part of a body that is kept: 64 KiB of a body that is too large, otherwise all of it. */
const beginning = (body: string | Buffer = '') => String(body).slice(0, body === large ? 64 * 1024 : undefined)

const isOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined

const errors = suite('errors')
const { port, published, appended, requests, quarantined, stop } = await start()
errors.after(stop)
errors.before.each(() => {
  for (const list of [published, appended, requests, quarantined]) list.length = 0
})

const kept = new Set([400, 405, 413, 415])

for (const [name, path, sent, status, code, text] of rows)
  errors(`${name}: ${status} ${code}`, async () => {
    const reply = await send(port, path, sent)
    const error = isOf(reply.body, 'error')
    assert.is(reply.status, status)
    assert.equal(reply.body, {
      ...(path.startsWith('/webhooks/webhooks') && { result: 'error' }),
      error: { code, message: isOf(error, 'message') },
    })
    assert.ok(String(isOf(error, 'message')).startsWith(text), String(isOf(error, 'message')))
    assert.match(String(reply.headers['content-type']), /^application\/json/)
    assert.is(reply.headers.allow, status === 405 ? 'POST' : undefined)
    const understood = kept.has(status) && text !== 'method: expected POST'
    assert.equal(
      appended.map(({ topic, key, value }) => [topic, key, String(value)]),
      understood ? [['quarantine', 'acme', beginning(sent.body)]] : [],
    )
    assert.is(quarantined.length, understood ? 1 : 0)
    assert.equal(published, [])
  })

errors('after a body that is too large the connection is closed, whatever is wrong with it', () => {
  const [first] = accounts
  if (first === undefined) throw new Error('an account is needed')
  for (const contentEncoding of ['', 'gzip']) {
    const refusal = refusalOfSize({ account: first, body: Buffer.alloc(0), contentType: json, contentEncoding }, 1)
    assert.equal(refusal.headers, { Connection: 'close' })
  }
})

errors('above the rate limit of both interfaces together: 429 with Retry-After', async () => {
  const first = await send(port, '/webhooks/webhooks-token-slow', { body: accepted })
  const second = await send(port, '/bot/bot-token-of-slow', { body: message })
  assert.equal([first.status, second.status], [200, 429])
  assert.is(isOf(isOf(second.body, 'error'), 'code'), 'invalid_request')
  assert.is(second.headers['retry-after'], '1')
})

type Request = readonly [path: string, sent: Sent]
const event: Sent = { body: message }
const withToken = (token: string) => as('application/json', message, { authorization: token })
const grant = (secret: string) => ({
  body: JSON.stringify({ grant_type: 'client_credentials', client_id: 'guarded-client', client_secret: secret }),
})
const history = '/history/acme/2037'
const reading = (token: string): Sent => ({ method: 'GET', headers: { authorization: `Bearer ${token}` } })

/** What is valid, of each kind. */
const valid: ReadonlyArray<Request> = [
  [hooks, { body: accepted }],
  [bot, event],
  [guarded, withToken('token of guarded')],
  ['/oauth/token', grant('guarded secret+key/1')],
  [history, reading('history-token-of-acme')],
]
const failing: Readonly<Record<string, (n: number) => Request>> = {
  'a removed token of Interface A': () => ['/webhooks/webhooks-token-removed', { body: accepted }],
  'guessed tokens of Interface B': (n) => [`/bot/guessed-token-${n}`, event],
  'a stale Authorization': () => [guarded, withToken('stale token of guarded')],
  'a wrong secret at /oauth/token': () => ['/oauth/token', grant('a removed secret')],
  'a removed history token': () => [history, reading('history-token-removed')],
}
/** As above, after so many failures in a row of one kind. The clock stands still. */
const afterFailures = async (request: (n: number) => Request, count: number) => {
  const slept: number[] = []
  const messages = { upTo: '', messages: [] }
  const { port: strict, stop: end } = await start({
    monotonic: () => 0,
    sleep: async (ms) => void slept.push(ms),
    history: { has: async () => true, read: async () => messages },
  })
  const replies = []
  for (let n = 0; n < count; n++) replies.push(await send(strict, ...request(n)))
  return { ask: (...sent: Request) => send(strict, ...sent), replies, slept, stop: end }
}

for (const [name, request] of Object.entries(failing))
  errors(
    `${name}, 150 times in a row: failures are slowed down, and nothing valid of the same address is`,
    async () => {
      const { ask, replies, slept, stop: end } = await afterFailures(request, 150)
      const waited = slept.splice(0)
      const statuses = []
      for (const sent of valid) statuses.push((await ask(...sent)).status)
      await end()
      assert.equal(
        replies.map(({ status, headers }) => [status, headers['retry-after']]),
        [...Array(101).fill([401, undefined]), ...Array(49).fill([429, '1'])],
      )
      assert.is(waited.filter((ms) => ms > 0).length, 100)
      assert.equal([statuses, slept], [valid.map(() => 200), []])
    },
  )

errors('a stale Authorization slows down no wrong token of its address, and the reverse', async () => {
  const { 'a stale Authorization': stale, 'guessed tokens of Interface B': guess } = failing
  if (stale === undefined || guess === undefined) throw new Error('both are above')
  for (const [first, second] of [
    [stale, guess],
    [guess, stale],
  ] as const) {
    const { ask, slept, stop: end } = await afterFailures(first, 150)
    slept.length = 0
    const { status } = await ask(...second(0))
    await end()
    assert.equal([status, slept], [401, [0]])
  }
})

errors('who knows only the path of an account uses up none of its rate', async () => {
  const slow = accounts.map((account) => ({ ...account, requestsPerSecond: 1 }))
  const { port: strict, stop: end } = await start({ accounts: slow, monotonic: () => 0 })
  const statuses = []
  for (const token of ['stale', 'stale', 'token of guarded', 'token of guarded'])
    statuses.push((await send(strict, guarded, withToken(token))).status)
  await end()
  assert.equal(statuses, [401, 401, 200, 429])
})

errors('a request that was not understood is stored byte for byte, with the reason', async () => {
  const body = Buffer.from([0x1f, 0x8b, 0x00, 0xff])
  const reply = await send(port, bot, as('application/json', body, { 'content-encoding': 'gzip' }))
  assert.is(reply.status, 415)
  const [id] = appended.map(({ headers }) => headers.id)
  assert.match(String(id), /^[\da-f-]{36}$/)
  assert.equal(appended, [
    {
      topic: 'quarantine',
      key: 'acme',
      value: body,
      headers: {
        id,
        interface: 'bot',
        received_at: '2026-01-31T12:00:00.000Z',
        reason: 'media-type',
        problems: 'Content-Encoding: expected none',
        content_type: 'application/json',
        content_encoding: 'gzip',
      },
    },
  ])
  assert.equal(quarantined, [['bot', 'media-type']])
})

errors('an unknown event_name is accepted and stored', async () => {
  const body = '{"event_name":"client_attribute_updated","client_id":1233}'
  const reply = await send(port, hooks, { body })
  assert.equal([reply.status, reply.body], [200, { result: 'ok' }])
  assert.equal(
    appended.map(({ key, value, headers }) => [key, String(value), headers.reason]),
    [['acme', body, 'unknown-event']],
  )
})

const parameters = [
  '',
  ';',
  ' ; charset="UTF-8"',
  ';Charset=us-ascii',
  "; charset='utf-8'",
  ';charset=',
  '; charset',
  '; charset=utf-16',
  '; charset="utf-8',
  '; charset=utf-8; charset=latin1',
  '; boundary=x',
]

errors('the parameters of the content type of JSON never cost the event', async () => {
  for (const parameter of parameters)
    assert.is((await send(port, bot, as(`Application/JSON${parameter}`, message))).status, 200, parameter)
  assert.is((await send(port, bot, as('application/json', message, { 'content-encoding': 'identity' }))).status, 200)
})

const otherTypes = ['application/json, application/json', 'text/plain', 'application/x-www-form-urlencoded', '', ',']

errors('a body that is JSON is JSON, whatever its content type says', async () => {
  for (const [n, type] of otherTypes.entries())
    for (const [path, body] of [
      [hooks, accepted],
      [bot, JSON.stringify({ ...JSON.parse(message), id: `of-type-${n}` })],
    ] as const) {
      const reply = await send(port, path, as(type, body))
      assert.equal([reply.status, reply.body], [200, { result: 'ok' }], type)
    }
  assert.equal([published.length, appended], [2 * otherTypes.length, []])
})

errors('a token of the account is accepted, with or without Bearer', async () => {
  for (const authorization of ['token of guarded', 'Bearer token of guarded', 'bearer token of guarded'])
    assert.is((await send(port, guarded, as('application/json', message, { authorization }))).status, 200)
})

errors('requests are measured by interface and status', async () => {
  await send(port, hooks, { body: accepted })
  await send(port, bot, { body: '' })
  await send(port, '/nothing')
  assert.equal(requests, [
    ['webhooks', 200],
    ['bot', 400],
  ])
})

errors.run()
