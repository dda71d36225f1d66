import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { ClosedType } from './primitives.ts'

type Codec = t.Decoder<unknown, unknown>
type JsonObject = Record<string, unknown>

/** The value as the codec returns it, or `refused`. Only the codec itself can report why it refuses a value. */
type Read = (value: unknown) => unknown
type Field = { readonly read: Read; readonly required: boolean }
type Form = { readonly fields: ReadonlyMap<string, Field>; readonly exact: boolean }

const refused = Symbol('refused')

const isPlainObject = (value: unknown): value is Readonly<JsonObject> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

const fieldsOf = (props: t.Props, required: boolean) =>
  new Map(Object.entries(props).map(([name, codec]): [string, Field] => [name, { read: readOf(codec), required }]))

const disjoint = (forms: ReadonlyArray<Form>): Form | undefined => {
  const fields = new Map(forms.flatMap((form) => [...form.fields]))
  const count = forms.reduce((sum, form) => sum + form.fields.size, 0)
  return count === fields.size && forms.every(({ exact }) => !exact) ? { fields, exact: false } : undefined
}

/** The fields of an object codec in one list, if it is made of t.type, t.partial, their intersection and t.exact. */
const formOf = (codec: Codec): Form | undefined => {
  if (codec instanceof t.InterfaceType) return { fields: fieldsOf(codec.props, true), exact: false }
  if (codec instanceof t.PartialType) return { fields: fieldsOf(codec.props, false), exact: false }
  // Rare: the codec itself refuses fields that it does not name.
  if (codec instanceof ClosedType) return undefined
  if (codec instanceof t.ExactType) {
    const form = formOf(codec.type)
    return form && { ...form, exact: true }
  }
  if (!(codec instanceof t.IntersectionType)) return undefined
  const forms = codec.types.map((type: t.Mixed) => formOf(type))
  return forms.every((form: Form | undefined) => form !== undefined) ? disjoint(forms) : undefined
}

/** The result keeps the field order of the value. It is the value itself if nothing had to be changed. */
const readObject = ({ fields, exact }: Form): Read => {
  const required = [...fields.values()].filter((field) => field.required).length
  return (value) => {
    if (!isPlainObject(value)) return refused
    const names = Object.keys(value)
    let copy: JsonObject | undefined
    let found = 0
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string
      const field = fields.get(name)
      const before = value[name]
      // Rare, and not JSON: io-ts decides.
      if (name === '__proto__' || before === undefined) return refused
      const after = field === undefined ? before : field.read(before)
      if (after === refused) return refused
      if (field?.required) found++
      const isLeftOut = field === undefined && exact
      if (copy === undefined && (after !== before || isLeftOut)) {
        copy = {}
        for (let j = 0; j < i; j++) copy[names[j] as string] = value[names[j] as string]
      }
      if (copy !== undefined && !isLeftOut) copy[name] = after
    }
    return found === required ? (copy ?? value) : refused
  }
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

/** io-ts treats a field that every object inherits as an own field. Such a codec is not compiled. */
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
 * A codec's `decode`, compiled once. It gives the same result for every JSON value, but a valid value costs much less.
 * An invalid value goes to the codec itself, because only the codec can report what it expected where.
 */
export const compiled = <A>(codec: t.Decoder<unknown, A>): ((value: unknown) => t.Validation<A>) => {
  const read = readOf(codec)
  return (value) => {
    const after = read(value)
    return after === refused ? codec.decode(value) : t.success(after as A)
  }
}
