import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { compiled } from '../../contracts/compiled.ts'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { AccountId, Instant } from '../../contracts/primitives.ts'
import { describe, type Problem, problemsOf } from '../../contracts/problem.ts'
import { Opaque, WireText } from '../../contracts/wire.ts'
import { isJsonObject, type JsonObject } from '../shared/json.ts'
import { isTextCodec, wireForm } from './wire-form.ts'

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

/** `extra` has what the value that was read last has beside its known fields, nested as in it; undefined if nothing. */
type Rest = { extra: JsonObject | undefined; misfits: number }
type Read = (value: unknown, rest: Rest) => unknown
type Field = { readonly name: string; readonly read: Read; readonly isText: boolean; readonly required: boolean }

/** The value is not of this kind and cannot be understood as one. */
const misfit = Symbol('misfit')

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
  if (codec instanceof t.LiteralType) return (value) => (value === codec.value ? value : misfit)
  if (codec === Opaque) return (value) => (codec.is(value) ? value : misfit)
  return (value) => {
    // Text is the usual value. It needs no check of its own.
    if (codec === WireText && typeof value === 'string') return value
    const read = codec.validate(value, [])
    return E.isRight(read) ? read.right : misfit
  }
}

const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === ''

/** PHP writes an empty object as an empty list. */
const asObject = (value: unknown): JsonObject | undefined => {
  if (isJsonObject(value)) return value
  return Array.isArray(value) && value.length === 0 ? {} : undefined
}

const index = /^(0|[1-9][0-9]{0,8})$/

/** PHP writes an empty list as an empty object, and a list with gaps as an object whose names are the indexes. */
const asList = (value: unknown): ReadonlyArray<readonly [at: string, item: unknown]> | undefined => {
  if (Array.isArray(value)) return value.map((item, at) => [String(at), item])
  if (!isJsonObject(value)) return undefined
  const entries = Object.entries(value)
  return entries.every(([name]) => index.test(name)) ? entries.sort(([a], [b]) => Number(a) - Number(b)) : undefined
}

const readObject = (fields: ReadonlyMap<string, Field>): Read => {
  const required = [...fields.values()].filter((field) => field.required).length
  return (value, rest) => {
    const object = asObject(value)
    if (object === undefined) return misfit
    const read: JsonObject = {}
    let extra: JsonObject | undefined
    let found = 0
    for (const name of Object.keys(object)) {
      const field = fields.get(name)
      const given = object[name]
      if (field === undefined) {
        extra = put(extra, name, given)
        continue
      }
      // The domain has no null, and blank text says nothing where something else than text is expected.
      if (given === null || (!field.isText && isBlank(given))) continue
      const known = field.read(given, rest)
      if (known === misfit) {
        extra = put(extra, name, given)
        rest.misfits++
        continue
      }
      if (field.required) found++
      read[field.name] = known
      if (rest.extra !== undefined) {
        extra = put(extra, name, rest.extra)
        rest.extra = undefined
      }
    }
    rest.extra = extra
    return found === required ? read : misfit
  }
}

const readList =
  (item: Read): Read =>
  (value, rest) => {
    const list = asList(value)
    if (list === undefined) return misfit
    let extra: JsonObject | undefined
    const items: unknown[] = []
    for (const [at, given] of list) {
      if (given === null) continue
      const read = item(given, rest)
      if (read === misfit) {
        extra = put(extra, at, given)
        rest.misfits++
        continue
      }
      items.push(read)
      if (rest.extra !== undefined) {
        extra = put(extra, at, rest.extra)
        rest.extra = undefined
      }
    }
    rest.extra = extra
    return items
  }

const readerOf = (codec: t.Mixed): Read => {
  const form = wireForm(codec)
  if (form.kind === 'list') return readList(readerOf(form.item))
  if (form.kind === 'object')
    return readObject(
      new Map(
        [...form.fields].map(([wire, { codec: inner, required }]) => [
          wire,
          { name: camelCase(wire), read: readerOf(inner), isText: isTextCodec(inner), required },
        ]),
      ),
    )
  if (form.kind === 'one of') {
    const reads = form.members.map(readerOf)
    return (value, rest) =>
      reads.reduce((read, next) => (read === misfit ? next(value, rest) : read), misfit as unknown)
  }
  return readLeaf(form.codec)
}

/** How a payload becomes an event. `own` has the fields of the event that the payload does not have. */
export type Rule = {
  readonly wire: t.Mixed
  readonly event: DomainEventCodec
  readonly subject: 'chatId' | 'clientId'
  readonly own?: JsonObject
}

type DomainEventCodec = (typeof DomainEvent)['types'][number]

const decodeBy = (source: 'webhooks' | 'bot', { wire, event: codec, subject, own }: Rule) => {
  const read = readerOf(wire)
  const check = compiled<DomainEvent>(codec)
  return (payload: unknown, receipt: Receipt): E.Either<NotUnderstood, Decoded> => {
    const rest: Rest = { extra: undefined, misfits: 0 }
    const known = read(payload, rest)
    if (!isJsonObject(known)) return E.left({ kind: 'invalid', problems: whatIsMissing(wire, payload) })
    const { event: _event, eventName: _name, id, ...data } = known
    const { accountId, receivedAt, contentHash, traceparent } = receipt
    return pipe(
      check({
        type: codec.name,
        id: receipt.id ?? id,
        source: `/accounts/${accountId}/${source}`,
        subject: data[subject],
        time: receivedAt,
        ...(contentHash !== undefined && { contentHash }),
        traceparent,
        data: {
          ...data,
          ...own,
          accountId,
          ...(rest.extra !== undefined && { extra: rest.extra }),
        },
      }),
      E.bimap(
        (errors): NotUnderstood => ({ kind: 'invalid', problems: problemsOf(errors) }),
        (event) => ({ event, misfits: rest.misfits }),
      ),
    )
  }
}

/** The fields without which the payload is no event, as far as the payload lacks them. */
const whatIsMissing = (wire: t.Mixed, payload: unknown): ReadonlyArray<Problem> => {
  const form = wireForm(wire)
  if (form.kind !== 'object') return []
  const given = isJsonObject(payload) ? payload : {}
  return [...form.fields].flatMap(([path, { codec, required }]) => {
    if (!required) return []
    const read = readerOf(codec)(given[path], { extra: undefined, misfits: 0 })
    if (read !== misfit) return []
    const errors = codec.validate(given[path], [{ key: path, type: codec }])
    return E.isLeft(errors) ? problemsOf(errors.left) : [{ path, expected: codec.name }]
  })
}

/** An event, and how many of the payload's known fields did not fit and are in `extra` instead. */
export type Decoded = { readonly event: DomainEvent; readonly misfits: number }

const expected = (path: string, what: string) =>
  E.left({ kind: 'invalid' as const, problems: [{ path, expected: what }] })

/** A payload's event. Pure. */
export type DecodeRequest = (payload: unknown, receipt: Receipt) => E.Either<NotUnderstood, Decoded>

/**
 * Decodes the payloads of one interface in one pass. The payload's `field` selects the rule. Fields get the domain's
 * names, and null fields are left out. What the wire codec requires makes a payload an event: without it the payload is
 * refused. Every other field is read as far as it can be understood. What cannot be understood, and what the wire codec
 * does not know, goes to `extra` under its wire name: nested in place, items of lists by their index.
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
