import { CloudEvent, Kafka } from 'cloudevents'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleCommands } from '../../../contracts/commands/bot-reply.ts'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { ceDataSchema, ceType } from '../../../contracts/topics.ts'
import type { IncomingRecord, OutgoingRecord } from '../../../src/bridge/domain/log/record.ts'
import { decodeRecord, fromCommand, fromRecord, toRecord } from '../../../src/bridge/kafka/records.ts'
import { arbitraryOf } from '../../support/arbitraries.ts'
import { right } from '../../support/either.ts'

const bytes = (part: string | Buffer | null) => (part === null ? null : Buffer.from(part))

/** A record as it is read after it was written. */
const asRead = ({ topic, key, value, headers }: OutgoingRecord): IncomingRecord => ({
  topic,
  partition: 0,
  offset: 0,
  timestamp: 0,
  key: bytes(key),
  value: bytes(value),
  headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, Buffer.from(header)])),
})

const event = fc
  .oneof(...DomainEvent.types.map((codec) => arbitraryOf(codec)))
  .map((given) => right<DomainEvent>(DomainEvent.decode(JSON.parse(JSON.stringify(given)))))

const closed = right<DomainEvent>(
  DomainEvent.decode({
    type: 'ChatClosed',
    id: 'e1',
    source: '/accounts/acme/bot',
    subject: '2037',
    time: '2026-01-31T12:00:00.000Z',
    data: { accountId: 'acme', chatId: '2037', clientId: '1233' },
  }),
)
const record = asRead(toRecord(closed))
const causeOf = (given: Partial<IncomingRecord>) => {
  const read = fromRecord({ ...record, ...given })
  return E.isLeft(read) ? `${read.left.cause}: ${read.left.detail}` : 'an event'
}
const without = (name: string) =>
  Object.fromEntries(Object.entries(record.headers).filter(([header]) => header !== name))

const cloudEvents = suite('cloud events')

cloudEvents('an event stays the same when it is written and read', () => {
  fc.assert(
    fc.property(event, (given) => {
      const read = fromRecord(asRead(toRecord(given)))
      assert.equal(read, E.right(given))
    }),
    { numRuns: 300 },
  )
})

cloudEvents('its headers equal those of the CloudEvents package', () => {
  fc.assert(
    fc.property(event, (given) => {
      const { type, id, source, subject, time, traceparent, contentHash, receivedTime } = given
      const attributes = { id, source, subject, time, type: ceType(type), dataschema: ceDataSchema(type) }
      const { headers } = Kafka.binary(new CloudEvent({ ...attributes, datacontenttype: 'application/json' }, false))
      const expected = Object.entries(headers).filter(([, header]) => header !== undefined)
      assert.equal(toRecord(given).headers, {
        ...Object.fromEntries(expected.filter(([name]) => name !== 'ce_datacontenttype')),
        ...(traceparent !== undefined && { traceparent, ce_traceparent: traceparent }),
        ...(contentHash !== undefined && { ce_contenthash: contentHash }),
        ...(receivedTime !== undefined && { ce_receivedtime: receivedTime }),
      })
    }),
  )
})

cloudEvents('an id that begins with a byte order mark is read as it was written', () => {
  const marked = '\uFEFF2037'
  const given = { ...closed, subject: marked, data: { ...closed.data, chatId: marked } } as DomainEvent

  assert.equal(fromRecord(asRead(toRecord(given))), E.right(given))
})

cloudEvents('a record that is not an event is refused with the path and without a value', () => {
  assert.equal(
    [
      causeOf({}),
      causeOf({ value: null }),
      causeOf({ value: Buffer.from([0x22, 0xff, 0x22]) }),
      causeOf({ value: Buffer.from('{"secret":') }),
      causeOf({ value: Buffer.from('{"accountId":"acme"}') }),
      causeOf({ value: Buffer.from('{"chatId":"1","chatId":"2"}') }),
      causeOf({ headers: without('ce_id') }),
      causeOf({ headers: { ...record.headers, ce_specversion: Buffer.from('0.3') } }),
      causeOf({ headers: { ...record.headers, ce_type: Buffer.from('secret') } }),
      causeOf({ headers: { ...record.headers, ce_id: Buffer.from([0xff]) } }),
      causeOf({ topic: 'chats' }),
    ],
    [
      'an event',
      'no-value: value: expected JSON',
      'not-utf8: value: expected valid UTF-8',
      'not-json: value: expected JSON',
      'contract: data.chatId: expected text of 1 to 255 characters',
      'repeated-key: chatId: expected one value, not several',
      'headers: expected ce_id',
      'headers: ce_specversion: expected 1.0',
      'headers: ce_type: expected an event of bot-conversations',
      'headers: expected UTF-8',
      'headers: ce_type: expected an event of chats',
    ],
  )
})

cloudEvents('brackets that are nested a million deep are refused, and brackets in text do not count', () => {
  const deep = '['.repeat(1_000_000)
  const text = JSON.stringify({ accountId: 'acme', chatId: '2037', extra: { text: `"${deep}\\` } })

  assert.is(causeOf({ value: Buffer.from(deep) }), 'too-deep: value: expected JSON nested at most 64 deep')
  assert.is(causeOf({ value: Buffer.from(text) }), 'an event')
})

const commandOf = (chatId: string) => ({
  value: Buffer.from(`{"type":"InviteAgent","id":"c1","accountId":"acme","chatId":${chatId},"clientId":1233}`),
})

cloudEvents('an id beyond 2^53 that other producers write as a number is not rounded to another id', () => {
  const chatIds = ['2037', '9007199254740993', '"9007199254740993"'].map((given) => {
    const read = fromCommand(commandOf(given))
    return E.isRight(read) ? read.right.chatId : read.left.detail
  })

  assert.equal(chatIds, ['2037', '9007199254740993', '9007199254740993'])
})

cloudEvents('a group of a command that does not fit costs only itself', () => {
  const rows = [
    ['its name', 'shop-bot', 'shop-bot'],
    ['null: not known', null, null],
    ['empty', '', undefined],
    ['a number', 7, undefined],
    ['an object', { name: 'shop-bot' }, undefined],
    ['255 characters', 'g'.repeat(255), 'g'.repeat(255)],
    ['one more', 'g'.repeat(256), undefined],
    ['a control character', 'shop\u0000bot', undefined],
  ] as const
  for (const [name, group, expected] of rows)
    for (const command of Object.values(exampleCommands)) {
      const value = Buffer.from(JSON.stringify({ ...command, group }))
      for (const read of [
        fromCommand({ value }),
        decodeRecord({ ...asRead(toRecord(closed)), topic: 'bot-replies', value }),
      ])
        assert.equal(E.map((given: object) => Reflect.get(given, 'group'))(read), E.right(expected), name)
    }
})

cloudEvents('a number that only a double can represent is read unchanged', () => {
  const extra = { integer: 1e20, beyondSafe: 2 ** 53 + 2, small: 5e-324 }
  const given = { ...closed, data: { ...closed.data, extra } }
  assert.equal(fromRecord(asRead(toRecord(given as DomainEvent))), E.right(given))
})

cloudEvents.run()
