import * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exactShape, nullable, shape } from '../../../contracts/primitives.ts'
import { compile, titled } from '../../../src/tools/publishing/json-schema.ts'

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
    [t.literal(true), { type: 'boolean', const: true, enum: [true] }],
    [t.union([t.literal('a'), t.literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    [t.union([t.string, t.number]), { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [nullable(t.string), { type: ['string', 'null'] }],
    [nullable(t.literal('a')), { anyOf: [{ type: 'string', const: 'a', enum: ['a'] }, { type: 'null' }] }],
    [t.union([t.string, t.number, t.null]), { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] }],
    [t.array(Tag), { type: 'array', items: tag }],
    [t.record(t.string, t.boolean), { type: 'object', additionalProperties: { type: 'boolean' } }],
    [t.UnknownRecord, { type: 'object' }],
    [t.strict({}), { type: 'object', properties: {} }],
  ]
  for (const [codec, expected] of cases) assert.equal(schemaOf(codec), expected, codec.name)
})

jsonSchema('a named part is defined once, with its description, and referenced', () => {
  const partOf = (codec: t.Mixed) => (codec === Tag ? { name: 'Tag', description: 'A tag.', fieldDoc } : undefined)
  assert.equal(compile([t.type({ first: Tag, more: t.array(Tag) })], partOf, '$defs'), {
    schemas: [
      {
        type: 'object',
        properties: { first: { $ref: '#/$defs/Tag' }, more: { type: 'array', items: { $ref: '#/$defs/Tag' } } },
        required: ['first', 'more'],
      },
    ],
    definitions: { Tag: { title: 'Tag', description: 'A tag.', ...tag } },
  })
})

jsonSchema('a named leaf is inlined in its field, with the description of the field or its own', () => {
  const Colour = t.string
  const partOf = (codec: t.Mixed) =>
    codec === Colour ? { name: 'Colour', description: 'A colour.', fieldDoc } : undefined
  assert.equal(compile([t.type({ front: Colour })], partOf, '$defs'), {
    schemas: [
      { type: 'object', properties: { front: { type: 'string', description: 'A colour.' } }, required: ['front'] },
    ],
    definitions: {},
  })
})

jsonSchema('a field that refers to a part keeps its own description, next to the reference', () => {
  const Page = t.type({ tag: Tag }, 'Page')
  const partOf = (codec: t.Mixed) => (codec === Tag ? { name: 'Tag', description: 'A tag.', fieldDoc } : undefined)
  const [page] = compile([Page], partOf, '$defs', undefined, (path) => `The ${path}.`).schemas
  assert.equal(page?.properties, { tag: { title: 'Tag', description: 'The tag.', allOf: [{ $ref: '#/$defs/Tag' }] } })
})

jsonSchema('every inner object and enumeration has a title made of its path', () => {
  const codec = t.type({ last_message: t.type({ kind: t.keyof({ a: null }) }), more: t.array(t.type({})) })
  const [schema = {}] = compile([codec], nameless, '$defs').schemas
  const titles = [...JSON.stringify(titled(schema, 'Chat')).matchAll(/"title":"(\w+)"/g)].map(([, title]) => title)
  assert.equal(titles, ['Chat', 'ChatLastMessage', 'ChatLastMessageKind', 'ChatMoreItem'])
})

jsonSchema('a codec that a schema cannot express is an error', () => {
  const named = (codec: t.Mixed) =>
    codec instanceof t.ArrayType ? undefined : { name: 'Same', description: '', fieldDoc }
  const Other = t.type({ id: t.string })
  assert.throws(() => compile([t.array(Tag), t.array(Other)], named, '$defs'), /two codecs are named Same/)
  assert.throws(
    () => schemaOf(t.intersection([t.type({ a: t.string }), t.partial({ a: t.string })])),
    /describes a twice/,
  )
  assert.throws(() => schemaOf(t.union([t.literal('a'), t.literal(1)])), /literals of several types/)
  assert.throws(() => schemaOf(t.unknown), /the codec unknown has no JSON Schema/)
})

jsonSchema.run()
