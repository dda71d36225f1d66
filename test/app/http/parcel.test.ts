import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { packing, type Sent, unpack } from '../../../src/app/http/parcel.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 300 })
const sent: fc.Arbitrary<Sent> = fc.record({
  number: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  withinMs: fc.nat(10_000),
  record: fc.record({
    topic: fc.constantFrom('chats', 'calls', 'clients', 'offline-messages', 'bot-conversations'),
    key: text,
    value: text,
    headers: fc.dictionary(fc.string({ maxLength: 20 }), text, { maxKeys: 12, noNullPrototype: true }),
  }),
  type: fc.constantFrom(...DomainEvent.types.map(({ name }) => name as DomainEvent['type'])),
  source: fc.string({ minLength: 1, maxLength: 80 }).map((source) => source as Sent['source']),
})
const plain = ({ record: { topic, key, value, headers }, ...rest }: Sent) => ({
  ...rest,
  record: { topic, key, value, headers },
})

const parcel = suite('a parcel of records')

parcel('what is packed comes out as it was, turn by turn', () => {
  fc.assert(
    fc.property(fc.array(fc.array(sent, { maxLength: 20 }), { maxLength: 4 }), (turns) => {
      const { add, take } = packing()
      const taken = turns.map((turn) => {
        turn.forEach(add)
        return take()
      })
      assert.equal(
        taken.map((bytes) => [...unpack(bytes)].map(plain)),
        turns.map((turn) => turn.map(plain)),
      )
    }),
  )
})

parcel('a parcel is memory of its own, which can be given away', () => {
  const { add, take } = packing()
  const record = { topic: 'chats', key: 'a/1', value: '{}', headers: {} } as const
  add({ number: 1, withinMs: 5, record, type: 'ChatAccepted', source: '/accounts/a/webhooks' as Sent['source'] })
  const bytes = take()

  assert.is(bytes.buffer.byteLength, bytes.byteLength)
  assert.is(take().length, 0)
})

parcel.run()
