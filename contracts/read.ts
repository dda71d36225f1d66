import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { ClosedType, Count, Id, Instant } from './primitives.ts'
import type { Problem } from './problem.ts'
import { Opaque, timeOf, UnrepresentableNumber } from './wire.ts'

/**
 * The interpreter of codecs: a codec is turned into a function once, and that function reads each value in one pass.
 * There are two kinds of values. Records of our own topics are read strictly: a value has the form of the codec, or it
 * is refused. Payloads of the service are read tolerantly: what can be understood is understood, and what cannot be
 * understood is set aside.
 */
type Codec = t.Mixed
type JsonObject = Record<string, unknown>

/** The value does not fit the codec. */
const misfit = Symbol('misfit')
/** The value says nothing: null, or blank text where something other than text is expected. */
const absent = Symbol('absent')

/** What a read leaves behind: the fields below the value that were set aside, and how many of them did not fit. */
type Aside = { rest: JsonObject | undefined; misfits: number }

type Read = (value: unknown, aside: Aside) => unknown
type Field = { readonly name: string; readonly read: Read; readonly required: boolean }
type Fields = ReadonlyMap<string, Field>

const isPlainObject = (value: unknown): value is Readonly<JsonObject> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Sets a field of any name. A plain assignment to `__proto__` would set no field. */
const put = (target: JsonObject | undefined, key: string, value: unknown): JsonObject => {
  const object = target ?? {}
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
  return object
}

type Prop = { readonly name: string; readonly codec: Codec; readonly required: boolean }

/** The fields of an object codec that is made of t.type, t.partial, their intersection and t.exact. */
export const propsOf = (codec: Codec): ReadonlyArray<Prop> | undefined => {
  if (codec instanceof ClosedType) return undefined
  if (codec instanceof t.ExactType) return propsOf(codec.type)
  if (codec instanceof t.IntersectionType) {
    const parts = codec.types.map((type: Codec) => propsOf(type))
    return parts.every((part: ReadonlyArray<Prop> | undefined) => part !== undefined) ? parts.flat() : undefined
  }
  if (!(codec instanceof t.InterfaceType || codec instanceof t.PartialType)) return undefined
  const required = codec instanceof t.InterfaceType
  return Object.entries<Codec>(codec.props).map(([name, each]) => ({ name, codec: each, required }))
}

const countRequired = (fields: Fields) => [...fields.values()].filter(({ required }) => required).length

// Records: strict.

const only =
  (holds: (value: unknown) => boolean): Read =>
  (value) =>
    holds(value) ? value : misfit

const strictBy =
  (codec: Codec): Read =>
  (value) => {
    const read = codec.validate(value, [])
    return E.isRight(read) ? read.right : misfit
  }

const firstOf = (value: Readonly<JsonObject>, names: ReadonlyArray<string>, count: number): JsonObject => {
  const read: JsonObject = {}
  for (let i = 0; i < count; i++) read[names[i] ?? ''] = value[names[i] ?? '']
  return read
}

/** Only exact objects. The result is the value itself, or a copy without what the codec does not name. */
const strictObject =
  (fields: Fields, required: number): Read =>
  (value, aside) => {
    if (!isPlainObject(value)) return misfit
    const names = Object.keys(value)
    let read: JsonObject | undefined
    let found = 0
    for (let i = 0; i < names.length; i++) {
      const name = names[i] ?? ''
      const given = value[name]
      const field = fields.get(name)
      const known = field === undefined ? absent : field.read(given, aside)
      // Not JSON: io-ts decides.
      if (known === misfit || known === undefined) return misfit
      if (known !== given) read ??= firstOf(value, names, i)
      if (known === absent) continue
      if (field?.required) found++
      if (read !== undefined) read[name] = known
    }
    return found === required ? (read ?? value) : misfit
  }

const strictList =
  (item: Read): Read =>
  (value, aside) => {
    if (!Array.isArray(value)) return misfit
    let items: unknown[] | undefined
    for (const [i, each] of value.entries()) {
      const read = item(each, aside)
      if (read === misfit) return misfit
      if (read !== each) items ??= value.slice(0, i)
      items?.push(read)
    }
    return items ?? value
  }

/** io-ts treats a field that every object inherits as an own field. Such a codec decodes itself. */
const isOrdinary = (props: ReadonlyArray<Prop>) => !props.some(({ name }) => name in Object.prototype)

const strictReader = (codec: Codec): Read => {
  const props = codec instanceof t.ExactType ? propsOf(codec) : undefined
  if (props !== undefined && isOrdinary(props)) {
    const fields = new Map(
      props.map(({ name, codec: each, required }) => [name, { name, read: strictReader(each), required }]),
    )
    return strictObject(fields, countRequired(fields))
  }
  if (codec instanceof t.StringType) return only((value) => typeof value === 'string')
  if (codec instanceof t.BooleanType) return only((value) => typeof value === 'boolean')
  if (codec instanceof t.LiteralType) return only((value) => value === codec.value)
  if (codec instanceof t.AnyDictionaryType) return only(isPlainObject)
  if (codec instanceof t.ArrayType) return strictList(strictReader(codec.type))
  return strictBy(codec)
}

/**
 * A codec's `decode`, for records. It gives the same result for every JSON value, but a valid value costs much less. An
 * invalid value goes to the codec itself, because only the codec can report what it expected where.
 */
export const strict = <A>(codec: t.Decoder<unknown, A> & Codec): ((value: unknown) => t.Validation<A>) => {
  const read = strictReader(codec)
  return (value) => {
    const known = read(value, { rest: undefined, misfits: 0 })
    return known === misfit ? codec.decode(value) : t.success(known as A)
  }
}

// Payloads: tolerant.

const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === ''

/** A codec of something other than text: blank text is absent. */
const unlessBlank =
  (read: (value: unknown) => unknown): Read =>
  (value) =>
    isBlank(value) ? absent : read(value)

const decimal = /^[+-]?[0-9]{1,15}(\.0+)?$/u

const readText: Read = (value) => {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return value instanceof UnrepresentableNumber ? value.text : misfit
}

const readId = unlessBlank((value) => {
  const text = Number.isSafeInteger(value) ? String(value) : value
  return Id.is(text) ? text : misfit
})

const readCount = unlessBlank((value) => {
  const number = typeof value === 'string' && decimal.test(value.trim()) ? Number(value) : value
  return Count.is(number) ? number : misfit
})

const booleans = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  [1, true],
  [0, false],
  ['1', true],
  ['0', false],
  ['true', true],
  ['false', false],
])

/** How a leaf of an event is read from what the service sends for it. */
const leaves: ReadonlyMap<Codec, Read> = new Map<Codec, Read>([
  [Id, readId],
  [Count, readCount],
  [
    Instant,
    unlessBlank((value) => timeOf(value instanceof UnrepresentableNumber ? Number(value.text) : value) ?? misfit),
  ],
  [Opaque, unlessBlank((value) => (Array.isArray(value) || isPlainObject(value) ? value : misfit))],
])

const wordsOf = (codec: Codec): ReadonlyArray<unknown> | undefined => {
  if (codec instanceof t.LiteralType) return [codec.value]
  if (codec instanceof t.KeyofType) return Object.keys(codec.keys)
  if (!(codec instanceof t.UnionType)) return undefined
  const words = codec.types.map((type: Codec) => wordsOf(type))
  return words.every((each: ReadonlyArray<unknown> | undefined) => each !== undefined) ? words.flat() : undefined
}

/** `chatsCount` -> `chats_count` */
export const wireNameOf = (name: string): string => name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

/** PHP writes an empty object as an empty list. */
const objectIn = (value: unknown): Readonly<JsonObject> | undefined => {
  if (isPlainObject(value)) return value
  return Array.isArray(value) && value.length === 0 ? {} : undefined
}

const tolerantObject =
  (fields: Fields): Read =>
  (value, aside) => {
    const object = objectIn(value)
    if (object === undefined) return isBlank(value) ? absent : misfit
    const read: JsonObject = {}
    let rest: JsonObject | undefined
    for (const name of Object.keys(object)) {
      const given = object[name]
      const field = fields.get(name)
      if (field === undefined) {
        rest = put(rest, name, given)
        continue
      }
      if (given === null) continue
      const known = field.read(given, aside)
      if (known === absent) continue
      if (known === misfit) {
        rest = put(rest, name, given)
        aside.misfits++
        continue
      }
      read[field.name] = known
      if (aside.rest !== undefined) {
        rest = put(rest, name, aside.rest)
        aside.rest = undefined
      }
    }
    aside.rest = rest
    return read
  }

const index = /^(0|[1-9][0-9]{0,8})$/u

/** The items with their positions. PHP writes a list with gaps as an object, and an empty object as an empty list. */
const itemsIn = (value: unknown): ReadonlyArray<readonly [string, unknown]> | undefined => {
  if (Array.isArray(value)) return value.map((item, i) => [String(i), item])
  if (!isPlainObject(value)) return undefined
  const entries = Object.entries(value)
  return entries.every(([key]) => index.test(key)) ? entries : undefined
}

const tolerantList =
  (item: Read): Read =>
  (value, aside) => {
    const given = itemsIn(value)
    if (given === undefined) return isBlank(value) ? absent : misfit
    const items: unknown[] = []
    let rest: JsonObject | undefined
    for (const [position, each] of given) {
      if (each === null) continue
      const known = item(each, aside)
      if (known === absent) continue
      if (known === misfit) {
        rest = put(rest, position, each)
        aside.misfits++
        continue
      }
      items.push(known)
      if (aside.rest !== undefined) {
        rest = put(rest, position, aside.rest)
        aside.rest = undefined
      }
    }
    aside.rest = rest
    return items
  }

const wireFields = (props: ReadonlyArray<Prop>): Fields =>
  new Map(props.map(({ name, codec, required }) => [wireNameOf(name), { name, read: tolerantReader(codec), required }]))

const tolerantReader = (codec: Codec): Read => {
  const leaf = leaves.get(codec)
  if (leaf !== undefined) return leaf
  if (codec instanceof t.StringType) return readText
  if (codec instanceof t.BooleanType) return unlessBlank((value) => booleans.get(value) ?? misfit)
  if (codec instanceof t.ArrayType) return tolerantList(tolerantReader(codec.type))
  const words = wordsOf(codec)
  if (words !== undefined) return unlessBlank((value) => (words.includes(value) ? value : misfit))
  const props = propsOf(codec)
  if (props === undefined) throw new TypeError(`${codec.name}: no rule says how to read it from what the service sends`)
  return tolerantObject(wireFields(props))
}

/** A value's place in a payload, as the service names it, and what the contract expects there. */
export type Expected =
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, Codec> }
  | { readonly kind: 'list'; readonly item: Codec }
  | { readonly kind: 'leaf'; readonly words: ReadonlyArray<unknown> | undefined }

/** The fields of an event's data that come from the payload: all but those that the bridge itself fills in. */
export const wirePropsOf = (event: Codec, own: Readonly<JsonObject>): ReadonlyArray<Prop> => {
  const data = propsOf(event)?.find(({ name }) => name === 'data')?.codec
  const filledIn = new Set(['accountId', 'extra', ...Object.keys(own)])
  return ((data && propsOf(data)) ?? []).filter(({ name }) => !filledIn.has(name))
}

const expectedFields = (props: ReadonlyArray<Prop>): Expected => ({
  kind: 'object',
  fields: new Map(props.map((prop) => [wireNameOf(prop.name), prop.codec])),
})

/** What an event's contract expects of its payload, one level deep. */
export const expectedOfEvent = (event: Codec, own: Readonly<JsonObject>): Expected =>
  expectedFields(wirePropsOf(event, own))

/** What a codec expects of a payload's value, one level deep. */
export const expectedBy = (codec: Codec): Expected => {
  if (codec instanceof t.ArrayType) return { kind: 'list', item: codec.type }
  const props = leaves.has(codec) ? undefined : propsOf(codec)
  if (props === undefined) return { kind: 'leaf', words: wordsOf(codec) }
  return expectedFields(props)
}

/** What the contract expects of a value, in words. */
export const inWords = (codec: Codec): string => {
  if (codec === Id) return 'an integer or text'
  if (codec === Count) return 'a whole number, 0 or more'
  if (codec === Instant) return 'unix time'
  if (codec instanceof t.StringType) return 'text'
  if (codec instanceof t.BooleanType) return 'true or false'
  const words = wordsOf(codec)
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(' or ')
  return codec instanceof t.ArrayType ? 'an array' : 'an object'
}

/** What was understood of a payload: the event, and how many fields are only in `extra` because they do not fit. */
export type Understood<Event> = { readonly event: Event; readonly misfits: number }

/** Fields of the payload that are not the event's data: they are its name or its id. */
type Envelope = ReadonlyArray<string>

/**
 * Reads an event from the payload of the service. `own` are the fields of its data that the bridge itself fills in:
 * they are not taken from the payload, and those that are undefined stay out. Every other required field must be
 * understood, otherwise the payload is refused.
 * Nothing else is refused: fields get the names of the event, absent ones are left out, and what is unknown or does not
 * fit goes to `extra` under its wire name, nested as in the payload, items of lists by their index.
 */
export const eventReader = <Event>(
  codec: t.Decoder<unknown, Event> & Codec,
  own: Readonly<JsonObject>,
  envelope: Envelope,
): ((
  payload: Readonly<JsonObject>,
  attributes: (data: Readonly<JsonObject>) => object,
  accountId: string,
) => E.Either<ReadonlyArray<Problem>, Understood<Event>>) => {
  const props = wirePropsOf(codec, own)
  const required = props.filter((prop) => prop.required)
  const ignored: Field = { name: '', read: () => absent, required: false }
  const read = tolerantObject(new Map([...wireFields(props), ...envelope.map((name) => [name, ignored] as const)]))
  const values = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
  return (payload, attributes, accountId) => {
    const aside: Aside = { rest: undefined, misfits: 0 }
    const found = read(payload, aside)
    const known = isPlainObject(found) ? found : {}
    const missing = required.filter(({ name }) => known[name] === undefined)
    if (missing.length > 0)
      return E.left(missing.map((prop) => ({ path: wireNameOf(prop.name), expected: inWords(prop.codec) })))
    const extra = aside.rest === undefined ? {} : { extra: aside.rest }
    const event = { ...attributes(known), data: { ...known, ...values, accountId, ...extra } }
    // Every field was read by its codec or comes from the bridge, and no required one is missing.
    return E.right({ event: event as Event, misfits: aside.misfits })
  }
}

/** The id of a bot event, from its payload. */
export const eventIdIn = (value: unknown): Id | undefined => {
  const id = readId(value, { rest: undefined, misfits: 0 })
  return Id.is(id) ? id : undefined
}
