import fc from 'fast-check'
import type * as t from 'io-ts'
import { BSON } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ErasureDocument } from '../../../contracts/views/erasure.ts'
import { numberTypesOf, withNumberTypes } from '../../../src/bridge/mongo/number-types.ts'
import { rebuiltName, swapName } from '../../../src/bridge/mongo/rebuild/collections.ts'
import { storable } from '../../../src/bridge/views/free-form.ts'
import { contractOf, viewNames } from '../../../src/bridge/views/index.ts'
import { arbitraryOf } from '../../support/arbitraries.ts'
import { right } from '../../support/either.ts'
import { twoTypesIn, typesOfNumbers } from '../../support/number-types.ts'

const numbers = suite('the types of numbers')

/** A document as MongoDB gets it. */
const sent = (document: object) =>
  BSON.deserialize(BSON.serialize(document, { ignoreUndefined: true }), { promoteValues: false })

const codecs: ReadonlyArray<readonly [name: string, codec: t.Mixed]> = [
  ...viewNames.map((view) => [view, contractOf(view).document] as const),
  ['erasures', ErasureDocument],
]
for (const [name, codec] of codecs)
  numbers(`every field of ${name} has one type, whatever its value`, () => {
    const all = new Map<string, Set<string>>()
    for (const given of fc.sample(arbitraryOf(codec), { numRuns: 50, seed: 1 })) {
      const document = storable(right<object>(codec.decode(given)))
      const encoded = withNumberTypes(codec, document)
      assert.equal(BSON.deserialize(BSON.serialize(encoded)), BSON.deserialize(BSON.serialize(document)))
      typesOfNumbers(sent(encoded), all)
    }
    assert.equal(twoTypesIn(all), [])
    assert.not.ok([...all.values()].some((types) => types.has('int')))
  })

const at = new Date(0)
const rows: ReadonlyArray<readonly [collection: string, document: object, types: Readonly<Record<string, string>>]> = [
  ['chats', { totalMs: 1 }, { totalMs: 'long' }],
  ['chats', { totalMs: 2 ** 31 }, { totalMs: 'long' }],
  ['chats', { applied: { 'chats/0': 1 } }, { 'applied.chats/0': 'long' }],
  ['daily_stats', { figures: { csat: { value: 1 } } }, { 'figures.csat.value': 'double' }],
  ['daily_stats', { figures: { csat: { value: 0.5 } } }, { 'figures.csat.value': 'double' }],
  [
    'chats',
    { visitor: { chatsCount: 3, social: { a: [1, 2.5] } } },
    { 'visitor.chatsCount': 'long', 'visitor.social.a.[]': 'double' },
  ],
  ['timeline', { time: at, offset: 1, data: { a: 1 } }, { offset: 'long', 'data.a': 'double' }],
  ['sessions', { audit: { differences: [{ index: 0 }] } }, { 'audit.differences.[].index': 'long' }],
  [rebuiltName('chats', 'w1'), { totalMs: 1 }, { totalMs: 'long' }],
  [swapName('chats', 'w1'), { totalMs: 1 }, { totalMs: 'long' }],
  ['enrichments', { applied: { 'enrichments/0': 1 } }, { 'applied.enrichments/0': 'int' }],
]
for (const [collection, document, types] of rows)
  numbers(`${collection}: ${JSON.stringify(document)}`, () => {
    const found = typesOfNumbers(sent(numberTypesOf(collection)(document)))
    assert.equal(Object.fromEntries([...found].map(([path, all]) => [path, [...all].join()])), types)
  })

numbers('a document without numbers is not copied', () => {
  const document = { _id: 'acme/1', messages: [{ message: 'Hi' }], visitor: { name: 'Ann' } }
  assert.is(numberTypesOf('chats')(document), document)
})

numbers.run()
