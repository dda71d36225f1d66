import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Direction, directionOf } from '../../../src/tools/publishing/catalogue.ts'
import { breakingChanges, topicBreaks } from '../../../src/tools/publishing/compatibility/breaks.ts'
import { parseRelease, releaseText } from '../../../src/tools/publishing/compatibility/release.ts'
import { type PublishedTopic, publishedTopics } from '../../../src/tools/publishing/files.ts'
import type { Schema } from '../../../src/tools/publishing/schema.ts'
import { schemaDocuments } from '../../../src/tools/publishing/schemas.ts'
import { partOf } from './current.ts'

const directions: ReadonlyArray<Direction> = ['event', 'received', 'given']

/** The breaking changes of one schema, by its direction (who writes it and who reads it). */
const brokenBy = (before: Schema, after: Schema) =>
  Object.fromEntries(
    directions.map((direction) => [
      direction,
      breakingChanges(new Map([['It', before]]), new Map([['It', after]]), () => direction).map(
        ({ path, change }) => `${path}: ${change}`,
      ),
    ]),
  )

const everywhere = (...changes: string[]) => ({ event: changes, received: changes, given: changes })
const narrowed = (...changes: string[]) => ({ event: changes, received: changes, given: [] })
const widened = (...changes: string[]) => ({ event: changes, received: [], given: changes })
const nobody = everywhere()

const text: Schema = { type: 'string' }
const count: Schema = { type: 'integer', minimum: 0 }
const object = (properties: Schema, ...required: string[]): Schema => ({ type: 'object', properties, required })
const holding = (field: Schema): Schema => object({ field }, 'field')
const before = object({ id: text, name: text }, 'id')
const message = (type: string): Schema => object({ type: { type: 'string', const: type } }, 'type')

const cases: Readonly<Record<string, readonly [Schema, Schema, ReturnType<typeof brokenBy>]>> = {
  'nothing changed': [before, before, nobody],
  'another description': [before, { ...before, title: 'It', description: 'Better words.' }, nobody],
  'a new optional field': [before, object({ id: text, name: text, more: count }, 'id'), nobody],
  'a new required field': [
    before,
    object({ id: text, name: text, more: count }, 'id', 'more'),
    narrowed('more: required field added'),
  ],
  'an optional field removed': [before, object({ id: text }, 'id'), everywhere('name: field removed')],
  'a required field removed': [before, object({ name: text }), everywhere('id: field removed')],
  'a field renamed': [before, object({ key: text, name: text }), everywhere('id: field removed')],
  'an optional field that became required': [
    before,
    object({ id: text, name: text }, 'id', 'name'),
    narrowed('name: became required'),
  ],
  'a required field that became optional': [before, object({ id: text, name: text }), widened('id: became optional')],
  'another type': [holding(text), holding(count), everywhere('field: type changed from string to integer')],
  'whole numbers that became numbers': [
    holding({ type: 'integer' }),
    holding({ type: 'number' }),
    widened('field: type changed from integer to number'),
  ],
  'numbers that became whole numbers': [
    holding({ type: 'number' }),
    holding({ type: 'integer' }),
    narrowed('field: type changed from number to integer'),
  ],
  'an added value of an enumeration': [
    holding({ type: 'string', enum: ['a'] }),
    holding({ type: 'string', enum: ['a', 'b'] }),
    widened('field: value added: b'),
  ],
  'a removed value of an enumeration': [
    holding({ type: 'string', enum: ['a', 'b'] }),
    holding({ type: 'string', enum: ['b'] }),
    narrowed('field: value removed: a'),
  ],
  'the order of an enumeration': [
    holding({ type: 'string', enum: ['a', 'b'] }),
    holding({ type: 'string', enum: ['b', 'a'] }),
    nobody,
  ],
  'a constant that became an enumeration': [
    holding({ type: 'string', const: 'a' }),
    holding({ type: 'string', enum: ['a', 'b'] }),
    widened('field: value added: b'),
  ],
  'text that became an enumeration': [
    holding(text),
    holding({ type: 'string', enum: ['a', 'b'] }),
    narrowed('field: only these values are allowed now: a, b'),
  ],
  'an enumeration that became text': [
    holding({ type: 'string', enum: ['a', 'b'] }),
    holding(text),
    widened('field: no longer only a, b'),
  ],
  'a higher minimum': [
    holding(count),
    holding({ type: 'integer', minimum: 1 }),
    narrowed('field: minimum changed from 0 to 1'),
  ],
  'a removed minimum': [holding(count), holding({ type: 'integer' }), widened('field: minimum changed from 0 to none')],
  'a first maximum length': [
    holding(text),
    holding({ type: 'string', maxLength: 9 }),
    narrowed('field: maxLength changed from none to 9'),
  ],
  'a higher maximum length': [
    holding({ type: 'string', maxLength: 9 }),
    holding({ type: 'string', maxLength: 10 }),
    widened('field: maxLength changed from 9 to 10'),
  ],
  'another pattern': [
    holding({ type: 'string', pattern: '^a' }),
    holding({ type: 'string', pattern: '^b' }),
    everywhere('field: pattern changed'),
  ],
  'a first pattern': [holding(text), holding({ type: 'string', pattern: '^a' }), narrowed('field: pattern added')],
  'a field that may be null': [
    holding(text),
    holding({ type: ['string', 'null'] }),
    widened('field: alternative added: null'),
  ],
  'a field that may no longer be null': [
    holding({ anyOf: [text, { type: 'null' }] }),
    holding(text),
    narrowed('field: alternative removed: null'),
  ],
  'another notation for a nullable field': [
    holding({ anyOf: [text, { type: 'null' }] }),
    holding({ type: ['string', 'null'] }),
    nobody,
  ],
  'an added message type': [
    holding({ anyOf: [message('TEXT')] }),
    holding({ anyOf: [message('TEXT'), message('CARD')] }),
    widened('field: alternative added: CARD'),
  ],
  'a change inside the items of an array': [
    holding({ type: 'array', items: before }),
    holding({ type: 'array', items: object({ id: text }, 'id') }),
    everywhere('field[].name: field removed'),
  ],
  'a change inside the values of a record': [
    holding({ type: 'object', additionalProperties: text }),
    holding({ type: 'object', additionalProperties: count }),
    everywhere('field{}: type changed from string to integer'),
  ],
  'unknown fields are no longer allowed': [
    before,
    { ...before, additionalProperties: false },
    narrowed('{}: additionalProperties changed'),
  ],
  'a definition that was inlined': [
    { ...holding({ $ref: '#/$defs/Name' }), $defs: { Name: text } },
    holding(text),
    nobody,
  ],
  'a change in a definition': [
    { ...holding({ $ref: '#/$defs/Part' }), $defs: { Part: before } },
    { ...holding({ $ref: '#/$defs/Part' }), $defs: { Part: object({ id: text }, 'id') } },
    everywhere('field.name: field removed'),
  ],
}

const compatibility = suite('compatibility')

for (const [name, [from, to, expected]] of Object.entries(cases))
  compatibility(`${name} breaks ${expected === nobody ? 'nobody' : 'whom the rule names'}`, () => {
    assert.equal(brokenBy(from, to), expected)
  })

compatibility('a published schema is never removed, a new one may be added', () => {
  const old = new Map([['ChatAccepted.v1', before]])
  assert.equal(
    breakingChanges(old, new Map([['ChatAccepted.v2', before]]), () => 'event'),
    [{ schema: 'ChatAccepted.v1', path: '', change: 'schema removed', breaks: 'every reader and writer' }],
  )
  assert.equal(
    breakingChanges(old, new Map([...old, ['ChatAccepted.v2', text]]), () => 'event'),
    [],
  )
})

compatibility('the headers of events may name more types, and never fewer', () => {
  const headers = (...types: ReadonlyArray<string>) =>
    new Map([['EventHeaders', holding({ type: 'string', enum: types })]])
  const types = (from: ReadonlyMap<string, Schema>, to: ReadonlyMap<string, Schema>, field: string) => {
    const renamed = (schemas: ReadonlyMap<string, Schema>) =>
      new Map(
        [...schemas].map(([name, { properties }]) => [name, object({ [field]: (properties as Schema).field ?? {} })]),
      )
    return breakingChanges(renamed(from), renamed(to), () => 'given').map(({ path, change }) => `${path}: ${change}`)
  }
  const [one, two] = [
    headers('livechat.ChatAccepted.v1'),
    headers('livechat.ChatAccepted.v1', 'livechat.ChatUpdated.v1'),
  ]
  assert.equal(types(one, two, 'ce_type'), [])
  assert.equal(types(one, two, 'ce_dataschema'), [])
  assert.equal(types(one, two, 'content-type'), ['content-type: value added: livechat.ChatUpdated.v1'])
})

compatibility('each break names the affected side', () => {
  const [from, to] = [new Map([['It', before]]), new Map([['It', object({ id: text, name: text })]])]
  assert.equal(
    breakingChanges(from, to, () => 'event'),
    [
      {
        schema: 'It',
        path: 'id',
        change: 'became optional',
        breaks: 'old readers: new values do not fit',
      },
    ],
  )
})

compatibility('the contracts are compatible with themselves', () => {
  const now = schemaDocuments(partOf)
  assert.equal(breakingChanges(now, now, directionOf), [])
})

const chats = { key: '<account id>/<chat id>', compacted: false, keptMs: null, schemas: ['ChatAccepted.v1'] }

compatibility('a topic keeps its key, clean-up and events; it may have a longer retention and more events', () => {
  const changes = (before: PublishedTopic, after: PublishedTopic | undefined) =>
    topicBreaks(new Map([['chats', before]]), new Map(after && [['chats', after]])).map(({ change }) => change)
  const week = { ...chats, keptMs: 604_800_000 }
  assert.equal(changes(chats, chats), [])
  assert.equal(changes(week, chats), [])
  assert.equal(changes(chats, { ...chats, schemas: ['ChatAccepted.v1', 'ChatAccepted.v2'] }), [])
  assert.equal(changes(chats, undefined), ['topic removed'])
  assert.equal(changes(chats, week), ['kept for 604800000 ms instead of permanently'])
  assert.equal(changes(chats, { ...chats, key: '<account id>', compacted: true, schemas: [] }), [
    'key changed from <account id>/<chat id> to <account id>',
    'is compacted now',
    'no longer carries ChatAccepted.v1',
  ])
})

compatibility('the contracts are compatible with the release', () => {
  const { schemas, topics } = parseRelease(
    readFileSync(new URL('../../../contracts/released.json', import.meta.url), 'utf8'),
  )
  assert.ok(schemas.size > 50)
  assert.equal(breakingChanges(schemas, schemaDocuments(partOf), directionOf), [])
  assert.ok(topics.size >= 9)
  assert.equal(topicBreaks(topics, new Map(Object.entries(publishedTopics()))), [])
})

compatibility('a stored release has all that the check compares, even a field with the name of a keyword', () => {
  const described = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'It',
    ...object({ title: { ...text, description: 'Its title.' }, part: { $ref: '#/$defs/description' } }, 'title'),
    $defs: { description: { description: 'A part.', type: 'string', enum: ['title'] } },
  }
  const topics = new Map([['chats', chats]])
  const corrections = ['ids were too narrow']
  const given = { version: '1.2.3', corrections, schemas: new Map([['It', described]]), topics }
  const { version, schemas, ...rest } = parseRelease(releaseText(given))
  assert.equal(rest, { corrections, topics })
  assert.is(version, '1.2.3')
  assert.equal(schemas.get('It'), {
    ...object({ title: text, part: { $ref: '#/$defs/description' } }, 'title'),
    $defs: { description: { type: 'string', enum: ['title'] } },
  })
})

compatibility.run()
