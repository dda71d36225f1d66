import * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exactShape, nullable, shape } from '../../contracts/primitives.ts'
import { compile } from '../../src/publishing/json-schema.ts'

const Tag = exactShape({ id: t.number }, { title: t.string }, 'Tag')
const tag = {
  type: 'object',
  properties: { id: { type: 'number' }, title: { type: 'string' } },
  required: ['id'],
}
const nameless = () => undefined
const fieldDoc = () => undefined
const schemaOf = (codec: t.Mixed) => compile([codec], nameless, '$defs').schemas[0]

const jsonSchema = suite('compiling codecs to JSON Schema')

jsonSchema('an intersection of required and optional fields is one flat object, exact or not', () => {
  assert.equal(schemaOf(Tag), tag)
  assert.equal(schemaOf(shape({ id: t.number }, { title: t.string }, 'Open')), tag)
})

jsonSchema('each structure has its schema', () => {
  const cases: ReadonlyArray<readonly [t.Mixed, unknown]> = [
    [t.keyof({ a: null, b: null }), { type: 'string', enum: ['a', 'b'] }],
    [t.literal(true), { type: 'boolean', const: true }],
    [t.union([t.literal('a'), t.literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    [t.union([t.string, t.number]), { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [nullable(t.string), { type: ['string', 'null'] }],
    [nullable(t.literal('a')), { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] }],
    [t.union([t.string, t.number, t.null]), { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] }],
    [t.array(Tag), { type: 'array', items: tag }],
    [t.record(t.string, t.boolean), { type: 'object', additionalProperties: { type: 'boolean' } }],
    [t.UnknownRecord, { type: 'object' }],
    [t.strict({}), { type: 'object', properties: {} }],
  ]
  for (const [codec, expected] of cases) assert.equal(schemaOf(codec), expected, codec.name)
})

jsonSchema('a named part is defined once, with its description, and referred to', () => {
  const partOf = (codec: t.Mixed) => (codec === Tag ? { name: 'Tag', description: 'A tag.', fieldDoc } : undefined)
  assert.equal(compile([t.type({ first: Tag, more: t.array(Tag) })], partOf, '$defs'), {
    schemas: [
      {
        type: 'object',
        properties: { first: { $ref: '#/$defs/Tag' }, more: { type: 'array', items: { $ref: '#/$defs/Tag' } } },
        required: ['first', 'more'],
      },
    ],
    definitions: { Tag: { description: 'A tag.', ...tag } },
  })
})

jsonSchema('what it cannot say truthfully is an error', () => {
  const named = (codec: t.Mixed) =>
    codec instanceof t.ArrayType ? undefined : { name: 'Same', description: '', fieldDoc }
  assert.throws(() => compile([t.array(t.string), t.array(t.number)], named, '$defs'), /two codecs are named Same/)
  assert.throws(
    () => schemaOf(t.intersection([t.type({ a: t.string }), t.partial({ a: t.string })])),
    /describes a twice/,
  )
  assert.throws(() => schemaOf(t.union([t.literal('a'), t.literal(1)])), /literals of several types/)
  assert.throws(() => schemaOf(t.unknown), /the codec unknown has no JSON Schema/)
})

jsonSchema.run()
