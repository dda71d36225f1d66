import { isJsonObject } from './json-object.ts'
import type { Fields, Structure } from './structure.ts'

type Rename = (value: unknown) => unknown

const asItIs: Rename = (value) => value

/** `chats_count` -> `chatsCount` */
export const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase())

// In source, each field by its name, as `contracts/straight-line.ts` has it and for the same reason.
const renameObject = (fields: Fields): Rename => {
  const all = [...fields]
  const lines = all.map(([wire, structure], i) => {
    const [from, to] = [wire, camelCase(wire)].map((name) => JSON.stringify(name))
    return `
    const field${i} = value[${from}]
    if (field${i} !== undefined && field${i} !== null)
      named[${to}] = ${structure.kind === 'leaf' ? `field${i}` : `rename[${i}](field${i})`}`
  })
  const source = `return (value) => {
    if (!isJsonObject(value)) return value
    const named = {}${lines.join('')}
    return named
  }`
  const renames = all.map(([, structure]) => renameOf(structure))
  return new Function('isJsonObject', 'rename', source)(isJsonObject, renames)
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
