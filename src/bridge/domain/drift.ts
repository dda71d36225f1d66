import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { problemsIn } from '../../../contracts/problem.ts'
import { type Expected, expectedBy, inWords } from '../../../contracts/read.ts'
import type { DriftDocument } from '../../../contracts/views/drift.ts'
import { UnrepresentableNumber } from '../../../contracts/wire.ts'
import { isJsonObject, isObject } from '../shared/json.ts'
import type { QuarantinedRequest } from './quarantined.ts'
import { readJson } from './read-json.ts'

export type JsonType = DriftDocument['types'][number]

/** Something in one request that the contract does not know or that does not fit it. */
export type Finding = Readonly<Required<Pick<DriftDocument, 'api' | 'event' | 'path'>>> &
  Readonly<Pick<DriftDocument, 'expected'>> & {
    readonly kind: Exclude<DriftDocument['kind'], 'others'>
    readonly type: JsonType
    /** The shape of the unknown value. It takes time, so it is computed only for an entry that needs it. */
    readonly example: () => string
  }

const longestName = 40
const longestWord = 18
const anything = '*'

const wordsOf = (name: string) => name.split(/[_-]|(?<=[a-z0-9])(?=[A-Z])/u).filter((word) => word !== '')

/** Upper and lower case in disorder, digits before letters, or only hexadecimal digits: typical of random text. */
const looksRandom = (name: string, words: ReadonlyArray<string>) =>
  /^[0-9a-f]{8,}$/iu.test(name) || /[0-9][A-Za-z]/u.test(name) || (words.length >= 4 && name.length < 3 * words.length)

const readName = (name: string): string => {
  const words = wordsOf(name)
  const isName =
    name.length <= longestName &&
    /^_?[A-Za-z][A-Za-z0-9_-]*$/u.test(name) &&
    !/^_?[A-Z][a-z]/u.test(name) &&
    name.replace(/[^0-9]/gu, '').length <= 2 &&
    words.every((word) => word.length <= longestWord) &&
    !looksRandom(name, words)
  return isName ? name : anything
}

/** Names that were accepted before. The limit keeps requests of strangers from growing the set without end. */
const knownNames = new Set<string>()
const remembered = 2_000

/**
 * A field's or an event's name if it looks like one of the service's, otherwise `*`. An id, an address, a phone number
 * or a token may be a key, and identify a person. A person's name becomes `*` too if it has a capital letter. In small
 * letters it looks like a field's name.
 */
export const nameOrAny = (name: string): string => {
  if (knownNames.has(name)) return name
  const read = readName(name)
  if (read === name && knownNames.size < remembered) knownNames.add(name)
  return read
}

const typeOf = (value: unknown): JsonType => {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number' || value instanceof UnrepresentableNumber) return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return Array.isArray(value) ? 'array' : 'object'
}

const maxMasked = 40

const masked = (text: string): string =>
  text
    .slice(0, maxMasked)
    .replace(/\p{Lu}|\p{L}|\p{N}|\s|./gsu, (c) =>
      /\p{Lu}/u.test(c) ? 'A' : /\p{L}/u.test(c) ? 'a' : /\p{N}/u.test(c) ? '9' : /\s/u.test(c) ? '_' : '#',
    )

/** The shape of a value without its content: `text of 5: Aaaa9`. */
export const shapeOf = (value: unknown): string => {
  if (typeof value === 'string') return `text of ${value.length}: ${masked(value)}`
  if (value instanceof UnrepresentableNumber) return `number: ${masked(value.text)}`
  if (typeof value === 'number') return `number: ${masked(String(value))}`
  if (Array.isArray(value)) return `array of ${value.length}`
  return isObject(value) ? `object of ${Object.keys(value).length}` : typeOf(value)
}

const deepest = 8
/** The most findings per request. A request with more of them is no sign of a changed contract. */
const maxPlaces = 100

const pathOf = (names: ReadonlyArray<string>) => names.join('.')

/** A value in `extra`. `codec` is what the contract expects there; undefined if it does not know the field. */
type Aside = { readonly value: unknown; readonly codec: t.Mixed | undefined }

/** The fields below a value of `extra` where a known object or list keeps those that were set aside. */
const nestedIn = (value: unknown, expected: Expected): ReadonlyArray<readonly [string, Aside]> | undefined => {
  if (!isJsonObject(value)) return undefined
  const entries = Object.entries(value)
  if (expected.kind === 'object')
    return entries.map(([name, inner]) => [nameOrAny(name), { value: inner, codec: expected.fields.get(name) }])
  if (expected.kind === 'list' && entries.every(([key]) => /^[0-9]+$/u.test(key)))
    return entries.map(([, inner]) => [anything, { value: inner, codec: expected.item }])
  return undefined
}

const insideUnknown = (value: unknown): ReadonlyArray<readonly [string, Aside]> =>
  (isObject(value) ? Object.entries(value) : []).map(([key, inner]) => [
    Array.isArray(value) ? anything : nameOrAny(key),
    { value: inner, codec: undefined },
  ])

/** The innermost values that were set aside, each path once. */
const asideIn = (extra: unknown, contract: Expected): ReadonlyMap<string, Aside> => {
  const found = new Map<string, Aside>()
  const walk = (names: ReadonlyArray<string>, aside: Aside, expected: Expected | undefined) => {
    if (found.size >= maxPlaces) return
    const inside = expected === undefined ? insideUnknown(aside.value) : (nestedIn(aside.value, expected) ?? [])
    const entries = names.length < deepest ? inside : []
    if (entries.length === 0 && names.length > 0 && !found.has(pathOf(names))) found.set(pathOf(names), aside)
    for (const [name, inner] of entries)
      walk([...names, name], inner, inner.codec === undefined ? undefined : expectedBy(inner.codec))
  }
  walk([], { value: extra, codec: undefined }, contract)
  return found
}

const kindOf = ({ value, codec }: Aside): Finding['kind'] => {
  if (codec === undefined) return 'unknown-field'
  const expected = expectedBy(codec)
  return expected.kind === 'leaf' && expected.words !== undefined && typeof value === 'string' ? 'new-value' : 'misfit'
}

/** The fields of an event's payload that its contract does not know, or whose values do not fit. */
export const fieldsAside = (
  {
    api,
    name,
    expected: contract,
  }: { readonly api: Finding['api']; readonly name: string; readonly expected: Expected },
  extra: unknown,
): ReadonlyArray<Finding> =>
  [...asideIn(extra, contract)].map(([path, aside]) => ({
    kind: kindOf(aside),
    api,
    event: name,
    path,
    ...(aside.codec !== undefined && { expected: inWords(aside.codec) }),
    type: typeOf(aside.value),
    example: () => shapeOf(aside.value),
  }))

const nameField = { webhooks: 'event_name', bot: 'event' } as const

const valueAt = (payload: unknown, path: string): unknown =>
  path === ''
    ? payload
    : path
        .split('.')
        .reduce<unknown>(
          (value, name) => (isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined),
          payload,
        )

/** The findings of a request that was not understood. */
export const notUnderstood = ({ api, reason, problems, body }: QuarantinedRequest): ReadonlyArray<Finding> => {
  if (reason === 'refused-by-kafka') return []
  const json = readJson(body)
  const payload = E.isRight(json) ? json.right : undefined
  const field = nameField[api]
  const name = isJsonObject(payload) ? payload[field] : undefined
  const event = typeof name === 'string' ? nameOrAny(name) : anything
  if (reason === 'unknown-event')
    return [{ kind: 'unknown-event', api, event, path: field, type: typeOf(name), example: () => shapeOf(name) }]
  const found = new Map<string, Finding>()
  for (const { path: at, expected } of problemsIn(problems)) {
    const whole = valueAt(payload, at)
    const path = at === '' ? 'body' : pathOf(at.split('.').map(nameOrAny))
    if (found.has(path) || found.size >= maxPlaces) continue
    const type = E.isLeft(json) ? 'not JSON' : typeOf(whole)
    found.set(path, {
      kind: 'refused',
      api,
      event,
      path,
      expected,
      type,
      example: () => (E.isLeft(json) ? type : shapeOf(whole)),
    })
  }
  return [...found.values()]
}
