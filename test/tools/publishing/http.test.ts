import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ChatHistory } from '../../../src/bridge/domain/chat-history.ts'
import { repetitions } from '../../../src/tools/publishing/openapi/paths.ts'
import { noon, type Sent, send, start } from '../../bridge/ingress/harness.ts'
import { sample, samples } from '../../support/samples.ts'
import { descriptionOf, documentedPaths, statusesOf, surprises } from './documented.ts'

const hooks = '/webhooks/{token}'
const bot = '/bot/{token}'
const oauth = '/oauth/token'
const history = '/history/{accountId}/{chatId}'
const tokens: Readonly<Record<string, string>> = { [hooks]: 'webhooks-token-', [bot]: 'bot-token-of-' }
const good: Readonly<Record<string, string>> = {
  [hooks]: sample('webhooks', 'chat_accepted'),
  [bot]: sample('bot-api', 'CLIENT_MESSAGE'),
}

const large = `{"event":"${'x'.repeat(8 * 1024 * 1024)}"}`
const failing = async () => E.left({ kind: 'transient', reason: 'no broker' } as const)
const checks = { kafka: () => ({ ok: false, reason: 'no broker' }) }

const said = {
  messages: [{ id: 'm1', from: 'client', type: 'TEXT', text: 'Hello', at: noon } as const],
  upTo: 'm1',
}
const views: ChatHistory = {
  has: async (_, eventId) => eventId !== 'late',
  read: async ({ chatId }) => (chatId === '2037' ? said : undefined),
}
const away = () => Promise.reject(new Error('no primary'))

const healthy = await start({ history: views })
const ailing = await start({ publish: failing, append: failing, history: { has: away, read: away }, checks })
const broken = await start({
  publish: () => {
    throw new Error('a fault')
  },
  issue: () => {
    throw new Error('a fault')
  },
  sleep: () => {
    throw new Error('a fault')
  },
})

const http = suite('HTTP as documented')
for (const { stop } of [healthy, ailing, broken]) http.after(stop)

type Row = readonly [status: number, path: string, url: string, sent: Sent, server?: typeof healthy]

const ofInterface = (path: string): ReadonlyArray<Row> => {
  const body = good[path] ?? ''
  const [acme, slow, nobody] = ['acme', 'slow', 'nobody'].map((name) =>
    path.replace('{token}', `${tokens[path]}${name}`),
  )
  if (!acme || !slow || !nobody) return []
  return [
    [200, path, acme, { body }],
    [400, path, acme, { body: '{' }],
    [400, path, acme, { body: '{"event":"CLIENT_MESSAGE","event_name":"chat_accepted"}' }],
    [401, path, nobody, { body }],
    [404, path, path.replace('{token}', ''), { body }],
    [405, path, acme, { method: 'PUT', body }],
    [413, path, acme, { body: large }],
    [415, path, acme, { body: 'Hello', headers: { 'content-type': 'text/plain' } }],
    [429, path, slow, { body }],
    [500, path, acme, { body }, broken],
    [503, path, acme, { body }, ailing],
  ]
}

const credentials = { client_id: 'guarded-client', client_secret: 'guarded secret+key/1' }
const grant = (more: object, grantType = 'client_credentials'): Sent => ({
  body: JSON.stringify({ grant_type: grantType, ...more }),
})
const basic = (text: string) => ({ 'content-type': 'application/json', authorization: `Basic ${btoa(text)}` })

const reading = (account: string): Sent => ({
  method: 'GET',
  headers: { authorization: `Bearer history-token-${account === 'guarded' ? '' : 'of-'}${account}` },
})

const rows: ReadonlyArray<Row> = [
  ...ofInterface(hooks),
  ...ofInterface(bot),
  [405, bot, '/bot/bot-token-of-acme', { body: '{"event":"AGENT_MESSAGE"}' }],
  [401, bot, '/bot/bot-token-guarded', { body: good[bot] ?? '' }],
  [200, oauth, oauth, grant(credentials)],
  [400, oauth, oauth, grant(credentials, 'password')],
  [400, oauth, oauth, { body: '[]' }],
  [401, oauth, oauth, grant({ ...credentials, client_secret: 'wrong' })],
  [401, oauth, oauth, { ...grant({}), headers: basic('a:b') }],
  [405, oauth, oauth, { method: 'GET' }],
  [413, oauth, oauth, { body: ' '.repeat(8 * 1024 + 1) }],
  [500, oauth, oauth, grant(credentials), broken],
  [200, history, '/history/acme/2037?last=5&after=m1', reading('acme')],
  [400, history, '/history/acme/2037?last=x', reading('acme')],
  [401, history, '/history/acme/2037', reading('guarded')],
  [404, history, '/history/acme/2038', reading('acme')],
  [405, history, '/history/acme/2037', { ...reading('acme'), method: 'POST' }],
  [425, history, '/history/acme/2037?after=late', reading('acme')],
  [429, history, '/history/slow/2037', reading('slow')],
  [500, history, '/history/acme/2037', reading('nobody'), broken],
  [503, history, '/history/acme/2037', reading('acme'), ailing],
  [200, '/livez', '/livez', { method: 'GET' }],
  [405, '/livez', '/livez', {}],
  [200, '/readyz', '/readyz', { method: 'GET' }],
  [503, '/readyz', '/readyz', { method: 'GET' }, ailing],
  [405, '/readyz', '/readyz', {}],
]

for (const [i, [status, path, url, sent, server]] of rows.entries())
  http(`${i}: ${sent.method ?? 'POST'} ${url} is answered ${status}, as documented`, async () => {
    const { port } = server ?? healthy
    if (status === 429) await send(port, url, sent)
    const reply = await send(port, url, sent)
    assert.is(reply.status, status, reply.text)
    assert.equal(surprises(path, reply), [])
  })

http('every sample is answered as documented', async () => {
  const apis = [
    ['webhooks', hooks],
    ['bot-api', bot],
  ] as const
  for (const [api, path] of apis)
    for (const kind of ['accepted', 'refused', 'unknown'] as const)
      for (const { name, text } of samples(api, kind)) {
        const reply = await send(healthy.port, path.replace('{token}', `${tokens[path]}acme`), { body: text })
        assert.equal(surprises(path, reply), [], name)
      }
})

for (const [path, url] of [
  [hooks, '/webhooks/webhooks-token-acme'],
  [bot, '/bot/bot-token-of-acme'],
] as const)
  http(`what a repeated request to ${path} is stands in OpenAPI and the guide as it is`, async () => {
    const { port, published, stop } = await start()
    for (let i = 0; i < 2; i++) await send(port, url, { body: good[path] ?? '' })
    await stop()
    const isSame = new Set(published.map(({ id }) => id)).size === 1
    const { webhook: another, botEvent: same } = repetitions
    const [told, notTold] = isSame ? [same, another] : [another, same]
    const guide = readFileSync('contracts/guides/downstream-team.md', 'utf8').replaceAll(/\s+/g, ' ')
    assert.ok(descriptionOf(path).endsWith(told), descriptionOf(path))
    assert.not.ok(descriptionOf(path).includes(notTold))
    assert.not.match(descriptionOf(path).replace(told, ''), /repe(at|tition)|twice|again|same/i)
    assert.ok(guide.includes(told), told)
  })

http('every documented status is tested here, except too slow requests and too many headers', () => {
  for (const path of documentedPaths) {
    const seen = new Set(rows.filter((row) => row[1] === path).map(([status]) => status))
    assert.equal(
      statusesOf(path).filter((status) => !seen.has(status)),
      [408, 431].filter((status) => statusesOf(path).includes(status)),
      path,
    )
  }
})

http.run()
