import * as t from 'io-ts'
import { Double, Long } from 'mongodb'
import { propsOf } from '../../../contracts/read.ts'
import { documentCodecOf } from '../views/index.ts'

// The driver writes a number as int, or as double where it is a fraction or larger than 2^31. Then one field has two
// types, and typed readers (Spark, Parquet) refuse the column. So the contract of a field decides, not its value.

/** Gives the numbers of a value the types of their contract. Returns the value itself if it has none. */
type Encode = (value: unknown) => unknown

const asLong: Encode = (value) => (Number.isSafeInteger(value) ? Long.fromNumber(Number(value)) : value)

/** Not a date, and no value of the driver. */
const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Of what has no contract, every number is a double, as in JSON. */
const asDoubles: Encode = (value) => {
  if (typeof value === 'number') return new Double(value)
  if (Array.isArray(value)) return eachItem(asDoubles)(value)
  return isPlainObject(value) ? eachValue(asDoubles)(value) : value
}

const eachItem =
  (encode: Encode): Encode =>
  (value) => {
    if (!Array.isArray(value)) return value
    const items = value.map(encode)
    return items.every((item, i) => item === value[i]) ? value : items
  }

/** The record with these values encoded, or the record itself if that changes none of them. */
const withEncoded = (
  record: Readonly<Record<string, unknown>>,
  fields: Iterable<readonly [name: string, encode: Encode]>,
): Readonly<Record<string, unknown>> => {
  let copy: Record<string, unknown> | undefined
  for (const [name, encode] of fields) {
    const given = record[name]
    const encoded = given === undefined ? given : encode(given)
    if (encoded === given) continue
    copy ??= { ...record }
    copy[name] = encoded
  }
  return copy ?? record
}

const eachValue =
  (encode: Encode): Encode =>
  (value) =>
    isPlainObject(value)
      ? withEncoded(
          value,
          Object.keys(value).map((name) => [name, encode]),
        )
      : value

const eachField =
  (fields: ReadonlyArray<readonly [name: string, encode: Encode]>): Encode =>
  (value) =>
    isPlainObject(value) ? withEncoded(value, fields) : value

const firstThatFits =
  (alternatives: ReadonlyArray<readonly [codec: t.Mixed, encode: Encode | undefined]>): Encode =>
  (value) =>
    alternatives.find(([codec]) => codec.is(value))?.[1]?.(value) ?? value

/** What a codec without parts accepts says what it holds: whole numbers, any numbers, values of any form, or none. */
const ofLeaf = (codec: t.Mixed): Encode | undefined => {
  if (codec.is(0.5) || codec.is({}) || codec.is([])) return asDoubles
  return codec.is(1) ? asLong : undefined
}

const made = (codec: t.Mixed): Encode | undefined => {
  const props = propsOf(codec instanceof t.ExactType ? codec.type : codec)
  if (props !== undefined) {
    const fields = props.flatMap(({ name, codec: field }) => {
      const encode = numbersOf(field)
      return encode === undefined ? [] : [[name, encode] as const]
    })
    return fields.length === 0 ? undefined : eachField(fields)
  }
  if (codec instanceof t.ArrayType) {
    const item = numbersOf(codec.type)
    return item && eachItem(item)
  }
  if (codec instanceof t.DictionaryType) {
    const value = numbersOf(codec.codomain)
    return value && eachValue(value)
  }
  if (codec instanceof t.UnionType) {
    const alternatives = codec.types.map((type: t.Mixed) => [type, numbersOf(type)] as const)
    return alternatives.some(([, encode]: readonly [t.Mixed, Encode | undefined]) => encode !== undefined)
      ? firstThatFits(alternatives)
      : undefined
  }
  return ofLeaf(codec)
}

const known = new Map<t.Mixed, Encode | undefined>()

/** How the numbers of a codec's values are encoded; undefined if these values have none. */
const numbersOf = (codec: t.Mixed): Encode | undefined => {
  if (!known.has(codec)) known.set(codec, made(codec))
  return known.get(codec)
}

/**
 * A value with one BSON type for each number of its contract: whole numbers are 64-bit integers (long), all others
 * doubles. The driver reads both as numbers.
 */
export const withNumberTypes = <A>(codec: t.Mixed, value: A): A => (numbersOf(codec)?.(value) ?? value) as A

/** The same for the documents of a collection, also of one that a rebuild makes. Those of no view stay as they are. */
export const numberTypesOf = (collection: string): (<D>(document: D) => D) => {
  const codec = documentCodecOf(collection)
  return (document) => (codec === undefined ? document : withNumberTypes(codec, document))
}
