import { isJsonObject } from '../../../bridge/shared/json.ts'
import type { Json, JsonObject, Schema } from '../schema.ts'

/**
 * The effect of a change on the values that a schema accepts: fewer (`narrowed`), more (`widened`), other ones
 * (`changed`), or the same ones without a field that had a meaning (`lost`).
 */
export type Effect = 'narrowed' | 'widened' | 'changed' | 'lost'
export type Difference = { readonly path: string; readonly change: string; readonly effect: Effect }
type Change = Omit<Difference, 'path'>

const lowest = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const highest = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const opaque = ['pattern', 'format', 'allOf', 'not']

const show = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))

const typeChange = (before: Schema, after: Schema): ReadonlyArray<Change> => {
  const [from, to] = [before.type ?? 'anything', after.type ?? 'anything']
  if (from === to) return []
  const change = `type changed from ${show(from)} to ${show(to)}`
  if (to === 'anything' || (from === 'integer' && to === 'number')) return [{ change, effect: 'widened' }]
  if (from === 'anything' || (from === 'number' && to === 'integer')) return [{ change, effect: 'narrowed' }]
  return [{ change, effect: 'changed' }]
}

const valuesOf = ({ const: only, enum: several }: Schema): ReadonlyArray<string> | undefined => {
  if (only !== undefined) return [show(only)]
  return Array.isArray(several) ? several.map(show) : undefined
}

const valueChanges = (before: Schema, after: Schema): ReadonlyArray<Change> => {
  const [from, to] = [valuesOf(before), valuesOf(after)]
  if (from === undefined && to === undefined) return []
  if (from === undefined)
    return [{ change: `only these values are allowed now: ${to?.join(', ')}`, effect: 'narrowed' }]
  if (to === undefined) return [{ change: `no longer only ${from.join(', ')}`, effect: 'widened' }]
  return [
    ...from
      .filter((value) => !to.includes(value))
      .map((value): Change => ({ change: `value removed: ${value}`, effect: 'narrowed' })),
    ...to
      .filter((value) => !from.includes(value))
      .map((value): Change => ({ change: `value added: ${value}`, effect: 'widened' })),
  ]
}

const boundChanges = (before: Schema, after: Schema): ReadonlyArray<Change> =>
  [...lowest, ...highest].flatMap((keyword): ReadonlyArray<Change> => {
    const [from, to] = [before[keyword], after[keyword]]
    if (from === to) return []
    const [unbounded, sign] = lowest.includes(keyword) ? [-Infinity, 1] : [Infinity, -1]
    const tighter = sign * (Number(to ?? unbounded) - Number(from ?? unbounded)) > 0
    const change = `${keyword} changed from ${show(from ?? 'none')} to ${show(to ?? 'none')}`
    return [{ change, effect: tighter ? 'narrowed' : 'widened' }]
  })

/** The check cannot compare what two patterns accept, so a different pattern counts as `changed`. */
const opaqueChanges = (before: Schema, after: Schema): ReadonlyArray<Change> =>
  opaque.flatMap((keyword): ReadonlyArray<Change> => {
    const [from, to] = [before[keyword], after[keyword]]
    if (JSON.stringify(from) === JSON.stringify(to)) return []
    if (from === undefined) return [{ change: `${keyword} added`, effect: 'narrowed' }]
    return [
      {
        change: `${keyword} ${to === undefined ? 'removed' : 'changed'}`,
        effect: to === undefined ? 'widened' : 'changed',
      },
    ]
  })

/** The changes of one schema's own keywords, without its parts. */
const keywordChanges = (before: Schema, after: Schema): ReadonlyArray<Change> => {
  const type = typeChange(before, after)
  return type.some(({ effect }) => effect === 'changed')
    ? type
    : [...type, ...valueChanges(before, after), ...boundChanges(before, after), ...opaqueChanges(before, after)]
}

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})
const namesOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

/** A schema inside a document, so that its references can be followed. */
type Place = { readonly schema: Schema; readonly document: Schema }

const at = ({ document }: Place, schema: Json | undefined): Place => {
  const [around, only] = [objectOf(schema), objectOf(schema).allOf]
  const inside: Json | undefined = Array.isArray(only) && only.length === 1 ? only[0] : undefined
  // A reference with its own description around it.
  const found = isJsonObject(inside) && '$ref' in inside ? inside : around
  const name = typeof found.$ref === 'string' ? found.$ref.replace('#/$defs/', '') : undefined
  return name === undefined
    ? { schema: found, document }
    : at({ document, schema: found }, objectOf(document.$defs)[name] ?? {})
}

const alternativesOf = (place: Place): ReadonlyArray<Place> => {
  const { anyOf, oneOf, type, ...rest } = place.schema
  const members = anyOf ?? oneOf
  if (Array.isArray(members)) return members.flatMap((each) => alternativesOf(at(place, each)))
  return Array.isArray(type) ? type.map((each) => at(place, { ...rest, type: each })) : [place]
}

/** The label of an alternative: its type, or the constants by which its readers distinguish it from the others. */
const labelOf = ({ schema }: Place): string => {
  const constants = Object.values(objectOf(schema.properties)).flatMap((field) => {
    const { const: only, enum: values } = objectOf(field)
    const value = only ?? (Array.isArray(values) && values.length === 1 ? values[0] : undefined)
    return value === undefined ? [] : [String(value)]
  })
  return constants.length > 0 ? constants.join(' ') : String(schema.type ?? 'anything')
}

const labelled = (place: Place): ReadonlyMap<string, Place> => {
  const found = new Map<string, Place>()
  for (const each of alternativesOf(place)) {
    const label = labelOf(each)
    found.set(found.has(label) ? `${label} ${found.size}` : label, each)
  }
  return found
}

const fieldDifferences = (before: Place, after: Place, path: string): ReadonlyArray<Difference> => {
  const [from, to] = [objectOf(before.schema.properties), objectOf(after.schema.properties)]
  const [needed, needs] = [namesOf(before.schema.required), namesOf(after.schema.required)]
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return names.flatMap((name): ReadonlyArray<Difference> => {
    const place = path === '' ? name : `${path}.${name}`
    if (!(name in to)) return [{ path: place, change: 'field removed', effect: 'lost' }]
    const required = needs.includes(name)
    if (!(name in from)) return required ? [{ path: place, change: 'required field added', effect: 'narrowed' }] : []
    const change: ReadonlyArray<Difference> =
      required === needed.includes(name)
        ? []
        : [
            {
              path: place,
              change: `became ${required ? 'required' : 'optional'}`,
              effect: required ? 'narrowed' : 'widened',
            },
          ]
    return [...change, ...between(at(before, from[name]), at(after, to[name]), place)]
  })
}

const partDifferences = (before: Place, after: Place, keyword: string, path: string): ReadonlyArray<Difference> => {
  const [from, to] = [before.schema[keyword], after.schema[keyword]]
  if (isJsonObject(from) && isJsonObject(to)) return between(at(before, from), at(after, to), path)
  if (JSON.stringify(from) === JSON.stringify(to)) return []
  return [{ path, change: `${keyword} changed`, effect: to === undefined || to === true ? 'widened' : 'narrowed' }]
}

const ofOne = (before: Place, after: Place, path: string): ReadonlyArray<Difference> => {
  const own = keywordChanges(before.schema, after.schema).map((change) => ({ path, ...change }))
  if (own.some(({ effect, change }) => effect === 'changed' && change.startsWith('type'))) return own
  return [
    ...own,
    ...fieldDifferences(before, after, path),
    ...partDifferences(before, after, 'items', `${path}[]`),
    ...partDifferences(before, after, 'additionalProperties', `${path}{}`),
  ]
}

const between = (before: Place, after: Place, path: string): ReadonlyArray<Difference> => {
  const [from, to] = [labelled(before), labelled(after)]
  const [[onlyBefore] = [], [onlyAfter] = []] = [[...from.values()], [...to.values()]]
  if (from.size === 1 && to.size === 1 && onlyBefore && onlyAfter) return ofOne(onlyBefore, onlyAfter, path)
  return [
    ...[...from].flatMap(([label, place]): ReadonlyArray<Difference> => {
      const counterpart = to.get(label)
      return counterpart === undefined
        ? [{ path, change: `alternative removed: ${label}`, effect: 'narrowed' }]
        : ofOne(place, counterpart, path)
    }),
    ...[...to.keys()]
      .filter((label) => !from.has(label))
      .map((label): Difference => ({ path, change: `alternative added: ${label}`, effect: 'widened' })),
  ]
}

/** Every difference between two schemas with their own `$defs` that matters to writers or readers of their values. */
export const differences = (before: Schema, after: Schema): ReadonlyArray<Difference> =>
  between({ schema: before, document: before }, { schema: after, document: after }, '')
