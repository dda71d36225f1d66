import { deepStrictEqual as same } from 'node:assert'
import fc from 'fast-check'
import { BSON } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { storable } from '../../../src/bridge/views/free-form.ts'
import { freeForm } from '../../support/free-form.ts'

const freeFormValues = suite('free-form values')

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

freeFormValues('that can be stored stay unchanged', () => {
  const given = { a: [1, 'two', null, { 'b.c': true }], '': {} }
  assert.is(storable(given), given)
})

freeFormValues('get field names that MongoDB and its drivers can store', () => {
  const given = JSON.parse(
    '{"$ref":"x","a\\u0000b":1,"_bsontype":"ObjectId","constructor":[],"__proto__":{"$y":1},"\\ud800":"\\udc00"}',
  )
  same(storable(given), {
    '＄ref': 'x',
    'a␀b': 1,
    _bsontype_: 'ObjectId',
    constructor_: [],
    __proto___: { '＄y': 1 },
    '\ufffd': '\ufffd',
  })
})

freeFormValues('that are nested too deep end in text', () => {
  assert.is(depthOf(storable(nested(59))), 59)
  assert.ok(depthOf(storable(nested(5_000))) < 70)
})

freeFormValues('of any depth are accepted', () => {
  const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
  assert.ok(depthOf(storable(deep)) < 70)
})

freeFormValues('are read back from BSON unchanged', () => {
  const text = fc.array(fc.nat(0xffff), { maxLength: 5 }).map((units) => String.fromCharCode(...units))
  fc.assert(
    fc.property(fc.oneof(freeForm, fc.dictionary(text, text, { noNullPrototype: true })), (given) => {
      const stored = storable({ given })
      same(BSON.deserialize(BSON.serialize(stored)), stored)
    }),
    { numRuns: 500 },
  )
})

freeFormValues.run()
