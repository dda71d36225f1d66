import { deepStrictEqual } from 'node:assert'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { topicOf } from '../../../contracts/topics.ts'
import { fieldsAside } from '../../../src/bridge/domain/drift.ts'
import { readJson } from '../../../src/bridge/domain/read-json.ts'
import { wireOf } from '../../../src/bridge/domain/requests.ts'
import { isObject } from '../../../src/bridge/shared/json.ts'
import { oddities, pathsOf, valueAt, without, withValue } from '../../../src/tools/simulator/odd-forms.ts'
import { left, right } from '../../support/either.ts'
import { type Api, decoders } from '../../support/receipt.ts'
import { samples } from '../../support/samples.ts'

const read = (payload: unknown): unknown => right(readJson(Buffer.from(JSON.stringify(payload))))

/** What makes a payload an event: these are not replaced. */
const essential: Readonly<Record<Api, (name: string) => ReadonlyArray<string>>> = {
  webhooks: (name) => ['event_name', name === 'client_updated' ? 'client_id' : 'chat_id'],
  'bot-api': (name) =>
    name === 'CLIENT_MESSAGE' ? ['event', 'id', 'chat_id', 'client_id', 'message'] : ['event', 'id', 'chat_id'],
}
const nameOf = (payload: unknown) => String(isObject(payload) ? (payload.event_name ?? payload.event) : '')

/** The event of an odd payload. Everything that was sent is in its data, understood, or in `extra`, and in drift. */
const check = (api: Api, payload: unknown, at: string) => {
  const decoded = decoders[api](read(payload))
  if (E.isLeft(decoded)) throw new Error(`${at}: refused, ${JSON.stringify(decoded.left)}`)
  const { event, misfits } = decoded.right
  assert.ok(DomainEvent.is(event), at)
  assert.ok(topicOf(event).name.length > 0)
  // As in the log, from which drift is read.
  const extra = 'extra' in event.data ? (JSON.parse(JSON.stringify(event.data.extra ?? null)) ?? undefined) : undefined
  const wire = wireOf(event.type)
  assert.ok(wire !== undefined)
  const places = extra === undefined ? [] : fieldsAside(wire, extra)
  if (misfits > 0)
    assert.ok(
      places.some(({ kind }) => kind === 'misfit' || kind === 'new-value'),
      `${at}: not in drift`,
    )
  return { event, extra, misfits }
}

const odd = suite('payloads with odd fields')

for (const api of ['webhooks', 'bot-api'] as const)
  for (const { name, value: sample } of samples(api, 'accepted')) {
    const fixed = essential[api](nameOf(sample))
    const places = pathsOf(sample).filter((path) => path.length > 1 || !fixed.includes(path[0] ?? ''))

    odd(`${api}/${name}: each field with each wrong kind of value is an event with all else unchanged`, () => {
      const plain = check(api, sample, name)
      for (const path of places) {
        for (const value of oddities(valueAt(sample, path))) {
          const at = `${path.join('.')} = ${JSON.stringify(value).slice(0, 60)}`
          const { event } = check(api, withValue(sample, path, value), at)
          const others = (data: object, extra: unknown) =>
            Object.entries({ ...data, extra: undefined, all: isObject(extra) ? { ...extra, [path[0] ?? '']: 0 } : {} })
              .filter(([key]) => key !== 'all' && key !== camel(path[0] ?? ''))
              .map(([key, each]) => [key, each])
          deepStrictEqual(others(event.data, {}), others(plain.event.data, {}), at)
        }
        check(api, without(sample, path), `${path.join('.')} left out`)
      }
    })

    odd(`${api}/${name}: pairs of wrong fields`, () => {
      const [first, ...rest] = places
      for (const [i, other] of [...rest].entries()) {
        const values = oddities(undefined)
        const one = withValue(sample, other, values[i % values.length])
        check(api, withValue(one, first ?? [], values[(i + 7) % values.length]), other.join('.'))
      }
    })
  }

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const accepted = (more: object) =>
  check('webhooks', { event_name: 'chat_accepted', chat_id: 2037, ...more }, JSON.stringify(more))

type Row = readonly [title: string, sent: object, data: object, extra?: object]

/** Sent fields of chat_accepted, what they become, and what is only in `extra`. */
const understood: ReadonlyArray<Row> = [
  ['an empty list is an empty object', { page: [], session: { geoip: [] } }, { page: {}, session: { geoip: {} } }],
  ['an empty object is an empty list', { tags: {} }, { tags: [] }],
  [
    'a list with gaps keeps its items',
    { tags: { 1: { id: 1 }, 4: { id: 'b' } } },
    { tags: [{ id: '1' }, { id: 'b' }] },
  ],
  ['a number is text', { visitor: { name: 7, number: 8 } }, { visitor: { name: '7', number: '8' } }],
  ['text is a number', { visitor: { chats_count: '3' } }, { visitor: { chatsCount: 3 } }],
  ['null is absent', { visitor: null, tags: null }, {}],
  ['null items are absent', { tags: [null, { id: 1 }] }, { tags: [{ id: '1' }] }],
  [
    'blank text is absent for what is not text',
    { widget_id: ' ', tags: '', visitor: { social: '', number: '' } },
    { visitor: {} },
  ],
  ['blank text is text', { user_token: '', visitor: { name: ' ' } }, { userToken: '', visitor: { name: ' ' } }],
  ['an object for text is not understood', { user_token: { a: 1 } }, {}, { user_token: { a: 1 } }],
  ['text for an object is not understood', { organization: 'Acme' }, {}, { organization: 'Acme' }],
  ['an object whose keys are no places is no list', { tags: { a: 1 } }, {}, { tags: { a: 1 } }],
  [
    'an odd item of a list costs no other',
    { tags: ['x', { id: 2, title: [] }] },
    { tags: [{ id: '2' }] },
    { tags: { 0: 'x', 1: { title: [] } } },
  ],
  [
    'fields of the bridge are not taken from the payload',
    { account_id: 'evil', extra: { x: 1 } },
    {},
    { account_id: 'evil', extra: { x: 1 } },
  ],
  ['text with control characters is no id', { widget_id: '\u0000huge' }, {}, { widget_id: '\u0000huge' }],
]

for (const [title, sent, data, extra] of understood)
  odd(title, () => {
    const { event, extra: aside } = accepted(sent)
    const { extra: _, ...known } = { extra: undefined, ...event.data }
    assert.equal(known, { chatId: '2037', accountId: 'acme', ...data })
    assert.equal(aside, extra)
  })

for (const [given, is] of [
  [true, true],
  [0, false],
  [1, true],
  ['1', true],
  [null, undefined],
  ['', undefined],
] as const)
  odd(`blacklisted ${JSON.stringify(given)} is ${is}`, () => {
    const payload = { event_name: 'chat_finished', chat_id: 1, chat: { blacklisted: given } }
    const { event } = check('webhooks', payload, '')
    assert.equal('chat' in event.data && event.data.chat, is === undefined ? {} : { blacklisted: is })
  })

odd('every type of message of a client is an event with what came with it', () => {
  for (const type of ['PHOTO', 'VOICE', 'STICKER', 'LOCATION', 'DOCUMENT']) {
    const message = { type, file: 'https://files.example.com/1', file_name: 'a.jpg', latitude: 1.5 }
    const payload = { event: 'CLIENT_MESSAGE', id: '1', client_id: '2', chat_id: '3', message }
    const { event, extra } = check('bot-api', payload, type)
    assert.equal('message' in event.data && event.data.message, { type })
    const { type: _, ...rest } = message
    assert.equal(extra, { message: rest })
  }
})

/** Bodies that are refused, and the field that is wrong. */
const refused: ReadonlyArray<readonly [api: Api, body: string, field: string]> = [
  ['webhooks', '{"event_name":"chat_accepted","chat_id":1e400}', 'chat_id'],
  ['webhooks', '{"event_name":"chat_accepted","chat_id":-1e999}', 'chat_id'],
  ['webhooks', '{"event_name":"chat_accepted","chat_id":1e-400}', 'chat_id'],
  ['webhooks', '{"event_name":"client_updated","client_id":7.00000000000000000001}', 'client_id'],
  ['webhooks', '{"event_name":"chat_accepted","chat_id":"s\\ud800"}', 'chat_id'],
  ['webhooks', '{"event_name":"client_updated","client_id":"\\udc00x"}', 'client_id'],
  ['webhooks', '{"event_name":"chat_accepted","chat_id":[2037]}', 'chat_id'],
  ['webhooks', '{"event_name":"chat_accepted","chat_id":""}', 'chat_id'],
  ['bot-api', '{"event":"AGENT_JOINED","id":"\\ud800","chat_id":1}', 'id'],
  ['bot-api', '{"event":"CLIENT_MESSAGE","id":"1","chat_id":1,"client_id":2,"message":null}', 'message'],
  ['bot-api', '{"event":"CLIENT_MESSAGE","id":"1","chat_id":1,"message":{}}', 'client_id'],
]
for (const [api, body, field] of refused)
  odd(`${body} is refused`, () => {
    const reason = left(decoders[api](right(readJson(Buffer.from(body)))))
    assert.ok(reason.kind === 'invalid')
    assert.equal(
      reason.problems.map(({ path }) => path),
      [field],
    )
  })

for (const id of ['😀', '12345678901234567890'])
  odd(`${id} is an id`, () => {
    const body = `{"event":"AGENT_JOINED","id":"1","chat_id":${/^\d/.test(id) ? id : JSON.stringify(id)}}`
    assert.is(right(decoders['bot-api'](right(readJson(Buffer.from(body))))).event.subject, id)
  })

odd('the text 1e400 is an id, the number is kept as its digits where it does not fit', () => {
  const body = '{"event_name":"chat_accepted","chat_id":"1e400","widget_id":1e400,"visitor":{"name":1e400},"x":1e400}'
  const { event } = right(decoders.webhooks(right(readJson(Buffer.from(body)))))
  assert.is(event.subject, '1e400')
  assert.equal(JSON.parse(JSON.stringify(event.data)), {
    chatId: '1e400',
    accountId: 'acme',
    visitor: { name: '1e400' },
    extra: { widget_id: '1e400', x: '1e400' },
  })
})

const numbersThatAreNoIds = ['1e400', '-1e400', '1e-400', '1.5', 'true', '{}', '[1]']
for (const [path, template] of [
  ['agent.id', '{"agent":{"name":"Bob","id":#}}'],
  ['assigned_agent.id', '{"assigned_agent":{"name":"Bob","id":#}}'],
  ['department.id', '{"department":{"name":"Sales","id":#}}'],
  ['status.id', '{"status":{"title":"VIP","id":#}}'],
  ['organization.id', '{"organization":{"name":"Acme","id":#}}'],
  ['visitor.number', '{"visitor":{"name":"Ann","number":#}}'],
  ['widget_id', '{"widget_id":#}'],
  ['tags.0.id', '{"tags":[{"title":"VIP","id":#}]}'],
] as const)
  odd(`${path} that is neither an integer nor text is in extra only, and the rest is understood`, () => {
    for (const value of numbersThatAreNoIds) {
      const body = `{"event_name":"chat_accepted","chat_id":1,${template.replace('#', value).slice(1)}`
      const { event } = right(decoders.webhooks(right(readJson(Buffer.from(body)))))
      const { extra, ...known } = JSON.parse(JSON.stringify(event.data))
      assert.is(
        JSON.stringify(valueAt(extra, path.split('.'))),
        value.includes('e') && value !== 'true' ? `"${value}"` : value,
      )
      assert.not.ok(JSON.stringify(known).includes('"id"') || known.widgetId !== undefined || known.visitor?.number)
    }
  })

odd('a line of a transcript with an unknown type, without a text or without a time costs nothing', () => {
  const messages = [
    { message: 5, timestamp: '1665396476', type: 'agent', agent_id: 1 },
    { message: null, timestamp: null, type: 'system' },
    'odd',
    { message: 'Hi', timestamp: 'soon', type: 'bot' },
  ]
  const payload = { event_name: 'chat_finished', chat_id: 1, agents: null, chat: { messages } }
  const { event, extra } = check('webhooks', payload, '')
  assert.equal('chat' in event.data && event.data.chat, {
    messages: [
      { message: '5', timestamp: '2022-10-10T10:07:56.000Z', type: 'agent', agentId: '1' },
      { type: 'system' },
      { message: 'Hi', type: 'bot' },
    ],
  })
  assert.equal(extra, { chat: { messages: { 2: 'odd', 3: { timestamp: 'soon' } } } })
})

odd('a time with more digits than a double has is understood', () => {
  const body =
    '{"event_name":"chat_finished","chat_id":1,"chat":{"messages":[{"timestamp":1665415879.00000000000000000001}]}}'
  const { event } = right(decoders.webhooks(right(readJson(Buffer.from(body)))))
  assert.equal('chat' in event.data && event.data.chat, { messages: [{ timestamp: '2022-10-10T15:31:19.000Z' }] })
})

odd('an agent who joins without a client id is an event', () => {
  const { event } = check('bot-api', { event: 'AGENT_JOINED', id: '1', chat_id: '3' }, '')
  assert.is(event.type, 'AgentJoined')
})

odd.run()
