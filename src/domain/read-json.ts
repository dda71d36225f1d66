import * as E from 'fp-ts/lib/Either.js'
import type { Problem } from '../../contracts/problem.ts'
import { repeatedKey, scan } from './json-text.ts'

const deepest = 32
const utf8 = new TextDecoder('utf-8', { fatal: true })

const countKeys = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) for (const each of value) keys += countKeys(each)
  else for (const name in value) keys += 1 + countKeys((value as Readonly<Record<string, unknown>>)[name])
  return keys
}

/** An integer that a double cannot hold, and a number beyond all doubles, stay what was sent, as text. */
const exactly = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
  if (typeof value !== 'number' || context?.source === undefined) return value
  const lost = /^-?\d+$/.test(context.source) ? !Number.isSafeInteger(value) : !Number.isFinite(value)
  return lost ? context.source : value
}

const attempt = <A>(expected: string, read: () => A): E.Either<Problem, A> => {
  try {
    return E.right(read())
  } catch {
    return E.left({ path: '', expected })
  }
}

/**
 * The JSON value of a body: what JSON.parse makes of it, but integers beyond 2^53 as their decimal text. Refused: what is
 * not UTF-8, nested deeper than 32, not JSON, or has a key twice in one object (the problem's path is that key).
 */
export const readJson = (bytes: Uint8Array): E.Either<Problem, unknown> => {
  const text = attempt('valid UTF-8', () => utf8.decode(bytes))
  if (E.isLeft(text)) return text
  const { depth, keys, unusualNumber } = scan(text.right)
  if (depth > deepest) return E.left({ path: '', expected: `JSON nested at most ${deepest} deep` })
  const value = attempt('JSON', (): unknown => JSON.parse(text.right))
  if (E.isLeft(value)) return value
  if (countKeys(value.right) !== keys)
    return E.left({ path: (repeatedKey(text.right) ?? '').slice(0, 100), expected: 'one value, not several' })
  return unusualNumber ? E.right(JSON.parse(text.right, exactly)) : value
}
