import * as t from 'io-ts'
import { WireText } from '../../contracts/wire.ts'

/** The shape of a wire codec, as far as a reader of it has to know: null is accepted by every reader. */
export type WireForm =
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, WireField> }
  | { readonly kind: 'list'; readonly item: t.Mixed }
  | { readonly kind: 'one of'; readonly members: ReadonlyArray<t.Mixed> }
  | { readonly kind: 'leaf'; readonly codec: t.Mixed }
export type WireField = { readonly codec: t.Mixed; readonly required: boolean }

const fieldsOf = (codec: t.Mixed): ReadonlyMap<string, WireField> | undefined => {
  if (codec instanceof t.ExactType) return fieldsOf(codec.type)
  if (codec instanceof t.IntersectionType)
    return new Map(codec.types.flatMap((member: t.Mixed) => [...(fieldsOf(member) ?? [])]))
  if (!(codec instanceof t.InterfaceType || codec instanceof t.PartialType)) return undefined
  const required = codec instanceof t.InterfaceType
  return new Map(Object.entries<t.Mixed>(codec.props).map(([name, inner]) => [name, { codec: inner, required }]))
}

const withoutNull = (codec: t.Mixed): ReadonlyArray<t.Mixed> =>
  codec instanceof t.UnionType ? codec.types.filter((member: t.Mixed) => !(member instanceof t.NullType)) : [codec]

/** The shape of a wire codec without null. */
export const wireForm = (codec: t.Mixed): WireForm => {
  const members = withoutNull(codec).flatMap((member) => (member === codec ? [member] : withoutNull(member)))
  const [only] = members
  if (only === undefined) throw new TypeError(`${codec.name} has no members`)
  if (members.length > 1) return { kind: 'one of', members }
  if (only instanceof t.ArrayType) return { kind: 'list', item: only.type }
  const fields = fieldsOf(only)
  return fields === undefined ? { kind: 'leaf', codec: only } : { kind: 'object', fields }
}

/** Whether the codec's values are text, so that blank text is a value. */
export const isTextCodec = (codec: t.Mixed): boolean => {
  const form = wireForm(codec)
  return form.kind === 'leaf' && form.codec.name === WireText.name
}
