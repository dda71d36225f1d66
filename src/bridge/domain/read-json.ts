import * as E from 'fp-ts/lib/Either.js'
import type { Problem } from '../../../contracts/problem.ts'
import { UnrepresentableNumber } from '../../../contracts/wire.ts'

const [quote, backslash, colon, space] = [0x22, 0x5c, 0x3a, 0x20]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const [zero, nine, plus, minus, point, e, capitalE] = [0x30, 0x39, 0x2b, 0x2d, 0x2e, 0x65, 0x45]

/** The index of the quote that ends the string that begins at `start`; the text's length if there is none. */
const endOfString = (text: string, start: number): number => {
  for (let i = text.indexOf('"', start + 1); i !== -1; i = text.indexOf('"', i + 1)) {
    let slashes = 0
    while (text.charCodeAt(i - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return i
  }
  return text.length
}

type Range = { readonly from: number; readonly to: number }
/**
 * `keys` counts the colons outside of strings: one for each key of any object, repeated keys included. `lost` has the
 * numbers that a double cannot hold: integers beyond 2^53, numbers beyond all doubles, and fractions that a double
 * rounds to an integer, such as 1e-400 to 0: as ids they would be those of others.
 */
type Scan = { readonly depth: number; readonly keys: number; readonly lost: ReadonlyArray<Range> }

const safeDigits = 15

/** Whether a number with a point or an exponent is an integer, which a double that is an integer does not tell. */
const isWhole = (source: string): boolean => {
  const [, digits = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const all = digits + fraction
  let significant = all.length
  while (all.charCodeAt(significant - 1) === zero) significant--
  return significant === 0 || significant - digits.length <= Number(exponent)
}

const isRoundedToInteger = (number: number, source: string): boolean => Number.isSafeInteger(number) && !isWhole(source)

const isDigit = (c: number) => c >= zero && c <= nine
const isFractional = (c: number) => c === point || c === e || c === capitalE

/** The index after the number that begins with the digit at `start`. */
const endOfNumber = (text: string, start: number): number => {
  let end = start + 1
  for (let c = text.charCodeAt(end); isDigit(c) || isFractional(c) || c === plus || c === minus; ) {
    end++
    c = text.charCodeAt(end)
  }
  return end
}

const isInteger = (text: string, { from, to }: Range): boolean => {
  for (let i = from; i < to; i++) if (isFractional(text.charCodeAt(i))) return false
  return true
}

/** Whether a double cannot hold the number at this place. */
const isLost = (text: string, place: Range): boolean => {
  const { from, to } = place
  const isWithoutFraction = isInteger(text, place)
  if (isWithoutFraction && to - from <= safeDigits) return false
  const source = text.slice(from, to)
  const number = Number(source)
  return isWithoutFraction
    ? !Number.isSafeInteger(number)
    : !Number.isFinite(number) || isRoundedToInteger(number, source)
}

/**
 * Scans a JSON text before it is parsed: how deep it nests, how many keys it has, and which numbers a double cannot
 * hold. It accepts any text. The result has no meaning if the text is not JSON.
 */
const scan = (text: string): Scan => {
  let depth = 0
  let deepest = 0
  let keys = 0
  const lost: Range[] = []
  let i = 0
  while (i < text.length) {
    const c = text.charCodeAt(i)
    if (isDigit(c)) {
      const place = { from: text.charCodeAt(i - 1) === minus ? i - 1 : i, to: endOfNumber(text, i) }
      if (isLost(text, place)) lost.push(place)
      i = place.to
      continue
    }
    if (c === openBrace || c === openBracket) {
      depth++
      deepest = Math.max(deepest, depth)
    } else if (c === closeBrace || c === closeBracket) depth--
    else if (c === colon) keys++
    i = c === quote ? endOfString(text, i) + 1 : i + 1
  }
  return { depth: deepest, keys, lost }
}

const isKey = (text: string, end: number): boolean => {
  let next = end + 1
  while (text.charCodeAt(next) <= space) next++
  return text.charCodeAt(next) === colon
}

/** The first key that an object of this text has twice. The text must be valid JSON. */
const repeatedKey = (text: string): string | undefined => {
  const objects: Array<Set<string>> = []
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === openBrace || c === openBracket) objects.push(new Set())
    else if (c === closeBrace || c === closeBracket) objects.pop()
    else if (c === quote) {
      const end = endOfString(text, i)
      if (isKey(text, end)) {
        const key = String(JSON.parse(text.slice(i, end + 1)))
        const keys = objects[objects.length - 1]
        if (keys?.has(key)) return key
        keys?.add(key)
      }
      i = end
    }
  }
  return undefined
}

/** Why bytes are refused. The problem's path is the repeated key, or empty. */
export type JsonProblem = Problem & { readonly cause: 'not-utf8' | 'too-deep' | 'not-json' | 'repeated-key' }

/**
 * `exact`: integers that a double cannot hold become their text, and other numbers that it cannot hold a value of their
 * own. Otherwise they are rounded, as by JSON.parse.
 */
export type JsonRules = { readonly deepest: number; readonly exact: boolean }

const ofRequests: JsonRules = { deepest: 32, exact: true }
const utf8 = new TextDecoder('utf-8', { fatal: true })

const countKeys = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) for (const each of value) keys += countKeys(each)
  else for (const name in value) keys += 1 + countKeys((value as Readonly<Record<string, unknown>>)[name])
  return keys
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** Numbers beyond all doubles are rare, so a reviver may cost something. */
const keepingUnrepresentable: Reviver = (_, value, { source = '' }) =>
  typeof value === 'number' && (!Number.isFinite(value) || isRoundedToInteger(value, source))
    ? new UnrepresentableNumber(source)
    : value

const parseExactly = (text: string, lost: ReadonlyArray<Range>): unknown => {
  const integers = lost.filter(({ from, to }) => !/[.eE]/u.test(text.slice(from, to)))
  const exact = quoted(text, integers)
  return integers.length === lost.length
    ? JSON.parse(exact)
    : JSON.parse(exact, keepingUnrepresentable as (key: string, value: unknown) => unknown)
}

/** The JSON text with the numbers at these places as strings. A reviver would cost far more for each number. */
const quoted = (text: string, lost: ReadonlyArray<Range>): string => {
  const parts: string[] = []
  let done = 0
  for (const { from, to } of lost) {
    parts.push(text.slice(done, from), '"', text.slice(from, to), '"')
    done = to
  }
  return parts.join('') + text.slice(done)
}

const refuse = (cause: JsonProblem['cause'], expected: string, path = ''): E.Either<JsonProblem, never> =>
  E.left({ cause, path, expected })

const attempt = <A>(read: () => A, refused: E.Either<JsonProblem, never>): E.Either<JsonProblem, A> => {
  try {
    return E.right(read())
  } catch {
    return refused
  }
}

/**
 * The JSON value of a request's body or of a record. By default it is exact, unlike JSON.parse. Refused are bytes that
 * are not UTF-8, text that is not JSON or nests too deep for other code, and an object with a repeated key.
 */
export const readJson = (bytes: Uint8Array, { deepest, exact } = ofRequests): E.Either<JsonProblem, unknown> => {
  const text = attempt(() => utf8.decode(bytes), refuse('not-utf8', 'valid UTF-8'))
  if (E.isLeft(text)) return text
  const { depth, keys, lost } = scan(text.right)
  if (depth > deepest) return refuse('too-deep', `JSON nested at most ${deepest} deep`)
  const value = attempt((): unknown => JSON.parse(text.right), refuse('not-json', 'JSON'))
  if (E.isLeft(value)) return value
  if (countKeys(value.right) !== keys)
    return refuse('repeated-key', 'one value, not several', (repeatedKey(text.right) ?? '').slice(0, 100))
  return exact && lost.length > 0 ? E.right(parseExactly(text.right, lost)) : value
}
