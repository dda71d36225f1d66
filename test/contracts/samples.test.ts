import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../contracts/events/index.ts'
import { botEvents, webhookEvents } from '../../contracts/wire-events.ts'
import { decodeBotEvent } from '../../src/bridge/domain/requests.ts'
import { left, right } from '../support/either.ts'
import { decoders, receipt } from '../support/receipt.ts'
import { samples } from '../support/samples.ts'

const types = new Map<string, string>([...webhookEvents, ...botEvents].map(({ name, type }) => [name, type]))

/** The wrong fields of each refused sample. */
const wrongFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  'webhooks/array': [''],
  'webhooks/no-event-name': ['event_name'],
  'webhooks/numeric-event-name': ['event_name'],
  'webhooks/missing-fields': ['chat_id'],
  'webhooks/fractional-chat-id': ['chat_id'],
  'webhooks/client-without-id': ['client_id'],
  'bot-api/no-event': ['event'],
  'bot-api/null-event': ['event'],
  'bot-api/without-ids': ['id', 'chat_id'],
  'bot-api/blank-id': ['id'],
  'bot-api/no-message': ['message'],
  'bot-api/several': ['id', 'chat_id', 'client_id'],
}

const contracts = suite('samples')
const seen = { types: new Set<string>(), refused: new Set<string>() }

for (const api of ['webhooks', 'bot-api'] as const) {
  for (const { name, value } of samples(api, 'accepted'))
    contracts(`${api}/${name} is accepted`, () => {
      const { event } = right(decoders[api](value))
      assert.ok(DomainEvent.is(event))
      assert.is(event.type, types.get(name.split('.')[0] ?? ''))
      seen.types.add(event.type)
    })

  for (const { name, value } of samples(api, 'refused'))
    contracts(`${api}/refused/${name} is refused for its wrong fields, all of them`, () => {
      const reason = left(decoders[api](value))
      const fields = reason.kind === 'invalid' ? reason.problems.map(({ path }) => path) : []
      assert.equal(fields, wrongFields[`${api}/${name}`])
      seen.refused.add(`${api}/${name}`)
    })

  for (const { name, value } of samples(api, 'unknown'))
    contracts(`${api}/unknown/${name} is an unknown event`, () => {
      assert.equal(decoders[api](value), E.left({ kind: 'unknown-event' }))
    })
}

contracts('there is a sample of every event, and a file for every refusal', () => {
  assert.equal([...seen.types].sort(), [...types.values()].sort())
  assert.equal([...seen.refused].sort(), Object.keys(wrongFields).sort())
})

contracts('the published sample of a client’s message is decoded with its values', () => {
  const { value } = samples('bot-api', 'accepted').find(({ name }) => name === 'CLIENT_MESSAGE.extra-fields') ?? {}
  assert.equal(right(decodeBotEvent(value, receipt)).event, {
    type: 'ClientMessageReceived',
    id: '9661ab9c-48b0-11ed-a3d6-859398ff9bd9',
    source: '/accounts/acme/bot',
    subject: '2037',
    time: '2026-01-31T12:00:00.000Z',
    traceparent: receipt.traceparent,
    data: {
      accountId: 'acme',
      clientId: '1233',
      chatId: '2037',
      message: { type: 'TEXT', text: 'Hello', timestamp: '2022-10-10T15:31:19.000Z' },
      extra: {
        site_id: '123456',
        agents_online: true,
        sender: { id: 1233, name: 'John Smith', url: 'https://shop.example.com', has_contacts: true },
        channel: { id: '12345678', type: 'widget' },
      },
    },
  })
})

contracts.run()
