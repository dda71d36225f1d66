import { isJsonObject } from './json-object.ts'
import type { Fields, Structure } from './structure.ts'

type IsKnown = (value: unknown) => boolean

const has = (name: string): string =>
  name in Object.prototype
    ? `Object.hasOwn(value, ${JSON.stringify(name)})`
    : `value[${JSON.stringify(name)}] !== undefined`

// Each field by its name in source, as in `contracts/straight-line.ts` and for the same reason.
const isObjectKnown = (fields: Fields): IsKnown => {
  const all = [...fields]
  const lines = all.map(([name, structure], i) => {
    const inner = structure.kind === 'leaf' ? '' : `if (!isKnown[${i}](value[${JSON.stringify(name)}])) return false`
    return `
    if (${has(name)}) {
      found++
      ${inner}
    }`
  })
  const source = `return (value) => {
    if (!isJsonObject(value)) return true
    let found = 0${lines.join('')}
    let fields = 0
    for (const _ in value) fields++
    return fields === found
  }`
  const isKnown = all.map(([, structure]) => isAllKnown(structure))
  return new Function('isJsonObject', 'isKnown', source)(isJsonObject, isKnown)
}

/** Compiles a structure to whether there is nothing in a JSON value that it does not know; false may also be 'not sure'. */
export const isAllKnown = (structure: Structure): IsKnown => {
  switch (structure.kind) {
    case 'leaf':
      return () => true
    case 'object':
      return isObjectKnown(structure.fields)
    case 'array': {
      const isKnown = isAllKnown(structure.items)
      return (value) => !Array.isArray(value) || value.every(isKnown)
    }
    case 'tagged': {
      const cases = new Map([...structure.cases].map(([literal, each]) => [literal, isAllKnown(each)]))
      return (value) => !isJsonObject(value) || (cases.get(value[structure.tag])?.(value) ?? true)
    }
  }
}
