import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { readJson } from '../../../src/bridge/domain/read-json.ts'
import { left, right } from '../../support/either.ts'
import { type Api, decoders } from '../../support/receipt.ts'
import { sample } from '../../support/samples.ts'

const reader = suite('the tolerant reader')

/** The published sample with other values, and what its event has of the named fields and in `extra`. */
type Row = {
  readonly name: string
  readonly of: readonly [api: Api, sample: string]
  readonly given: object
  readonly then: object
  readonly extra?: object
}

const rows: ReadonlyArray<Row> = [
  {
    name: 'an empty list is an empty object, and an empty object is an empty list',
    of: ['webhooks', 'chat_accepted'],
    given: { organization: [], status: [], assigned_agent: [], department: [], page: [], session: [], tags: {} },
    then: { organization: {}, status: {}, assignedAgent: {}, department: {}, page: {}, session: {}, tags: [] },
  },
  {
    name: 'a list with gaps is a list',
    of: ['webhooks', 'chat_accepted'],
    given: { tags: { '10': { id: 2, title: 'b' }, '1': { id: 1, title: 'a' } } },
    then: {
      tags: [
        { id: '1', title: 'a' },
        { id: '2', title: 'b' },
      ],
    },
  },
  {
    name: 'null is absent, and so is a field that an older version does not send',
    of: ['webhooks', 'chat_accepted'],
    given: {
      organization: null,
      status: undefined,
      assigned_agent: undefined,
      tags: null,
      session: undefined,
      page: null,
      visitor: { number: null, chats_count: null },
    },
    then: {
      organization: undefined,
      status: undefined,
      assignedAgent: undefined,
      tags: undefined,
      session: undefined,
      page: undefined,
      visitor: {},
    },
  },
  {
    name: 'numbers are read as text, and text as numbers and booleans',
    of: ['webhooks', 'chat_finished'],
    given: {
      visitor: { number: '17', chats_count: '1', name: 12 },
      chat: { messages: [{ message: 5, timestamp: '1665396476', type: 'agent', agent_id: 1 }], blacklisted: 0 },
    },
    then: {
      visitor: { number: '17', chatsCount: 1, name: '12' },
      chat: {
        messages: [{ message: '5', timestamp: '2022-10-10T10:07:56.000Z', type: 'agent', agentId: '1' }],
        blacklisted: false,
      },
    },
  },
  {
    name: 'blank text is absent where no text is expected, and stays where text is',
    of: ['webhooks', 'chat_accepted'],
    given: { visitor: { number: ' ', chats_count: '', social: '', name: '' }, organization: '' },
    then: { visitor: { name: '' }, organization: undefined },
  },
  {
    name: 'a line of a transcript with an unknown type, without a text or without a time costs nothing',
    of: ['webhooks', 'chat_finished'],
    given: {
      agents: null,
      chat: {
        messages: [
          { message: null, timestamp: null, type: 'system' },
          'odd',
          { message: 'Hi', timestamp: 'soon', type: 'bot' },
        ],
        blacklisted: null,
      },
    },
    then: { agents: undefined, chat: { messages: [{ type: 'system' }, { message: 'Hi', type: 'bot' }] } },
    extra: { chat: { messages: { 1: 'odd', 2: { timestamp: 'soon' } } } },
  },
  {
    name: 'a value that cannot be understood is kept under its wire name',
    of: ['webhooks', 'chat_accepted'],
    given: { organization: 'Acme', tags: { a: 1 }, visitor: { number: { n: 1 }, name: ['x'], email: 'a@example.com' } },
    then: { organization: undefined, tags: undefined, visitor: { email: 'a@example.com' } },
    extra: { organization: 'Acme', tags: { a: 1 }, visitor: { number: { n: 1 }, name: ['x'] } },
  },
  {
    name: 'a message may have any type, and needs no time',
    of: ['bot-api', 'CLIENT_MESSAGE'],
    given: { message: { type: 'PHOTO', file: 'https://files.example.com/1.jpg' } },
    then: { message: { type: 'PHOTO' } },
    extra: { message: { file: 'https://files.example.com/1.jpg' } },
  },
  {
    name: 'an agent who joins without a client id has joined',
    of: ['bot-api', 'AGENT_JOINED'],
    given: { client_id: null },
    then: { clientId: undefined },
  },
]

for (const {
  name,
  of: [api, file],
  given,
  then,
  extra,
} of rows)
  reader(name, () => {
    const payload = JSON.parse(JSON.stringify({ ...JSON.parse(sample(api, file)), ...given }))
    const { event } = right(decoders[api](payload))
    assert.ok(DomainEvent.is(event))
    const data: Readonly<Record<string, unknown>> = event.data
    assert.equal(Object.fromEntries(Object.keys(then).map((field) => [field, data[field]])), then)
    assert.equal(data.extra, extra)
  })

const ids: ReadonlyArray<readonly [name: string, id: string, accepted: boolean]> = [
  ['a number that no double can hold is no id', '1e400', false],
  ['its text is an id', '"1e400"', true],
  ['half of a surrogate pair is no id', '"s\\ud800"', false],
  ['a whole surrogate pair is an id', '"\\ud83d\\ude00"', true],
  ['an integer beyond 2^53 is an id', '12345678901234567890', true],
]
for (const [name, id, accepted] of ids)
  reader(name, () => {
    const body = `{"event":"AGENT_JOINED","id":"1","client_id":"2","chat_id":${id}}`
    const decoded = decoders['bot-api'](right(readJson(Buffer.from(body))))
    assert.is(decoded._tag, accepted ? 'Right' : 'Left')
    if (!accepted)
      assert.equal(left(decoded), { kind: 'invalid', problems: [{ path: 'chat_id', expected: 'an integer or text' }] })
  })

reader('a number that no double can hold is kept as its text beside the ids', () => {
  const body = sample('webhooks', 'chat_accepted').replace(/"chats_count": *\d+/, '"chats_count": 1e400')
  const { event } = right(decoders.webhooks(right(readJson(Buffer.from(body)))))
  assert.match(JSON.stringify(event.data), '"extra":{"visitor":{"chats_count":"1e400"}}')
})

reader.run()
