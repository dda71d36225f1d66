import { isAllKnown } from './all-known.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import type { Fields, Structure } from './structure.ts'

/** A JSON value in two: what a codec knows, and a mirror that holds only what it does not (undefined where that is nothing). */
export type Parted = { readonly known: unknown; readonly extra: unknown }
type Part = (value: unknown) => Parted

/** Sets a field whatever its name: assigning to `__proto__` would set no field at all. */
const put = (target: JsonObject | undefined, key: string, value: unknown): JsonObject => {
  const object = target ?? {}
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
  return object
}

const whole: Part = (known) => ({ known, extra: undefined })

/** The first `count` fields, as they are. */
const begin = (value: JsonObject, names: ReadonlyArray<string>, count: number): JsonObject =>
  Object.fromEntries(names.slice(0, count).map((name) => [name, value[name]]))

const partObject = (fields: Fields): Part => {
  const parts = new Map([...fields].map(([name, part]) => [name, part.kind === 'leaf' ? undefined : partOfAny(part)]))
  return (value) => {
    if (!isJsonObject(value)) return whole(value)
    const names = Object.keys(value)
    let known: JsonObject | undefined
    let extra: JsonObject | undefined
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string
      const before = value[name]
      if (!parts.has(name)) {
        known ??= begin(value, names, i)
        extra = put(extra, name, before)
        continue
      }
      const field = parts.get(name)?.(before)
      const after = field === undefined ? before : field.known
      if (field?.extra !== undefined) extra = put(extra, name, field.extra)
      if (after !== before) known ??= begin(value, names, i)
      if (known !== undefined) known[name] = after
    }
    return { known: known ?? value, extra }
  }
}

const partArray = (items: Structure): Part => {
  if (items.kind === 'leaf') return whole
  const part = partOfAny(items)
  return (value) => {
    if (!Array.isArray(value)) return whole(value)
    const parted = value.map(part)
    let extra: JsonObject | undefined
    for (const [i, item] of parted.entries()) if (item.extra !== undefined) extra = put(extra, String(i), item.extra)
    return extra === undefined ? whole(value) : { known: parted.map(({ known }) => known), extra }
  }
}

const partTagged = (tag: string, cases: ReadonlyMap<unknown, Structure>): Part => {
  const parts = new Map([...cases].map(([literal, structure]) => [literal, partOfAny(structure)]))
  return (value) => (isJsonObject(value) ? (parts.get(value[tag]) ?? whole)(value) : whole(value))
}

/**
 * Compiles a structure to a function that parts a JSON value, decoded or not: `extra` keeps the wire's names, nested in
 * place, items of arrays by their index. A value without anything unknown, the usual one, is its own known part. What does not
 * have the structure's form is known as a whole: the codec refuses it.
 */
export const partOf = (structure: Structure): Part => {
  const part = partOfAny(structure)
  const isKnown = isAllKnown(structure)
  return (value) => (isKnown(value) ? whole(value) : part(value))
}

const partOfAny = (structure: Structure): Part => {
  switch (structure.kind) {
    case 'leaf':
      return whole
    case 'object':
      return partObject(structure.fields)
    case 'array':
      return partArray(structure.items)
    case 'tagged':
      return partTagged(structure.tag, structure.cases)
  }
}
