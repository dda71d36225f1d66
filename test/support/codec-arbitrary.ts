import fc from 'fast-check'
import type * as t from 'io-ts'

type Node = t.Mixed & {
  readonly _tag?: string
  readonly type?: t.Mixed
  readonly types?: ReadonlyArray<t.Mixed>
  readonly props?: Readonly<Record<string, t.Mixed>>
  readonly keys?: object
  readonly value?: unknown
}

/** Arbitraries by the name of a codec or field. They replace the ones that follow from the codec. */
export type Instead = Readonly<Record<string, fc.Arbitrary<unknown>>>

const awkwardKeys = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom('$ref', '$id', '$x', '_bsontype', 'a.b', '', 'x\0y', '__proto__', 'constructor'),
)
export const freeForm = fc.dictionary(awkwardKeys, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true })

const words = fc.string({ unit: 'grapheme', maxLength: 12 })

const leaves: Instead = {
  string: words,
  number: fc.double({ noNaN: true, noDefaultInfinity: true }),
  boolean: fc.boolean(),
  null: fc.constant(null),
  Count: fc.nat(1_000_000),
  Instant: fc
    .integer({ min: Date.UTC(2026, 0, 30), max: Date.UTC(2026, 1, 2) })
    .map((ms) => new Date(ms).toISOString()),
  Id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter((it) => it.trim() !== ''),
  NonBlank: fc.constant('somewhere'),
  Opaque: freeForm,
  UnknownRecord: freeForm,
}

const record = (props: Readonly<Record<string, t.Mixed>>, required: boolean, instead: Instead) =>
  fc.record(
    Object.fromEntries(
      Object.entries(props).map(([name, codec]) => [name, instead[name] ?? arbitraryOf(codec, instead)]),
    ),
    required ? {} : { requiredKeys: [] },
  )

const merged = (parts: ReadonlyArray<fc.Arbitrary<unknown>>) =>
  fc.tuple(...parts).map((values) => Object.assign({}, ...values) as unknown)

/** Values of a contract's codec, generated from its structure. */
export const arbitraryOf = (codec: t.Mixed, instead: Instead = {}): fc.Arbitrary<unknown> => {
  const known = instead[codec.name] ?? leaves[codec.name]
  if (known !== undefined) return known
  const { _tag, type, types = [], props = {}, keys = {}, value } = codec as Node
  switch (_tag) {
    case 'InterfaceType':
    case 'StrictType':
      return record(props, true, instead)
    case 'PartialType':
      return record(props, false, instead)
    case 'IntersectionType':
      return merged(types.map((each) => arbitraryOf(each, instead)))
    case 'UnionType':
      return fc.oneof(...types.map((each) => arbitraryOf(each, instead)))
    case 'LiteralType':
      return fc.constant(value)
    case 'KeyofType':
      return fc.constantFrom(...Object.keys(keys))
    case 'ArrayType':
      return type ? fc.array(arbitraryOf(type, instead), { maxLength: 3 }) : fc.constant([])
    case 'ExactType':
    case 'RefinementType':
    case 'ReadonlyType':
      return type ? arbitraryOf(type, instead) : fc.constant({})
    default:
      throw new Error(`no arbitrary for ${codec.name}`)
  }
}
