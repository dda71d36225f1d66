import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { published } from '../../../src/tools/publishing/catalogue.ts'
import { fieldDocs } from '../../../src/tools/publishing/docstrings.ts'
import type { Schema } from '../../../src/tools/publishing/schema.ts'
import { schemaDocument } from '../../../src/tools/publishing/schemas.ts'
import { partOf } from './current.ts'

const parts = `
export const names = { topic: 'dl_topic' } as const
/** What both have in common. */
export const common = {
  required: {
    /** Whose it is. */
    accountId: AccountId,
  },
  optional: {
    /** The rest. */
    extra: t.UnknownRecord,
  },
}
`
const codecs = `
import { common, names as others } from '../parts.ts'
import { names } from '../parts.ts'

const Inner = exactShape({
  /** When it was. */
  at: Instant,
}, {}, 'Inner')

const error = t.strict({
  /** A word: not \`a, b\`, } or { of code. */
  code: t.keyof({ one: null }),
}, 'error')

/** The whole. */
export const Outer = exactShape(
  {
    ...common.required,
    // Not said of anything.
    bare: t.string,
    /** Several. */
    many: t.array(Inner),
    /** A key of another. */
    [names.topic]: t.string,
    /** Quoted. */
    'content-type': t.string,
    /** What went wrong. */
    error,
    /** One
     * more.
     */
    last: exactShape({
      /** Inside. */
      bare: t.string,
    }, {}, 'Last'),
  },
  common.optional,
  'Outer',
)
`

const fields = suite('docstrings of fields')

fields('are the comments directly above the fields, in the codec and its parts, by their paths', () => {
  const docsOf = fieldDocs(
    new Map([
      ['parts.ts', parts],
      ['inner/codecs.ts', codecs],
    ]),
  )
  assert.equal(Object.fromEntries(docsOf('inner/codecs.ts', 'Outer')), {
    accountId: 'Whose it is.',
    extra: 'The rest.',
    many: 'Several.',
    'many.at': 'When it was.',
    dl_topic: 'A key of another.',
    'content-type': 'Quoted.',
    error: 'What went wrong.',
    'error.code': 'A word: not `a, b`, } or { of code.',
    last: 'One more.',
    'last.bare': 'Inside.',
  })
})

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Every field of a schema that has no description. */
const undescribed = (schema: unknown, path: string): ReadonlyArray<string> => {
  if (!isObject(schema)) return []
  const { properties, ...rest } = schema
  const own = isObject(properties) ? Object.entries(properties) : []
  return [
    ...own.filter(([, field]) => !isObject(field) || !field.description).map(([name]) => `${path}.${name}`),
    ...[...own, ...Object.entries(rest)].flatMap(([name, each]) => undescribed(each, `${path}.${name}`)),
  ]
}

fields('every published field has a docstring', () => {
  const all: ReadonlyArray<Schema> = published.map((entry) => schemaDocument(entry, partOf))
  assert.equal(
    all.flatMap((schema) => undescribed(schema, String(schema.title))),
    [],
  )
})

fields.run()
