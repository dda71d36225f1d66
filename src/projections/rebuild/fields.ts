import { isDeepStrictEqual } from 'node:util'

/** A document of any view, or what somebody made of it. */
export type Fields = Readonly<Record<string, unknown>>

const atMost = 20

const isNode = (value: unknown): value is Fields | ReadonlyArray<unknown> =>
  Array.isArray(value) ||
  (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)

const namesOf = (a: object, b: object) => [...new Set([...Object.keys(a), ...Object.keys(b)])]

const differing = (a: unknown, b: unknown, path: string): ReadonlyArray<string> => {
  if (isDeepStrictEqual(a, b)) return []
  if (!isNode(a) || !isNode(b) || Array.isArray(a) !== Array.isArray(b)) return [path]
  return namesOf(a, b).flatMap((name) => {
    const at = (of: object): unknown => (Object.hasOwn(of, name) ? Reflect.get(of, name) : undefined)
    return differing(at(a), at(b), path === '' ? name : `${path}.${name}`)
  })
}

/** The paths of the fields in which two documents differ, twenty at most: names and places only, never what stands there. */
export const differingFields = (a: Fields, b: Fields): ReadonlyArray<string> => differing(a, b, '').slice(0, atMost)
