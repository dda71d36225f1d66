import type { Json, JsonObject, Schema } from '../schema.ts'
import { type Difference, keywordChanges } from './keywords.ts'

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const namesOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

/** A schema inside a document, so that its references can be followed. */
type Place = { readonly schema: Schema; readonly document: Schema }

const at = ({ document }: Place, schema: Json | undefined): Place => {
  const found = objectOf(schema)
  const name = typeof found.$ref === 'string' ? found.$ref.replace('#/$defs/', '') : undefined
  return name === undefined
    ? { schema: found, document }
    : at({ document, schema: found }, objectOf(document.$defs)[name] ?? {})
}

const alternativesOf = (place: Place): ReadonlyArray<Place> => {
  const { anyOf, type, ...rest } = place.schema
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => alternativesOf(at(place, each)))
  return Array.isArray(type) ? type.map((each) => at(place, { ...rest, type: each })) : [place]
}

/** What an alternative is called: its type, or the constants by which its readers tell it from the others. */
const labelOf = ({ schema }: Place): string => {
  const constants = Object.values(objectOf(schema.properties)).flatMap((field) => {
    const value = objectOf(field).const
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
  if (isObject(from) && isObject(to)) return between(at(before, from), at(after, to), path)
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

/** Every difference between two schemas with their own `$defs` that matters to whoever writes or reads their values. */
export const differences = (before: Schema, after: Schema): ReadonlyArray<Difference> =>
  between({ schema: before, document: before }, { schema: after, document: after }, '')
