import fc from 'fast-check'
import * as t from 'io-ts'
import { character, jsonValue } from './json.ts'

const text = fc.string({ unit: character, maxLength: 20 })
const id = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019-_.:/ é漢😀'), minLength: 1, maxLength: 20 })
  .map((s) => `x${s}`)
const instant = fc
  .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString())
const offsetTime = fc
  .tuple(instant, fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+05:45', '-11:30'))
  .map(([time, offset]) => time.replace('Z', offset))
const seconds = fc.integer({ min: 0, max: 4_000_000_000 })
const whole = fc.integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 })

/** Values of the contracts' leaf codecs, in every accepted form. */
const leaves: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: text,
  boolean: fc.boolean(),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
  Int: fc.integer(),
  Count: fc.nat(),
  UnknownRecord: fc.dictionary(text, jsonValue()),
  Id: id,
  AccountId: fc.stringMatching(/^[\w.-]{1,64}$/),
  NonBlank: id,
  HttpUrl: fc.webUrl({ withQueryParameters: true, withFragments: true }),
  Instant: instant,
  BsonDate: instant,
  Day: instant.map((time) => time.slice(0, 10)),
  Digits: fc.nat().map(String),
  Ticket: fc.stringMatching(/^[A-Za-z._/#:-]{0,20}[0-9][A-Za-z0-9._/#:-]{0,20}$/),
  Buttons: fc.array(fc.record({ text, id: fc.oneof(whole, id) }), { minLength: 1, maxLength: 3 }),
  WireId: fc.oneof(whole, id),
  WireText: fc.oneof(text, whole),
  WireCount: fc.oneof(fc.nat(), fc.nat().map(String)),
  WireBoolean: fc.constantFrom(true, false, 0, 1, '0', '1', 'true', 'false'),
  CommandTime: fc.oneof(seconds, offsetTime),
  OffsetTime: offsetTime,
  UnixTime: fc.oneof(
    seconds,
    seconds.map(String),
    fc.integer({ min: 100_000_000_000, max: 4_000_000_000_000 }),
    fc.integer({ min: 100_000_000_000, max: 4_000_000_000_000 }).map(String),
  ),
  Opaque: fc.oneof(fc.dictionary(text, jsonValue(2), { maxKeys: 3 }), fc.array(jsonValue(1), { maxLength: 3 })),
}

/** The values of a codec without structure. */
export const leafOf = (codec: t.Mixed): fc.Arbitrary<unknown> => {
  if (codec instanceof t.LiteralType) return fc.constant(codec.value)
  if (codec instanceof t.KeyofType) return fc.constantFrom(...Object.keys(codec.keys))
  if (codec instanceof t.NullType) return fc.constant(null)
  const leaf = leaves[codec.name]
  if (leaf === undefined) throw new TypeError(`no arbitrary for ${codec.name}`)
  return leaf
}

/** Arbitraries by the name of a codec or of a field, in place of those that follow from the codec. */
export type Instead = Readonly<Record<string, fc.Arbitrary<unknown>>>

const record = (props: t.Props, isPartial: boolean, instead: Instead) =>
  fc.record(
    Object.fromEntries(
      Object.entries(props).map(([name, codec]) => [name, instead[name] ?? arbitraryOf(codec, instead)]),
    ),
    isPartial ? { requiredKeys: [] } : {},
  )

/**
 * Any JSON value, as it is sent, that a codec decodes. The codec may consist of t.type, t.partial, t.strict,
 * t.intersection, t.union, t.array and t.record.
 */
export const arbitraryOf = (codec: t.Mixed, instead: Instead = {}): fc.Arbitrary<unknown> => {
  const chosen = instead[codec.name]
  const of = (part: t.Mixed) => arbitraryOf(part, instead)
  if (chosen !== undefined) return chosen
  if (codec instanceof t.InterfaceType) return record(codec.props, false, instead)
  if (codec instanceof t.PartialType) return record(codec.props, true, instead)
  if (codec instanceof t.ExactType) return of(codec.type)
  if (codec instanceof t.ArrayType) return fc.array(of(codec.type), { maxLength: 3 })
  if (codec instanceof t.DictionaryType) return fc.dictionary(text, of(codec.codomain), { maxKeys: 3 })
  const members: ReadonlyArray<t.Mixed> =
    codec instanceof t.UnionType || codec instanceof t.IntersectionType ? codec.types : []
  if (codec instanceof t.UnionType) return fc.oneof(...members.map(of))
  if (codec instanceof t.IntersectionType)
    return fc.tuple(...members.map(of)).map((parts) => Object.assign({}, ...parts))
  return leafOf(codec)
}
