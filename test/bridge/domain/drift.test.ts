import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { AccountId, type Instant } from '../../../contracts/primitives.ts'
import { problemText } from '../../../src/bridge/domain/decode-request.ts'
import { fieldsAside, nameOrAny, notUnderstood, shapeOf } from '../../../src/bridge/domain/drift.ts'
import { readJson } from '../../../src/bridge/domain/read-json.ts'
import { decodeBotEvent, decodeWebhook, wireOf } from '../../../src/bridge/domain/requests.ts'
import { right } from '../../support/either.ts'
import { jsonValue } from '../../support/json.ts'
import { samples } from '../../support/samples.ts'

const accountId = right(AccountId.decode('acme'))
const receivedAt = '2026-01-31T12:00:00.000Z' as Instant
const receipt = { accountId, receivedAt, traceparent: '', id: 'e1', contentHash: 'h1' }
const decoders = { webhooks: decodeWebhook, bot: decodeBotEvent }
const sampleOf = { webhooks: 'webhooks', bot: 'bot-api' } as const

const drift = suite('drift: data that the contracts do not know')

/** The drift that is found in a body that is refused today. */
const found = (api: 'webhooks' | 'bot', text: string) => {
  const body = Buffer.from(text)
  const json = readJson(body)
  const decoded = E.isLeft(json)
    ? E.left({ kind: 'invalid' as const, problems: [json.left] })
    : decoders[api](json.right, receipt)
  if (E.isRight(decoded)) throw new Error('the request was accepted')
  const { left: reason } = decoded
  const request = { id: 'r1', accountId, api, receivedAt, reason: reason.kind, problems: problemText(reason), body }
  return notUnderstood({ type: 'QuarantinedRequest', ...request }).map(({ example, ...rest }) => ({
    ...rest,
    example: example(),
  }))
}
const wireOfEvent = (type: DomainEvent['type']) => {
  const wire = wireOf(type)
  if (wire === undefined) throw new Error(`${type} does not come from the service`)
  return wire
}
const places = (extra: unknown) =>
  fieldsAside(wireOfEvent('ChatAccepted'), extra).map(({ path, type, example }) => [path, type, example()])

drift('is each field of an event that its contract does not have, by its innermost values', () => {
  const extra = {
    site_id: '12-x',
    visitor: { vip: true, loyalty: { level: 'Gold 2', points: 12.5 } },
    empty: {},
    none: null,
  }
  assert.equal(places(extra), [
    ['site_id', 'text', 'text of 4: 99#a'],
    ['visitor.vip', 'boolean', 'boolean'],
    ['visitor.loyalty.level', 'text', 'text of 6: Aaaa_9'],
    ['visitor.loyalty.points', 'number', 'number: 99#9'],
    ['empty', 'object', 'object of 0'],
    ['none', 'null', 'null'],
  ])
})

drift('counts the items of a list as one place, and has each place once', () => {
  assert.equal(places({ tags: { 0: { color: 'red' }, 7: { color: 'blue' } }, list: [1, 'x', []] }), [
    ['tags.*.color', 'text', 'text of 3: aaa'],
    ['list.*', 'number', 'number: 9'],
  ])
})

drift('has * instead of keys that may identify a person or that vary', () => {
  const telling = [
    'jane@example.com',
    '+4917012345',
    '2037',
    '9661ab9c',
    'deadbeefcafe',
    'Jane Doe',
    'a.b',
    '__proto__',
    '',
  ]
  telling.push(
    '550e8400-e29b-41d4-a716-446655440000',
    'AKIAIOSFODNN7EXAMPLE',
    'aBcDeFgHiJkL',
    'eyJhbGciOiJIUzI1NiJ9',
    'Zoë',
    'Anna',
    'AnnaMaria',
    'Anna_Smith',
  )
  assert.equal(
    telling.map(nameOrAny),
    telling.map(() => '*'),
  )
  const names = [
    'site_id',
    'utmJson',
    'address2',
    'content-type',
    'VIP',
    'offline_message_id',
    '_links',
    'notificationPreferencesEnabled',
  ]
  assert.equal(names.map(nameOrAny), names)
})

drift('is an unknown event name', () => {
  assert.equal(found('webhooks', '{"event_name":"chat_paused"}'), [
    {
      kind: 'unknown-event',
      api: 'webhooks',
      event: 'chat_paused',
      path: 'event_name',
      type: 'text',
      example: 'text of 11: aaaa#aaaaaa',
    },
  ])
  assert.is(found('bot', '{"event":"for jane@example.com"}')[0]?.event, '*')
})

/** The places of a sample with fields that do not fit. */
const asideAt = (api: 'webhooks' | 'bot', name: string) => {
  const value = samples(sampleOf[api], 'accepted').find((each) => each.name === name)?.value
  const { event } = right(decoders[api](value, receipt))
  const extra = 'extra' in event.data ? event.data.extra : {}
  return fieldsAside(wireOfEvent(event.type), extra).map(({ kind, path, expected, type }) => [
    kind,
    path,
    expected,
    type,
  ])
}

drift('is each value that does not fit; a word that is not in the list is a kind of its own', () => {
  assert.equal(asideAt('webhooks', 'chat_finished.wrong-messages'), [
    ['misfit', 'chat.messages.*.timestamp', 'unix time', 'text'],
    ['misfit', 'chat.blacklisted', 'true or false', 'text'],
  ])
  assert.equal(asideAt('webhooks', 'call_event.unknown-call-type'), [
    ['new-value', 'call.type', '"callback" or "incoming" or "outgoing"', 'text'],
    ['new-value', 'call.status', '"start" or "end" or "agent_connected" or "client_connected" or "error"', 'text'],
  ])
  assert.equal(asideAt('bot', 'CLIENT_MESSAGE.unknown-message-type'), [
    ['unknown-field', 'message.file', undefined, 'text'],
  ])
  assert.equal(asideAt('webhooks', 'chat_finished.agents-object'), [['misfit', 'agents', 'an array', 'object']])
})

drift('is each place where a request was refused', () => {
  const text = samples('bot-api', 'refused').find(({ name }) => name === 'several')?.text ?? ''
  assert.equal(
    found('bot', text).map(({ kind, path, expected, type }) => [kind, path, expected, type]),
    [
      ['refused', 'id', 'an integer or text', 'object'],
      ['refused', 'chat_id', 'an integer or text', 'number'],
      ['refused', 'client_id', 'an integer or text', 'null'],
    ],
  )
})

drift('is an unreadable body, without its content', () => {
  const secret = 'x: expected Jane; y'
  const of = (text: string) =>
    found('webhooks', text).map(({ example, ...rest }) => [rest.path, rest.expected, rest.type])
  assert.equal(of('{"event_name":'), [['body', 'JSON', 'not JSON']])
  assert.equal(of(`{"${secret}":1,"${secret}":2}`), [['*', 'one value, not several', 'not JSON']])
})

for (const api of ['webhooks', 'bot'] as const)
  for (const { name, text } of [...samples(sampleOf[api], 'refused'), ...samples(sampleOf[api], 'unknown')])
    drift(`is found in ${api}/${name}`, () => {
      assert.ok(found(api, text).length > 0)
    })

const masked = /^(text of [0-9]+: [Aa9_#]*|number: [9#a]+|boolean|null|(array|object) of [0-9]+)$/

drift('never contains sent values, has a limited size, and never throws', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), jsonValue(4)), (extra) => {
      const all = fieldsAside(wireOfEvent('ClientMessageReceived'), extra)
      assert.ok(all.length <= 100)
      assert.is(new Set(all.map(({ path }) => path)).size, all.length)
      for (const { path, example } of all) {
        assert.match(example(), masked)
        assert.ok(path.split('.').every((name) => name === '*' || nameOrAny(name) === name))
        assert.ok(path.split('.').length <= 8 && path.length < 8 * 41 && example().length < 70)
      }
    }),
    { numRuns: 300 },
  )
})

drift('has the same shape for all texts of one pattern', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{3}[0-9]{2}$/), (text) => {
      assert.is(shapeOf(text), 'text of 5: aaa99')
    }),
  )
})

drift.run()
