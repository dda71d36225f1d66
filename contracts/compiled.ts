import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Field, type Form, isPlainObject, type Read, readObject, refused } from './straight-line.ts'

type Codec = t.Decoder<unknown, unknown>

const fieldsOf = (props: t.Props, required: boolean) =>
  new Map(
    Object.entries(props).map(([name, codec]): [string, Field] => {
      const read = readOf(codec)
      return [name, { read, required, asItIs: asItIs(codec, read) }]
    }),
  )

const disjoint = (forms: ReadonlyArray<Form>): Form | undefined => {
  const fields = new Map(forms.flatMap((form) => [...form.fields]))
  const count = forms.reduce((sum, form) => sum + form.fields.size, 0)
  return count === fields.size && forms.every(({ exact }) => !exact) ? { fields, exact: false } : undefined
}

/** An object codec's fields in one list, where it is made of t.type, t.partial, their intersection and t.exact. */
const formOf = (codec: Codec): Form | undefined => {
  if (codec instanceof t.InterfaceType) return { fields: fieldsOf(codec.props, true), exact: false }
  if (codec instanceof t.PartialType) return { fields: fieldsOf(codec.props, false), exact: false }
  if (codec instanceof t.ExactType) {
    const form = formOf(codec.type)
    return form && { ...form, exact: true }
  }
  if (!(codec instanceof t.IntersectionType)) return undefined
  const forms = codec.types.map((type: t.Mixed) => formOf(type))
  return forms.every((form: Form | undefined) => form !== undefined) ? disjoint(forms) : undefined
}

const readArray =
  (read: Read): Read =>
  (value) => {
    if (!Array.isArray(value)) return refused
    let copy: unknown[] | undefined
    for (let i = 0; i < value.length; i++) {
      const after = read(value[i])
      if (after === refused) return refused
      if (after !== value[i]) copy ??= value.slice(0, i)
      copy?.push(after)
    }
    return copy ?? value
  }

const readAny =
  (reads: ReadonlyArray<Read>): Read =>
  (value) => {
    for (const read of reads) {
      const after = read(value)
      if (after !== refused) return after
    }
    return refused
  }

const readBy =
  (codec: Codec): Read =>
  (value) => {
    const read = codec.validate(value, [])
    return E.isRight(read) ? read.right : refused
  }

const only =
  (holds: (value: unknown) => boolean): Read =>
  (value) =>
    holds(value) ? value : refused

const isLiteral = (codec: Codec): codec is t.LiteralType<string | number | boolean> =>
  codec instanceof t.LiteralType && !Number.isNaN(codec.value)

/** What an expression must meet so that a codec takes its value as it is; none where only the codec can say. */
const leafAsItIs = (codec: Codec): Field['asItIs'] => {
  if (codec instanceof t.StringType) return (x) => `typeof ${x} === 'string'`
  if (codec instanceof t.BooleanType) return (x) => `typeof ${x} === 'boolean'`
  if (codec instanceof t.NullType) return (x) => `${x} === null`
  return isLiteral(codec) ? (x) => `${x} === ${JSON.stringify(codec.value)}` : undefined
}

/** The same for the commonest codecs, a union of leaves and one with null among them: it may take more than that as it is. */
const asItIs = (codec: Codec, read: Read): Field['asItIs'] => {
  if (!(codec instanceof t.UnionType)) return leafAsItIs(codec)
  const leaves = codec.types.map((type: t.Mixed) => leafAsItIs(type))
  if (leaves.every((leaf: Field['asItIs']) => leaf !== undefined))
    return (x) => leaves.map((leaf: (x: string) => string) => `(${leaf(x)})`).join(' || ')
  return read(null) === null ? (x) => `${x} === null` : undefined
}

/** io-ts takes a field that every object inherits for its own: such a codec is left alone. */
const isOrdinary = ({ fields }: Form) => ![...fields.keys()].some((name) => name in Object.prototype)

const readOf = (codec: Codec): Read => {
  const form = formOf(codec)
  if (form !== undefined && isOrdinary(form)) return readObject(form)
  if (codec instanceof t.StringType) return only((value) => typeof value === 'string')
  if (codec instanceof t.BooleanType) return only((value) => typeof value === 'boolean')
  if (codec instanceof t.NullType) return only((value) => value === null)
  if (codec instanceof t.LiteralType) return only((value) => value === codec.value)
  if (codec instanceof t.AnyDictionaryType) return only(isPlainObject)
  if (codec instanceof t.ArrayType) return readArray(readOf(codec.type))
  if (codec instanceof t.UnionType) return readAny(codec.types.map(readOf))
  return readBy(codec)
}

/**
 * A codec's `decode`, compiled once: the same answer for every JSON value, at a fraction of the price where the value is
 * right. A value that is wrong goes to the codec itself, which alone knows how to say what was expected where.
 */
export const compiled = <A>(codec: t.Decoder<unknown, A>): ((value: unknown) => t.Validation<A>) => {
  const read = readOf(codec)
  return (value) => {
    const after = read(value)
    return after === refused ? codec.decode(value) : t.success(after as A)
  }
}
