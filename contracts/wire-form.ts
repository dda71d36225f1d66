import * as t from 'io-ts'
import { impersonal, isPersonal } from './personal.ts'
import { Count, Id, Instant, nullable, shape } from './primitives.ts'
import { wireNameOf, wirePropsOf } from './read.ts'
import { UnixTime, WireBoolean, WireCount, WireId, WireText } from './wire.ts'

const forms = new Map<t.Mixed, t.Mixed>()

const makeForm = (codec: t.Mixed): t.Mixed => {
  if (codec === Id) return WireId
  if (codec === Instant) return UnixTime
  if (codec === Count) return WireCount
  if (codec instanceof t.BooleanType) return WireBoolean
  if (codec instanceof t.StringType) return isPersonal(codec) ? WireText : impersonal(WireText)
  if (codec instanceof t.ArrayType) return t.array(wireFormOf(codec.type))
  const props = codec instanceof t.ExactType ? Object.entries(codec.type.types[1].props as t.Props) : undefined
  if (props === undefined) return codec
  const fields = props.map(([name, each]) => [wireNameOf(name), nullable(wireFormOf(each))])
  return shape({}, Object.fromEntries(fields) as t.Props, `Wire${codec.name}`)
}

/**
 * The form in which the service is documented to send a part of an event: its fields under the service's names, each
 * optional or null, ids as numbers or text, times as Unix time. The bridge understands more than this (read.ts).
 */
export const wireFormOf = (codec: t.Mixed): t.Mixed => {
  const known = forms.get(codec)
  if (known !== undefined) return known
  const form = makeForm(codec)
  forms.set(codec, form)
  return form
}

/** The same for a whole event, with the field that names it. `own` are the fields that the bridge itself fills in. */
export const wireEventForm = <Field extends string, Name extends string>(
  field: Field,
  { name, codec, own, hasId }: { name: Name; codec: t.Mixed; own: Readonly<Record<string, unknown>>; hasId: boolean },
) => {
  const props = wirePropsOf(codec, own)
  const of = (required: boolean) => props.filter((prop) => prop.required === required)
  const required = Object.fromEntries(of(true).map((prop) => [wireNameOf(prop.name), wireFormOf(prop.codec)]))
  const optional = of(false).map((prop) => [wireNameOf(prop.name), nullable(wireFormOf(prop.codec))])
  const named = { [field]: t.literal(name) } as Record<Field, t.LiteralC<Name>>
  return shape(
    { ...named, ...(hasId && { id: WireId }), ...(required as t.Props) } as Record<Field, t.LiteralC<Name>> & t.Props,
    Object.fromEntries(optional) as t.Props,
    `Wire ${name}`,
  )
}
