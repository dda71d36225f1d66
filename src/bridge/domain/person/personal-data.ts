import * as t from 'io-ts'
import { DomainEvent } from '../../../../contracts/events/index.ts'
import { ceTypeOfVersion, versionNames } from '../../../../contracts/events/upcast.ts'
import { earlierVersions } from '../../../../contracts/events/versions.ts'
import { isPersonal } from '../../../../contracts/personal.ts'
import { isJsonObject, type JsonObject } from '../../shared/json.ts'

/** Which leaves of a value are `personal` and which are `readable`. */
export type Marks =
  | 'personal'
  | 'readable'
  | { readonly items: Marks }
  | { readonly values: Marks }
  | { readonly fields: ReadonlyMap<string, { readonly marks: Marks; readonly required: boolean }> }

type Fields = Extract<Marks, { fields: unknown }>['fields']

const fieldsOf = (props: t.Props, required: boolean, path: string): Marks => ({
  fields: new Map(
    Object.entries(props).map(([name, codec]) => [name, { marks: marksOf(codec, `${path}.${name}`), required }]),
  ),
})

const same = (a: Marks, b: Marks): boolean => {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  if ('items' in a && 'items' in b) return same(a.items, b.items)
  return 'values' in a && 'values' in b ? same(a.values, b.values) : 'fields' in a && 'fields' in b
}

/** Merges the marks of several codecs for one value: of its parts, or of its alternatives. */
const merged = (all: ReadonlyArray<Marks>, path: string): Marks => {
  const [first = 'readable', ...others] = all
  if (others.some((other) => !same(first, other))) throw new Error(`${path} is personal in some alternatives only`)
  if (typeof first === 'string' || !('fields' in first)) return first
  const lists = all.flatMap((marks) => (typeof marks !== 'string' && 'fields' in marks ? [marks.fields] : []))
  const mergedField = (name: string) => {
    const found = lists.flatMap((fields) => fields.get(name) ?? [])
    const marks = found.map((field) => field.marks)
    return { marks: merged(marks, `${path}.${name}`), required: found.some((field) => field.required) }
  }
  const names = new Set(lists.flatMap((fields) => [...fields.keys()]))
  return { fields: new Map([...names].map((name) => [name, mergedField(name)])) }
}

/** The marks of a codec's values. Throws if a leaf has no mark. */
export const marksOf = (codec: t.Mixed, path = codec.name): Marks => {
  if (codec instanceof t.ExactType) return marksOf(codec.type, path)
  if (codec instanceof t.InterfaceType) return fieldsOf(codec.props, true, path)
  if (codec instanceof t.PartialType) return fieldsOf(codec.props, false, path)
  if (codec instanceof t.IntersectionType || codec instanceof t.UnionType) {
    const types = (codec.types as ReadonlyArray<t.Mixed>).filter((type) => !(type instanceof t.NullType))
    return merged(
      types.map((type) => marksOf(type, path)),
      path,
    )
  }
  if (codec instanceof t.ArrayType) return { items: marksOf(codec.type, path) }
  if (codec instanceof t.DictionaryType) return { values: marksOf(codec.codomain, path) }
  const personal = isPersonal(codec)
  if (personal === undefined) throw new Error(`${path}: not marked as personal or readable (contracts/personal.ts)`)
  return personal ? 'personal' : 'readable'
}

/** The marks of an event's data by ce_type, for every version. */
export const marksByType: ReadonlyMap<string, Marks> = new Map(
  DomainEvent.types.flatMap((event) => {
    const type = event.name as DomainEvent['type']
    const before = earlierVersions.filter((version) => version.type === type).map(({ codec }) => codec)
    const codecs: ReadonlyArray<t.Mixed> = [...before, event.type.types[0].props.data]
    return versionNames(type).map((name, i) => [ceTypeOfVersion(name), marksOf(codecs[i] ?? event, name)] as const)
  }),
)

/**
 * A value in two parts. `open` has no personal leaves. `personal` has them in their places, and every field's name, to
 * keep the order of the fields. It is null if nothing is personal. A field that the codec does not know is personal.
 */
export type Split = { readonly open?: unknown; readonly personal: unknown }

const nothing: Split = { personal: null }

const splitObject = (value: JsonObject, marksOfField: (name: string) => Marks): Split => {
  // An assignment would not create this field. Creating objects from entries costs four times as much.
  if (Object.hasOwn(value, '__proto__')) return { personal: value }
  const open: JsonObject = {}
  const personal: JsonObject = {}
  let isOpen = true
  for (const name of Object.keys(value)) {
    const part = split(marksOfField(name), value[name])
    if ('open' in part) open[name] = part.open
    personal[name] = part.personal
    isOpen &&= part.personal === null && 'open' in part
  }
  return { open, personal: isOpen ? null : personal }
}

const splitArray = (items: ReadonlyArray<unknown>, marks: Marks): Split => {
  const parts = items.map((item) => split(marks, item))
  // An item without an open part would lose its place. Then the whole list is personal.
  if (parts.some((part) => !('open' in part))) return { personal: items }
  const isOpen = parts.every((part) => part.personal === null)
  return { open: parts.map((part) => part.open), personal: isOpen ? null : parts.map((part) => part.personal) }
}

export const split = (marks: Marks, value: unknown): Split => {
  const isLeaf = typeof value !== 'object'
  if (marks === 'readable' && isLeaf) return { ...nothing, open: value }
  if (typeof marks === 'string' || isLeaf) return { personal: value }
  if ('items' in marks && Array.isArray(value)) return splitArray(value, marks.items)
  if (!isJsonObject(value) || 'items' in marks) return { personal: value }
  if ('values' in marks) return splitObject(value, () => marks.values)
  return splitObject(value, (name) => marks.fields.get(name)?.marks ?? 'personal')
}

/** Restores a value that was split, with each field in its place. */
export const merge = (open: unknown, personal: unknown): unknown => {
  if (personal === null) return open
  if (Array.isArray(personal) && Array.isArray(open)) return personal.map((part, i) => merge(open[i], part))
  if (!isJsonObject(personal) || !isJsonObject(open)) return personal
  return Object.fromEntries(
    Object.entries(personal).map(([name, part]) => [name, Object.hasOwn(open, name) ? merge(open[name], part) : part]),
  )
}

const withBlankFields = (fields: Fields, open: JsonObject): JsonObject => {
  const filled: JsonObject = {}
  for (const [name, { marks, required }] of fields) {
    if (Object.hasOwn(open, name)) filled[name] = withBlanks(marks, open[name])
    else if (required && marks === 'personal') filled[name] = ''
  }
  return filled
}

/**
 * The open part of a value whose personal part is gone, filled up so that its codec accepts it. Required text is empty,
 * also if only another alternative requires it.
 */
export const withBlanks = (marks: Marks, open: unknown): unknown => {
  if (typeof marks === 'string') return open
  if ('items' in marks) return Array.isArray(open) ? open.map((item) => withBlanks(marks.items, item)) : open
  if ('values' in marks || !isJsonObject(open)) return open
  return withBlankFields(marks.fields, open)
}

const withoutPersonalValue = (marks: Marks, value: unknown): unknown => {
  if (marks === 'personal') return undefined
  // A readable leaf keeps any value: MongoDB's dates are objects.
  if (marks === 'readable' || typeof value !== 'object' || value === null) return value
  if ('items' in marks)
    return Array.isArray(value)
      ? value.map((item) => withoutPersonalValue(marks.items, item)).filter((item) => item !== undefined)
      : value
  const marksOfField = (name: string) => ('values' in marks ? { marks: marks.values } : marks.fields.get(name))
  const kept: JsonObject = {}
  for (const [name, field] of Object.entries(value)) {
    const known: { readonly marks: Marks; readonly required?: boolean } | undefined = marksOfField(name)
    const left = known && withoutPersonalValue(known.marks, field)
    if (left !== undefined) kept[name] = left
    else if (known?.required) kept[name] = ''
  }
  return kept
}

/**
 * A document without its personal leaves that its codec still accepts. Required text is empty. Other personal fields
 * are left out, and so are fields that the codec does not know.
 */
export const withoutPersonal = <A extends object>(marks: Marks, document: A): A =>
  withoutPersonalValue(marks, document) as A
