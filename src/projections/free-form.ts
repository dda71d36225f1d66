import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as J from 'fp-ts/lib/Json.js'

/** MongoDB refuses more than 180 levels with a document's own around them; nobody reads half as many. */
const deepest = 60

/**
 * What BSON and its drivers cannot hold as a field name, or read back as something else: DBRef, BSON types, and, in the
 * Node driver, an array under a name that every object inherits (`constructor`), which comes back as its bytes.
 */
const safeKey = (key: string): string => {
  const text = key.toWellFormed().replaceAll('\0', '\u2400')
  if (text.startsWith('$')) return `\uff04${text.slice(1)}`
  return text === '_bsontype' || text in Object.prototype ? `${text}_` : text
}

/** JSON text; total, whatever was nested how deep. */
export const asText = (value: unknown): string =>
  pipe(
    J.stringify(value),
    E.getOrElse(() => 'too deep'),
  )

/** Names that were found to be safe; those of the contracts fill it first, and whatever strangers send cannot make it grow. */
const safeNames = new Set<string>()
const remembered = 2_000

const isSafeKey = (key: string): boolean => {
  if (safeNames.has(key)) return true
  if (safeKey(key) !== key) return false
  if (safeNames.size < remembered) safeNames.add(key)
  return true
}

/** Whether the walk would return the value itself: it makes nothing, and most values are so. */
const isStorable = (value: unknown, depth: number): boolean => {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null || value instanceof Date) return true
  if (depth > deepest) return false
  if (Array.isArray(value)) {
    for (const item of value) if (!isStorable(item, depth + 1)) return false
    return true
  }
  for (const key of Object.keys(value)) {
    if (!isSafeKey(key) || !isStorable((value as Record<string, unknown>)[key], depth + 1)) return false
  }
  return true
}

const walk = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (depth > deepest) return asText(value).toWellFormed()
  if (Array.isArray(value)) {
    const items = value.map((item) => walk(item, depth + 1))
    return items.every((item, i) => item === value[i]) ? value : items
  }
  const entries = Object.entries(value)
  const safe = entries.map(([key, item]) => [safeKey(key), walk(item, depth + 1)] as const)
  return safe.every(([key, item], i) => key === entries[i]?.[0] && item === entries[i]?.[1])
    ? value
    : Object.fromEntries(safe)
}

/**
 * The value as MongoDB can store it and give it back equal: half surrogate pairs replaced, NUL in a field name shown
 * as \u2400, a leading `$` as \uff04 (MongoDB's own substitute), `_` after names that mean something to drivers, and
 * what is nested too deep as its JSON text. Total; a value that needs nothing is returned itself. Names of the
 * contracts are never touched, so the type stays.
 */
export const storable = <A>(value: A): A => (isStorable(value, 0) ? value : (walk(value, 0) as A))
