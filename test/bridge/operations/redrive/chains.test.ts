import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../../../contracts/primitives.ts'
import { type Chained, chainsOf, isIn } from '../../../../src/bridge/operations/redrive/chains.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
let failures = 0
const letter = (more: Partial<Chained> = {}): Chained => ({
  key: 'acme/1',
  topic: 'bot-replies',
  consumer: 'egress',
  firstFailedAt: noon,
  checksum: 20,
  redriven: 0,
  failure: `${failures++}`,
  sentAt: [],
  ...more,
})
/** The place of the newest failure of each record, those of its earlier ones, and its state. */
const told = (all: ReadonlyArray<Chained>) =>
  chainsOf(all).map(({ newest, earlier, state }) => [all.indexOf(newest), earlier.map((it) => all.indexOf(it)), state])

const letters = suite('states of dead letters')

letters('a letter that was not sent again is unresolved', () => assert.equal(told([letter()]), [[0, [], 'unresolved']]))

letters('a letter that was sent, and whose record has not failed since, is sent', () =>
  assert.equal(told([letter({ sentAt: [noon] })]), [[0, [], 'sent']]),
)

letters('a record that failed again is one letter, at its newest failure', () =>
  assert.equal(told([letter({ sentAt: [noon] }), letter({ redriven: 1 })]), [[1, [0], 'failed-again']]),
)

letters('when the newest failure is sent, the record is sent', () =>
  assert.equal(told([letter({ sentAt: [noon] }), letter({ redriven: 1, sentAt: [noon] })]), [[1, [0], 'sent']]),
)

letters('earlier failures are in the order of the failures, also when they are given in another', () =>
  assert.equal(told([letter({ redriven: 1 }), letter({ redriven: 2 }), letter()]), [[1, [2, 0], 'failed-again']]),
)

const later = { firstFailedAt: '2026-01-31T12:00:01.000Z' }

letters('a failure that was kept twice is one letter', () => {
  const copy = { failure: 'chats/0/7' }
  assert.equal(told([letter(copy), letter({ ...copy, ...later })]), [[0, [], 'unresolved']])
  const sent = { ...copy, sentAt: [noon] }
  assert.equal(told([letter(sent), letter({ ...sent, ...later })]), [[0, [], 'sent']])
})

letters('the later failure of either copy is a failure of the same record', () => {
  const sent = { failure: 'chats/0/7', sentAt: [noon] }
  const copies = [letter(sent), letter({ ...sent, ...later })]
  assert.equal(told([...copies, letter({ redriven: 1 })]), [[2, [0], 'failed-again']])
  assert.equal(told([...copies, letter({ ...later, redriven: 1 })]), [[2, [1], 'failed-again']])
})

letters('a later failure that was kept twice is one letter too', () => {
  const again = { failure: 'chats/0/9', redriven: 1 }
  assert.equal(told([letter({ sentAt: [noon] }), letter(again), letter(again)]), [[1, [0], 'failed-again']])
})

for (const [what, other] of Object.entries({
  'of another key': { key: 'acme/2' },
  'of another topic': { topic: 'chats' },
  'of another consumer': { consumer: 'projector' },
  'that began to fail at another time': { firstFailedAt: '2026-01-31T12:00:01.000Z' },
  'with other content': { checksum: 21 },
}))
  letters(`a failure ${what} is another record`, () =>
    assert.equal(told([letter({ sentAt: [noon] }), letter({ redriven: 1, ...other })]), [
      [0, [], 'sent'],
      [1, [], 'failed-again'],
    ]),
  )

letters('each letter is in one chain, and sending and failing again changes no number of records', () => {
  const attempts = fc.array(fc.record({ key: fc.constantFrom('acme/1', 'acme/2', 'acme/3'), sends: fc.nat(3) }))
  fc.assert(
    fc.property(attempts, (records) => {
      const all = records.flatMap(({ key, sends }, i) =>
        Array.from({ length: sends + 1 }, (_, redriven) =>
          letter({ key, checksum: i, redriven, sentAt: redriven < sends ? [noon] : [] }),
        ),
      )
      const chains = chainsOf(all)
      assert.is(chains.length, records.length)
      assert.equal(new Set(chains.flatMap(({ newest, earlier }) => [newest, ...earlier])), new Set(all))
      assert.is(chains.filter(({ state }) => isIn('unresolved', state)).length, records.length)
    }),
  )
})

for (const [name, more, state] of [
  ['never sent', {}, 'erased'],
  ['failed again', { redriven: 1 }, 'erased'],
  ['sent before the erasure', { sentAt: [noon] }, 'sent'],
] as const)
  letters(`a letter of a person who was erased since cannot be sent, so nobody must act on it: ${name}`, () => {
    const [chain] = chainsOf([letter({ ...more, erased: true })])
    assert.equal([chain?.state, isIn('unresolved', state)], [state, false])
  })

letters.run()
