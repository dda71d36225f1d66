/** What a value does not have that a codec wants; why, the codec itself says. */
export const refused = Symbol('refused')
export type Read = (value: unknown) => unknown

export type Field = {
  readonly read: Read
  readonly required: boolean
  /** Source: what an expression must meet so that `read` would give its value as it is. Other values may do so too. */
  readonly asItIs: ((expression: string) => string) | undefined
}
export type Form = { readonly fields: ReadonlyMap<string, Field>; readonly exact: boolean }
type JsonObject = Record<string, unknown>

export const isPlainObject = (value: unknown): value is Readonly<JsonObject> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

const only = (value: Readonly<JsonObject>, fields: Form['fields']): JsonObject => {
  const kept: JsonObject = {}
  for (const name in value) if (fields.has(name)) kept[name] = value[name]
  return kept
}

/** before0: the field as it is, after0: as it is read. */
const sourceOfField = ([name, { required, asItIs }]: readonly [string, Field], i: number): string => `
  const before${i} = value[${JSON.stringify(name)}]
  let after${i} = before${i}
  if (before${i} !== undefined) {
    found++
    ${asItIs ? `if (!(${asItIs(`before${i}`)})) {` : '{'}
      after${i} = read${i}(before${i})
      if (after${i} === refused || after${i} === undefined) return refused
    }
  }${required ? ' else return refused' : ''}`

const sourceOf = ({ fields, exact }: Form): string => {
  const all = [...fields]
  const asItWas = all.map((_, i) => `after${i} === before${i}`).join(' && ') || 'true'
  return `
  const [${all.map((_, i) => `read${i}`).join(', ')}] = reads
  return (value) => {
    if (!isPlainObject(value)) return refused
    let found = 0
    ${all.map(sourceOfField).join('')}
    let fields = 0
    for (const _ in value) fields++
    if (fields > found && Object.hasOwn(value, '__proto__')) return refused
    if (${exact ? 'fields === found && ' : ''}${asItWas}) return value
    const copy = { ...value }
    ${all.map(([name], i) => `if (after${i} !== before${i}) copy[${JSON.stringify(name)}] = after${i}`).join('\n    ')}
    return ${exact ? 'fields === found ? copy : only(copy, known)' : 'copy'}
  }`
}

/**
 * Reads an object field by field, each by its name in source that is made for its form: an engine finds fields that a loop
 * takes from a list several times more slowly. Names stand in the source as JSON, and there is nothing else in it from outside.
 * Its result has the fields in the value's order, and is the value itself where nothing had to be changed.
 */
export const readObject = (form: Form): Read => {
  const reads = [...form.fields.values()].map(({ read }) => read)
  const make = new Function('refused', 'isPlainObject', 'only', 'known', 'reads', sourceOf(form))
  return make(refused, isPlainObject, only, form.fields, reads)
}
