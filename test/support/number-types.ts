import { Double, Int32, Long } from 'mongodb'

/** The BSON types of numbers by their path; items of lists together. */
type TypesByPath = Map<string, Set<string>>

const typeOf = (value: object): string | undefined => {
  if (value instanceof Int32) return 'int'
  if (value instanceof Long) return 'long'
  return value instanceof Double ? 'double' : undefined
}

/** The types of all numbers in a document that was read with `promoteValues: false`, added to those of others. */
export const typesOfNumbers = (value: unknown, found: TypesByPath = new Map(), path = ''): TypesByPath => {
  if (typeof value !== 'object' || value === null) return found
  const type = typeOf(value)
  if (type !== undefined) return found.set(path, (found.get(path) ?? new Set<string>()).add(type))
  for (const [key, inner] of Object.entries(value)) {
    const name = Array.isArray(value) ? '[]' : key
    typesOfNumbers(inner, found, path === '' ? name : `${path}.${name}`)
  }
  return found
}

/** The paths with numbers of more than one type. */
export const twoTypesIn = (found: TypesByPath): ReadonlyArray<string> =>
  [...found].flatMap(([path, types]) => (types.size > 1 ? [`${path}: ${[...types].sort().join(' and ')}`] : []))
