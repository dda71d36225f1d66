import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { AccountId, Instant } from '../../contracts/primitives.ts'
import { describe, type Problem, problemsOf } from '../../contracts/problem.ts'
import { isJsonObject, type JsonObject } from '../shared/json.ts'

/** What the bridge itself knows of a request. `id` and `contentHash` are for Interface A, which sends no id. */
export type Receipt = {
  readonly accountId: AccountId
  readonly receivedAt: Instant
  readonly traceparent: string
  readonly id?: string
  readonly contentHash?: string
}

/** Why a body cannot become an event: its media type is wrong, its content is invalid, or its event is unknown. */
export type NotUnderstood =
  | { readonly kind: 'media-type'; readonly problem: Problem }
  | { readonly kind: 'invalid'; readonly problems: ReadonlyArray<Problem> }
  | { readonly kind: 'unknown-event' }

export const unknownEvent = 'an event that is not known'

/** The reason as text: it names fields and expected values, never the values that were sent. */
export const problemText = (reason: NotUnderstood): string => {
  switch (reason.kind) {
    case 'media-type':
      return describe([reason.problem])
    case 'invalid':
      return describe(reason.problems)
    case 'unknown-event':
      return unknownEvent
  }
}

/** `extra` has the unknown fields of the value that was read last, nested as in it; undefined if there are none. */
type Unknown = { extra: JsonObject | undefined }
type Read = (value: unknown, unknown: Unknown) => unknown
type Field = { readonly name: string; readonly read: Read; readonly required: boolean; readonly nullable: boolean }

const refused = Symbol('refused')

/** `chats_count` -> `chatsCount` */
const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase())

/** Sets a field of any name. A plain assignment to `__proto__` would set no field. */
const put = (target: JsonObject | undefined, key: string, value: unknown): JsonObject => {
  const object = target ?? {}
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
  return object
}

const readLeaf = (codec: t.Mixed): Read => {
  if (codec instanceof t.StringType) return (value) => (typeof value === 'string' ? value : refused)
  if (codec instanceof t.BooleanType) return (value) => (typeof value === 'boolean' ? value : refused)
  if (codec instanceof t.LiteralType) return (value) => (value === codec.value ? value : refused)
  return (value) => {
    const read = codec.validate(value, [])
    return E.isRight(read) ? read.right : refused
  }
}

const membersOf = (codec: t.Mixed): ReadonlyArray<t.Mixed> =>
  codec instanceof t.UnionType ? codec.types.filter((member: t.Mixed) => !(member instanceof t.NullType)) : [codec]

const isNullable = (codec: t.Mixed) =>
  codec instanceof t.UnionType && codec.types.some((member: t.Mixed) => member instanceof t.NullType)

/** The fields of an object codec, from all of its parts; undefined for any other codec. */
const fieldsOf = (codec: t.Mixed): ReadonlyMap<string, Field> | undefined => {
  if (codec instanceof t.ExactType) return fieldsOf(codec.type)
  if (codec instanceof t.IntersectionType)
    return new Map(codec.types.flatMap((member: t.Mixed) => [...(fieldsOf(member) ?? [])]))
  if (!(codec instanceof t.InterfaceType || codec instanceof t.PartialType)) return undefined
  const required = codec instanceof t.InterfaceType
  return new Map(
    Object.entries<t.Mixed>(codec.props).map(([wire, inner]) => [
      wire,
      { name: camelCase(wire), read: readerOf(inner), required, nullable: isNullable(inner) },
    ]),
  )
}

const readObject = (fields: ReadonlyMap<string, Field>): Read => {
  const required = [...fields.values()].filter((field) => field.required).length
  return (value, unknown) => {
    if (!isJsonObject(value)) return refused
    const read: JsonObject = {}
    let extra: JsonObject | undefined
    let found = 0
    for (const name of Object.keys(value)) {
      const field = fields.get(name)
      const given = value[name]
      if (field === undefined) {
        extra = put(extra, name, given)
        continue
      }
      if (field.required) found++
      // The domain has no null: a null field is left out.
      if (given === null && field.nullable) continue
      const known = field.read(given, unknown)
      if (known === refused) return refused
      read[field.name] = known
      if (unknown.extra !== undefined) {
        extra = put(extra, name, unknown.extra)
        unknown.extra = undefined
      }
    }
    unknown.extra = extra
    return found === required ? read : refused
  }
}

const readArray =
  (item: Read): Read =>
  (value, unknown) => {
    if (!Array.isArray(value)) return refused
    let extra: JsonObject | undefined
    const items: unknown[] = []
    for (let i = 0; i < value.length; i++) {
      const read = item(value[i], unknown)
      if (read === refused) return refused
      items.push(read)
      if (unknown.extra !== undefined) {
        extra = put(extra, String(i), unknown.extra)
        unknown.extra = undefined
      }
    }
    unknown.extra = extra
    return items
  }

/** Objects that differ in the literal of their field `type`. */
const readTagged = (members: ReadonlyArray<t.Mixed>): Read => {
  const cases = new Map(
    members.map((member): [unknown, Read] => {
      const literal = literalOf(member, 'type')
      if (literal === undefined) throw new TypeError(`${member.name} is in a union and has no literal type`)
      return [literal, readerOf(member)]
    }),
  )
  return (value, unknown) => (isJsonObject(value) ? (cases.get(value.type)?.(value, unknown) ?? refused) : refused)
}

const literalOf = (codec: t.Mixed, field: string): unknown => {
  if (codec instanceof t.ExactType) return literalOf(codec.type, field)
  if (codec instanceof t.IntersectionType)
    return codec.types
      .map((member: t.Mixed) => literalOf(member, field))
      .find((literal: unknown) => literal !== undefined)
  const inner: unknown = codec instanceof t.InterfaceType ? codec.props[field] : undefined
  return inner instanceof t.LiteralType ? inner.value : undefined
}

const readerOf = (codec: t.Mixed): Read => {
  const members = membersOf(codec)
  const [only] = members
  if (members.length > 1) return members.some((member) => fieldsOf(member)) ? readTagged(members) : readLeaf(codec)
  if (only === undefined) throw new TypeError(`${codec.name} has no members`)
  if (only instanceof t.ArrayType) return readArray(readerOf(only.type))
  const fields = fieldsOf(only)
  return fields === undefined ? readLeaf(only) : readObject(fields)
}

/** How a payload becomes an event. `own` has the fields of the event that the payload does not have. */
export type Rule = {
  readonly wire: t.Mixed
  readonly type: DomainEvent['type']
  readonly subject: 'chatId' | 'clientId'
  readonly own?: JsonObject
}

const decodeBy = (source: 'webhooks' | 'bot', { wire, type, subject, own }: Rule) => {
  const read = readerOf(wire)
  return (payload: unknown, receipt: Receipt): E.Either<NotUnderstood, DomainEvent> => {
    const unknown: Unknown = { extra: undefined }
    const known = read(payload, unknown)
    if (!isJsonObject(known)) {
      const explained = wire.decode(payload)
      if (E.isLeft(explained)) return E.left({ kind: 'invalid', problems: problemsOf(explained.left) })
      throw new Error(`${wire.name}: the codec accepts a payload that its reader refuses`)
    }
    const { event, eventName, id, ...data } = known
    const { accountId, receivedAt, contentHash, traceparent } = receipt
    // The fields are those of the event's codec: test/domain/decode-request.test.ts checks it for every rule.
    return E.right({
      type,
      id: receipt.id ?? id,
      source: `/accounts/${accountId}/${source}`,
      subject: data[subject],
      time: receivedAt,
      ...(contentHash !== undefined && { contentHash }),
      traceparent,
      data: { ...data, ...own, accountId, ...(unknown.extra !== undefined && { extra: unknown.extra }) },
    } as unknown as DomainEvent)
  }
}

const expected = (path: string, what: string) =>
  E.left({ kind: 'invalid' as const, problems: [{ path, expected: what }] })

/** A payload's event. Pure. */
export type DecodeRequest = (payload: unknown, receipt: Receipt) => E.Either<NotUnderstood, DomainEvent>

/**
 * Decodes the payloads of one interface in one pass. The payload's `field` selects the rule. Fields get the domain's
 * names, and null fields are left out. Fields that the wire codec does not know go to `extra` under their wire names:
 * nested in place, items of arrays by their index. io-ts explains what is wrong with a refused payload.
 */
export const decoder = (
  source: 'webhooks' | 'bot',
  field: string,
  rules: Readonly<Record<string, Rule>>,
): DecodeRequest => {
  const byName = new Map(Object.entries(rules).map(([name, rule]) => [name, decodeBy(source, rule)]))
  return (payload, receipt) => {
    if (!isJsonObject(payload)) return expected('', 'an object')
    const name = payload[field]
    if (typeof name !== 'string') return expected(field, 'text')
    return byName.get(name)?.(payload, receipt) ?? E.left({ kind: 'unknown-event' })
  }
}
