import * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nullable, shape } from '../../contracts/primitives.ts'
import { Opaque } from '../../contracts/wire.ts'
import { renameOf } from '../../src/ingress/domain-names.ts'
import { partOf } from '../../src/ingress/known-and-extra.ts'
import { structureOf } from '../../src/ingress/structure.ts'

const codec = shape(
  { first_name: t.string, items: nullable(t.array(t.type({ item_id: t.number }))) },
  { any_thing: Opaque, last_name: nullable(t.string) },
  'Codec',
)
const structure = structureOf(codec)
const text = (value: unknown) => JSON.stringify(value)

const structures = suite('structure')

structures('known fields are renamed, null and absent ones left out, opaque ones untouched', () => {
  const given = { first_name: 'a', last_name: null, items: [{ item_id: 1 }], any_thing: { inner_name: null } }
  assert.equal(renameOf(structure)(given), { firstName: 'a', items: [{ itemId: 1 }], anyThing: { inner_name: null } })
})

structures('unknown fields are apart, in their place, and leave what is known as it was', () => {
  const known = { first_name: 'a', items: [{ item_id: 1 }, { item_id: 2 }], any_thing: { x: 1 } }
  const given = { ...known, items: [{ item_id: 1 }, { item_id: 2, color: null }], b: [1] }
  assert.equal(partOf(structure)(given), { known, extra: { items: { 1: { color: null } }, b: [1] } })
  assert.equal(partOf(structure)(known), { known, extra: undefined })
})

structures('fields with the names of an object’s own workings are fields like any other', () => {
  const given = JSON.parse(
    '{"first_name":"a","__proto__":{"x":1},"constructor":1,"items":[{"item_id":1,"__proto__":2}]}',
  )
  const { known, extra } = partOf(structure)(given)
  assert.is(text(known), '{"first_name":"a","items":[{"item_id":1}]}')
  assert.is(text(extra), '{"__proto__":{"x":1},"constructor":1,"items":{"0":{"__proto__":2}}}')
})

structures('what has another form is left to the codec to refuse', () => {
  for (const given of [null, 'text', [{ first_name: 'a' }]])
    assert.equal(partOf(structure)(given), { known: given, extra: undefined })
  const items = { first_name: 'a', items: { item_id: 1, color: 'red' } }
  assert.equal(partOf(structure)(items), { known: items, extra: undefined })
})

structures('objects of a union are told apart by their tag, and a union without one is a mistake', () => {
  const a = t.type({ type: t.literal('A'), only_a: t.string })
  const b = t.type({ type: t.literal('B') })
  const part = partOf(structureOf(t.union([a, b])))
  const given = { type: 'B', only_a: 'x' }
  assert.equal(part(given), { known: { type: 'B' }, extra: { only_a: 'x' } })
  assert.equal(part({ type: 'C' }), { known: { type: 'C' }, extra: undefined })
  assert.throws(() => structureOf(t.union([a, t.type({ x: t.string })], 'Tagless')), 'Tagless is a union without a tag')
})

structures.run()
