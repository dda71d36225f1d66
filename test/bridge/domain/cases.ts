import fc from 'fast-check'
import * as t from 'io-ts'
import { leafOf } from '../../support/arbitraries.ts'
import { jsonValue } from '../../support/json.ts'

/** A wire value, the data that the domain must make from it, and the expected `extra`; undefined means no value. */
export type Case = { readonly wire: unknown; readonly data: unknown; readonly extra: unknown }

type Entry = { readonly name: string; readonly value: Case }

/** Creates own properties for all names, as JSON.parse does. */
const object = (entries: ReadonlyArray<readonly [string, unknown]>): unknown =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined))

const camel = (name: string) =>
  name
    .split('_')
    .map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')

const hostile = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'x', 'site_id', 'chatId', '0']
const unknownFields = (known: ReadonlyArray<string>) =>
  fc.dictionary(
    fc.constantFrom(...hostile.filter((name) => !known.includes(name))),
    fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: jsonValue(2) }),
    { maxKeys: 2 },
  )

const fieldsOf = (props: t.Props, required: boolean): ReadonlyArray<fc.Arbitrary<Entry | undefined>> =>
  Object.entries(props).map(([name, codec]) => {
    const field = casesOf(codec).map((value) => ({ name, value }))
    return required ? field : fc.option(field, { nil: undefined })
  })

const objectOf = (fields: ReadonlyArray<fc.Arbitrary<Entry | undefined>>, known: ReadonlyArray<string>) =>
  fc.tuple(fc.tuple(...fields), unknownFields(known)).map(([drawn, unknown]): Case => {
    const entries = drawn.flatMap((entry) => (entry === undefined ? [] : [entry]))
    const more = Object.entries(unknown)
    const extra = [...entries.map(({ name, value }) => [name, value.extra] as const), ...more].filter(
      ([, v]) => v !== undefined,
    )
    return {
      wire: object([...entries.map(({ name, value }) => [name, value.wire] as const), ...more]),
      data: object(entries.map(({ name, value }) => [camel(name), value.data ?? undefined])),
      extra: extra.length === 0 ? undefined : object(extra),
    }
  })

const propsOf = (codec: t.Mixed): ReadonlyArray<readonly [t.Props, boolean]> => {
  if (codec instanceof t.InterfaceType) return [[codec.props, true]]
  if (codec instanceof t.PartialType) return [[codec.props, false]]
  const members: ReadonlyArray<t.Mixed> = codec instanceof t.IntersectionType ? codec.types : []
  return members.flatMap(propsOf)
}

const decoded = (codec: t.Mixed, wire: unknown): unknown => {
  const result = codec.decode(wire)
  return result._tag === 'Right' ? result.right : undefined
}

/** Cases of a wire codec: any value that it accepts, with unknown fields in every object. */
export const casesOf = (codec: t.Mixed): fc.Arbitrary<Case> => {
  const props = propsOf(codec)
  if (props.length > 0)
    return objectOf(
      props.flatMap(([each, required]) => fieldsOf(each, required)),
      props.flatMap(([each]) => Object.keys(each)),
    )
  if (codec instanceof t.ArrayType)
    return fc.array(casesOf(codec.type), { maxLength: 3 }).map((items) => {
      const extra = items.flatMap((item, i) => (item.extra === undefined ? [] : [[String(i), item.extra] as const]))
      return {
        wire: items.map(({ wire }) => wire),
        data: items.map(({ data }) => data),
        extra: extra.length === 0 ? undefined : object(extra),
      }
    })
  if (codec instanceof t.UnionType) {
    const members: ReadonlyArray<t.Mixed> = codec.types
    return fc.oneof(...members.map(casesOf))
  }
  return leafOf(codec).map((wire) => ({ wire, data: decoded(codec, wire), extra: undefined }))
}
