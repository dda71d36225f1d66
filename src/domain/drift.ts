import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { problemsOf } from '../../contracts/problem.ts'
import type { DriftDocument } from '../../contracts/views/drift.ts'
import { isJsonObject, isObject } from '../shared/json.ts'
import type { QuarantinedRequest } from './quarantined.ts'
import { readJson } from './read-json.ts'
import type { WireName } from './requests.ts'
import { wireForm } from './wire-form.ts'

export type JsonType = DriftDocument['types'][number]

/** Something in one request that the contract does not know. */
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

export const typeOf = (value: unknown): JsonType => {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return Array.isArray(value) ? 'array' : 'object'
}

const mostMasked = 40

const masked = (text: string): string =>
  text
    .slice(0, mostMasked)
    .replace(/\p{Lu}|\p{L}|\p{N}|\s|./gsu, (c) =>
      /\p{Lu}/u.test(c) ? 'A' : /\p{L}/u.test(c) ? 'a' : /\p{N}/u.test(c) ? '9' : /\s/u.test(c) ? '_' : '#',
    )

/** The shape of a value without its content: `text of 5: Aaaa9`. */
export const shapeOf = (value: unknown): string => {
  if (typeof value === 'string') return `text of ${value.length}: ${masked(value)}`
  if (typeof value === 'number') return `number: ${masked(String(value))}`
  if (Array.isArray(value)) return `array of ${value.length}`
  return isObject(value) ? `object of ${Object.keys(value).length}` : typeOf(value)
}

const deepest = 8
/** The most findings per request. A request with more of them is no sign of a changed contract. */
const mostPlaces = 100

const pathOf = (names: ReadonlyArray<string>) => names.join('.')

/** The contract expects one of several words: `"callback" or "incoming"`. */
const isListOfWords = (expected: string) => /^"[^"]*"(( or | \| )"[^"]*")+$/u.test(expected)

type Misplaced = Pick<Finding, 'kind'> & { readonly value: unknown; readonly expected?: string }

/** What the wire codec expected of a value that did not fit. */
const misfit = (codec: t.Mixed, value: unknown): Misplaced => {
  const read = codec.validate(value, [{ key: '', type: codec }])
  const [problem] = E.isLeft(read) ? problemsOf(read.left) : []
  const expected = problem?.expected ?? codec.name
  const isNewWord = typeof value === 'string' && isListOfWords(expected)
  return { kind: isNewWord ? 'new-value' : 'refused', value, expected }
}

const isIndex = (name: string) => /^[0-9]+$/u.test(name)

/** The innermost values that an event has beside its known fields, each path once. */
const leavesOf = (wire: t.Mixed, extra: unknown): ReadonlyMap<string, Misplaced> => {
  const found = new Map<string, Misplaced>()
  const keep = (names: ReadonlyArray<string>, leaf: Misplaced) => {
    if (names.length > 0 && found.size < mostPlaces && !found.has(pathOf(names))) found.set(pathOf(names), leaf)
  }
  const walkUnknown = (value: unknown, names: ReadonlyArray<string>) => {
    if (found.size >= mostPlaces) return
    const entries = isObject(value) && names.length < deepest ? Object.entries(value) : []
    if (entries.length === 0) keep(names, { kind: 'unknown-field', value })
    for (const [key, item] of entries) walkUnknown(item, [...names, Array.isArray(value) ? anything : nameOrAny(key)])
  }
  const walk = (codec: t.Mixed, value: unknown, names: ReadonlyArray<string>) => {
    if (found.size >= mostPlaces) return
    const form = wireForm(codec)
    if (form.kind === 'object' && isJsonObject(value))
      for (const [key, item] of Object.entries(value)) {
        const field = form.fields.get(key)
        const path = [...names, nameOrAny(key)]
        if (field === undefined) walkUnknown(item, path)
        else walk(field.codec, item, path)
      }
    else if (form.kind === 'list' && isJsonObject(value) && Object.keys(value).every(isIndex))
      for (const item of Object.values(value)) walk(form.item, item, [...names, anything])
    else keep(names, misfit(codec, value))
  }
  walk(wire, extra, [])
  return found
}

/** What an event has beside its known fields: fields that its contract does not know, and values that did not fit. */
export const misplaced = ({ api, name, wire }: WireName, extra: unknown): ReadonlyArray<Finding> =>
  [...leavesOf(wire, extra)].map(([path, { kind, value, expected }]) => ({
    kind,
    api,
    event: name,
    path,
    ...(expected !== undefined && { expected }),
    type: typeOf(value),
    example: () => shapeOf(value),
  }))

const nameField = { webhooks: 'event_name', bot: 'event' } as const

const valueAt = (payload: unknown, path: string): unknown =>
  path === 'body'
    ? payload
    : path
        .split('.')
        .reduce<unknown>(
          (value, name) => (isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined),
          payload,
        )

const repeatedKey = ': expected one value, not several'

/** Splits quarantine's text of problems (contracts/problem.ts). Only a repeated key's path comes from the sender. */
const problemsIn = (text: string): ReadonlyArray<readonly [path: string, expected: string]> => {
  const problems = text.endsWith(repeatedKey) ? [text] : text.split('; ')
  return problems.map((problem) => {
    const at = text.endsWith(repeatedKey) ? text.length - repeatedKey.length : problem.indexOf(': expected ')
    return at < 0 ? ['body', problem] : [problem.slice(0, at), problem.slice(at + ': expected '.length)]
  })
}

/** The findings of a request that was not understood. */
export const notUnderstood = ({ api, reason, problems, body }: QuarantinedRequest): ReadonlyArray<Finding> => {
  const json = readJson(body)
  const payload = E.isRight(json) ? json.right : undefined
  const field = nameField[api]
  const name = isJsonObject(payload) ? payload[field] : undefined
  const event = typeof name === 'string' ? nameOrAny(name) : anything
  if (reason === 'unknown-event')
    return [{ kind: 'unknown-event', api, event, path: field, type: typeOf(name), example: () => shapeOf(name) }]
  const found = new Map<string, Finding>()
  for (const [at, expected] of problemsIn(problems)) {
    const value = valueAt(payload, at)
    const path = pathOf(at.split('.').map(nameOrAny))
    if (found.has(path) || found.size >= mostPlaces) continue
    const type = E.isLeft(json) ? 'not JSON' : typeOf(value)
    const kind = type === 'text' && isListOfWords(expected) ? 'new-value' : 'refused'
    found.set(path, { kind, api, event, path, expected, type, example: () => (E.isLeft(json) ? type : shapeOf(value)) })
  }
  return [...found.values()]
}
