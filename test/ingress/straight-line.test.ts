import fc from 'fast-check'
import * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as messages from '../../contracts/bot-api/inbound.ts'
import * as webhooks from '../../contracts/webhooks/events.ts'
import { camelCase, renameOf } from '../../src/ingress/domain-names.ts'
import { isJsonObject } from '../../src/ingress/json-object.ts'
import { type Parted, partOf } from '../../src/ingress/known-and-extra.ts'
import { type Structure, structureOf } from '../../src/ingress/structure.ts'
import { mutationsOf } from '../publishing/mutations.ts'
import { arbitraryOf } from '../support/arbitraries.ts'

const sent = [webhooks, messages].flatMap((codecs) => Object.values(codecs).filter((each) => each instanceof t.Type))

/** What a structure's functions are to do, said without any regard to what it costs. */
const objectOf = (structure: Structure, value: unknown) => {
  if (!isJsonObject(value)) return undefined
  const object = structure.kind === 'tagged' ? structure.cases.get(value[structure.tag]) : structure
  return object?.kind === 'object' ? { fields: object.fields, entries: Object.entries(value) } : undefined
}

const plainlyRenamed = (structure: Structure, value: unknown): unknown => {
  if (structure.kind === 'array' && Array.isArray(value)) return value.map((v) => plainlyRenamed(structure.items, v))
  const object = objectOf(structure, value)
  if (object === undefined || !isJsonObject(value)) return value
  const found = [...object.fields].filter(([name]) => Object.hasOwn(value, name) && value[name] !== null)
  return Object.fromEntries(found.map(([name, inner]) => [camelCase(name), plainlyRenamed(inner, value[name])]))
}

const plainlyParted = (structure: Structure, value: unknown): Parted => {
  if (structure.kind === 'array' && Array.isArray(value)) {
    const parted = value.map((item) => plainlyParted(structure.items, item))
    const extra = parted.flatMap(({ extra }, i) => (extra === undefined ? [] : [[String(i), extra] as const]))
    return {
      known: parted.map(({ known }) => known),
      extra: extra.length > 0 ? Object.fromEntries(extra) : undefined,
    }
  }
  const object = objectOf(structure, value)
  if (object === undefined) return { known: value, extra: undefined }
  const known: Array<[string, unknown]> = []
  const extra: Array<[string, unknown]> = []
  for (const [name, field] of object.entries) {
    const inner = object.fields.get(name)
    const parted = inner === undefined ? { known: undefined, extra: field } : plainlyParted(inner, field)
    if (inner !== undefined) known.push([name, parted.known])
    if (parted.extra !== undefined) extra.push([name, parted.extra])
  }
  return { known: Object.fromEntries(known), extra: extra.length > 0 ? Object.fromEntries(extra) : undefined }
}

const text = (value: unknown) => JSON.stringify(value)

const straightLine = suite('functions made for a structure')

for (const codec of sent) {
  const structure = structureOf(codec)
  const [part, rename] = [partOf(structure), renameOf(structure)]

  straightLine(
    `${codec.name}: every value is parted and renamed as the structure says, fields in the same order`,
    () => {
      fc.assert(
        fc.property(mutationsOf(arbitraryOf(codec)), (made) => {
          const value = JSON.parse(text(made) ?? 'null')
          const parted = part(value)

          assert.is(text(parted), text(plainlyParted(structure, value)))
          assert.is(text(rename(value)), text(plainlyRenamed(structure, value)))
          assert.is(text(rename(parted.known)), text(plainlyRenamed(structure, parted.known)))
        }),
        { numRuns: 150 },
      )
    },
  )
}

straightLine('a value of which all is known is not copied', () => {
  const codec = t.type({ id: t.string, items: t.array(t.type({ constructor: t.string })) }, 'Known')
  const value = { id: '1', items: [{ constructor: 'x' }] }

  assert.is(partOf(structureOf(codec))(value).known, value)
})

straightLine.run()
