import { isJsonObject, type JsonObject } from './known-and-extra.ts'
import type { Fields, Structure } from './structure.ts'

type Rename = (value: unknown) => unknown

const asItIs: Rename = (value) => value

/** `chats_count` -> `chatsCount` */
export const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase())

const renameObject = (fields: Fields): Rename => {
  const renames = [...fields].map(([wire, structure]) => [wire, camelCase(wire), renameOf(structure)] as const)
  return (value) => {
    if (!isJsonObject(value)) return value
    const named: JsonObject = {}
    for (const [wire, name, rename] of renames) {
      const field = value[wire]
      if (field !== undefined && field !== null) named[name] = rename(field)
    }
    return named
  }
}

const renameArray = (items: Structure): Rename => {
  const rename = renameOf(items)
  return (value) => (Array.isArray(value) ? value.map(rename) : value)
}

const renameTagged = (tag: string, cases: ReadonlyMap<unknown, Structure>): Rename => {
  const renames = new Map([...cases].map(([literal, structure]) => [literal, renameOf(structure)]))
  return (value) => (isJsonObject(value) ? (renames.get(value[tag]) ?? asItIs)(value) : value)
}

/** Compiles a structure to a function from its decoded value to the domain's: names in camelCase, null left out. */
export const renameOf = (structure: Structure): Rename => {
  switch (structure.kind) {
    case 'leaf':
      return asItIs
    case 'object':
      return renameObject(structure.fields)
    case 'array':
      return renameArray(structure.items)
    case 'tagged':
      return renameTagged(structure.tag, structure.cases)
  }
}
