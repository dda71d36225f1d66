import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { botEventForms, webhookForms } from '../../../contracts/wire-forms.ts'
import type { DecodeRequest, Receipt } from '../../../src/bridge/domain/decode-request.ts'
import { readJson } from '../../../src/bridge/domain/read-json.ts'
import { decodeBotEvent, decodeWebhook } from '../../../src/bridge/domain/requests.ts'
import { isJsonObject } from '../../../src/bridge/shared/json.ts'
import { arbitraryOf } from '../../support/arbitraries.ts'
import { right } from '../../support/either.ts'
import { exactJson, jsonValue } from '../../support/json.ts'
import { receipt } from '../../support/receipt.ts'
import { mutationsOf } from '../../tools/publishing/mutations.ts'
import { casesOf } from './cases.ts'

const noId = { ...receipt, id: 'id-of-the-request' }

const sent = (wire: unknown): unknown => right(readJson(Buffer.from(JSON.stringify(wire))))

const decoding = suite('decoding a request')

const keepsAll = (decode: DecodeRequest, given: Receipt, codec: t.Mixed, own: object) => {
  fc.assert(
    fc.property(casesOf(codec), ({ wire, data, extra }) => {
      const { event } = right(decode(sent(wire), given))
      assert.ok(DomainEvent.is(event))
      const { event: _, eventName: __, id, ...kept } = isJsonObject(data) ? data : {}
      deepStrictEqual(
        event,
        exactJson({
          type: event.type,
          id: id ?? noId.id,
          source: id === undefined ? '/accounts/acme/webhooks' : '/accounts/acme/bot',
          subject: event.type === 'ClientUpdated' ? kept.clientId : kept.chatId,
          time: receipt.receivedAt,
          traceparent: receipt.traceparent,
          data: { ...kept, ...own, accountId: 'acme', ...(extra === undefined ? {} : { extra }) },
        }),
      )
    }),
    { numRuns: 200 },
  )
}

for (const { name, codec } of webhookForms)
  decoding(`an event of ${name} keeps every known value and every unknown field`, () => {
    keepsAll(decodeWebhook, noId, codec, {})
  })

for (const { name, codec } of botEventForms)
  decoding(`an event of ${name} keeps every known value and every unknown field`, () => {
    keepsAll(decodeBotEvent, receipt, codec, name === 'WireInviteAgent' ? { invitedBy: 'service' } : {})
  })

for (const [api, decode] of Object.entries({ webhooks: decodeWebhook, bot: decodeBotEvent }))
  decoding(`any JSON value is decoded or refused (${api})`, () => {
    fc.assert(fc.property(jsonValue(), (value) => E.isLeft(decode(value, noId))))
  })

decoding('a field with a hostile name is an ordinary field', () => {
  const given = sent(
    JSON.parse('{"event":"AGENT_JOINED","id":"1","client_id":"2","chat_id":3,"__proto__":{"chat_id":4}}'),
  )
  const { event } = right(decodeBotEvent(given, receipt))
  assert.is(
    JSON.stringify(event.data),
    '{"clientId":"2","chatId":"3","accountId":"acme","extra":{"__proto__":{"chat_id":4}}}',
  )
})

decoding('an id beyond 2^53 stays exact', () => {
  const given = right(
    readJson(Buffer.from('{"event":"AGENT_JOINED","id":"1","client_id":2,"chat_id":12345678901234567890}')),
  )
  assert.is(right(decodeBotEvent(given, receipt)).event.subject, '12345678901234567890')
})

decoding('unknown fields of nested objects and of array items are kept in their place', () => {
  const given = {
    event_name: 'chat_finished',
    widget_id: '1',
    visitor: { number: 1, description: null, chats_count: 1, vip: true },
    organization: null,
    status: null,
    assigned_agent: null,
    tags: null,
    chat_id: 7,
    session: null,
    page: null,
    agents: [],
    chat: {
      messages: [
        { message: 'a', timestamp: 1, type: 'agent' },
        { message: 'b', timestamp: 2, type: 'client', foo: 1 },
      ],
      blacklisted: false,
    },
    topic: { topic_id: 3 },
  }
  const { data } = right(decodeWebhook(given, noId)).event
  assert.equal('extra' in data && data.extra, {
    topic: { topic_id: 3 },
    visitor: { vip: true },
    chat: { messages: { 1: { foo: 1 } } },
  })
})

for (const { name, codec, event } of [...webhookForms, ...botEventForms])
  decoding(`${name}: a mutated payload is an event of the contract, or what makes it an event is wrong`, () => {
    const [decode, given] = event.hasId ? [decodeBotEvent, receipt] : [decodeWebhook, noId]
    fc.assert(
      fc.property(mutationsOf(arbitraryOf(codec)), (made) => {
        const decoded = decode(JSON.parse(JSON.stringify(made) ?? 'null'), given)
        if (E.isRight(decoded)) assert.ok(DomainEvent.is(decoded.right.event))
        else if (decoded.left.kind === 'invalid')
          for (const { path } of decoded.left.problems)
            assert.ok(['', 'event_name', 'event', 'id', 'chat_id', 'client_id', 'message'].includes(path), path)
      }),
      { numRuns: 150 },
    )
  })

decoding.run()
