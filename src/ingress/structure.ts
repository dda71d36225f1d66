import * as t from 'io-ts'

/** What of a codec's values has names: its objects' fields, however deep. Everything else is a leaf. */
export type Structure =
  | { readonly kind: 'leaf'; readonly literal?: unknown }
  | { readonly kind: 'object'; readonly fields: Fields }
  | { readonly kind: 'array'; readonly items: Structure }
  | { readonly kind: 'tagged'; readonly tag: string; readonly cases: ReadonlyMap<unknown, Structure> }
export type Fields = ReadonlyMap<string, Structure>

const leaf: Structure = { kind: 'leaf' }

const fieldsOf = (props: t.Props): Fields =>
  new Map(Object.entries(props).map(([name, codec]) => [name, structureOf(codec)]))

const isObject = (s: Structure) => s.kind === 'object'
const literalOf = (s: Structure, tag: string): unknown => {
  const field = s.kind === 'object' ? s.fields.get(tag) : undefined
  return field?.kind === 'leaf' ? field.literal : undefined
}

const ofUnion = (codec: t.Mixed, members: ReadonlyArray<Structure>): Structure => {
  const [first] = members
  if (first === undefined || !members.some((member) => member.kind !== 'leaf')) return leaf
  if (members.length === 1) return first
  const names = first.kind === 'object' ? [...first.fields.keys()] : []
  const tag = names.find((name) => members.every((member) => literalOf(member, name) !== undefined))
  if (tag === undefined || !members.every(isObject)) throw new TypeError(`${codec.name} is a union without a tag`)
  return { kind: 'tagged', tag, cases: new Map(members.map((member) => [literalOf(member, tag), member])) }
}

const ofIntersection = (members: ReadonlyArray<Structure>): Structure => ({
  kind: 'object',
  fields: new Map(members.flatMap((member) => (member.kind === 'object' ? [...member.fields] : []))),
})

/** The structure of a codec made of t.type, t.partial, t.strict, t.intersection, t.array, nullable and tagged unions. */
export const structureOf = (codec: t.Mixed): Structure => {
  if (codec instanceof t.InterfaceType || codec instanceof t.PartialType)
    return { kind: 'object', fields: fieldsOf(codec.props) }
  if (codec instanceof t.ExactType) return structureOf(codec.type)
  if (codec instanceof t.ArrayType) return { kind: 'array', items: structureOf(codec.type) }
  if (codec instanceof t.LiteralType) return { kind: 'leaf', literal: codec.value }
  if (codec instanceof t.IntersectionType) return ofIntersection(membersOf(codec.types))
  if (codec instanceof t.UnionType) return ofUnion(codec, membersOf(codec.types))
  return leaf
}

const membersOf = (codecs: ReadonlyArray<t.Mixed>): ReadonlyArray<Structure> =>
  codecs.filter((codec) => !(codec instanceof t.NullType)).map(structureOf)
