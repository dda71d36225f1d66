import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as J from 'fp-ts/lib/Json.js'

/** MongoDB refuses more than 180 levels, including those of the document around it. No reader needs half as many. */
const deepest = 60

/**
 * Replaces field names that BSON and its drivers cannot store, or read back as something else: DBRef, BSON types, and
 * names that every object inherits (`constructor`). The Node driver returns an array under such a name as its bytes.
 */
const safeKey = (key: string): string => {
  const text = key.toWellFormed().replaceAll('\0', '\u2400')
  if (text.startsWith('$')) return `\uff04${text.slice(1)}`
  return text === '_bsontype' || text in Object.prototype ? `${text}_` : text
}

/** JSON text. Never throws, however deep the value is nested. */
export const asText = (value: unknown): string =>
  pipe(
    J.stringify(value),
    E.getOrElse(() => 'too deep'),
  )

/** Names that are known to be safe, those of the contracts first. A limit stops senders from making it grow. */
const safeNames = new Set<string>()
const remembered = 2_000

const isSafeKey = (key: string): boolean => {
  if (safeNames.has(key)) return true
  if (safeKey(key) !== key) return false
  if (safeNames.size < remembered) safeNames.add(key)
  return true
}

/** Whether `walk` would return the value itself. This check allocates nothing, and most values need no change. */
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
 * Changes a value so that MongoDB can store it and return it equal. Half surrogate pairs are replaced. NUL in a field
 * name becomes \u2400, and a leading `$` becomes \uff04 (MongoDB's own substitute). Names that have a meaning for
 * drivers get `_` at the end. A value that is nested too deep becomes its JSON text. Never throws. A value that needs
 * no change is returned itself. Names of the contracts never change, so the type stays.
 */
export const storable = <A>(value: A): A => (isStorable(value, 0) ? value : (walk(value, 0) as A))
