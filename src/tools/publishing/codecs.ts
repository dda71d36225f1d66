import * as t from 'io-ts'
import { Button } from '../../../contracts/messages/buttons.ts'
import { Count, Id, longestId, longestTicket, patterns } from '../../../contracts/primitives.ts'
import { countText, latestUnixTime, unixTimeText } from '../../../contracts/wire.ts'
import type { Schema } from './schema.ts'

/** The fields of an object. `others` is the codec of every other field, if the codec has one. */
type Fields = { readonly required: t.Props; readonly optional: t.Props; readonly others?: t.Mixed }

const isOfAllFields = (codec: t.Mixed) => codec instanceof t.DictionaryType && codec.domain instanceof t.StringType

/** Whether a codec describes an object by its fields: `type`, `partial`, or a combination of them, exact or not. */
export const isObjectCodec = (codec: t.Mixed): boolean => {
  if (codec instanceof t.ExactType) return isObjectCodec(codec.type)
  if (codec instanceof t.IntersectionType)
    return codec.types.every((part: t.Mixed) => isObjectCodec(part) || isOfAllFields(part))
  return codec instanceof t.InterfaceType || codec instanceof t.PartialType
}

/**
 * The fields of such a codec, flat. In an intersection with a record, the record's codec must accept everything that
 * the codecs of the fields accept. Throws if two parts of an intersection describe the same field.
 */
export const fieldsOf = (codec: t.Mixed): Fields => {
  if (codec instanceof t.ExactType) return fieldsOf(codec.type)
  if (codec instanceof t.InterfaceType) return { required: codec.props, optional: {} }
  if (codec instanceof t.PartialType) return { required: {}, optional: codec.props }
  if (codec instanceof t.DictionaryType) return { required: {}, optional: {}, others: codec.codomain }
  if (!(codec instanceof t.IntersectionType)) throw new Error(`the codec ${codec.name} has no fields`)
  const parts: ReadonlyArray<Fields> = (codec.types as ReadonlyArray<t.Mixed>).map(fieldsOf)
  const names = parts.flatMap(({ required, optional }) => [...Object.keys(required), ...Object.keys(optional)])
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw new Error(`the codec ${codec.name} describes ${twice} twice`)
  return Object.assign({}, ...parts, {
    required: Object.assign({}, ...parts.map(({ required }) => required)),
    optional: Object.assign({}, ...parts.map(({ optional }) => optional)),
  })
}

type SchemaOf = (codec: t.Mixed) => Schema
export type Leaves = Readonly<Record<string, (schemaOf: SchemaOf) => Schema>>

/**
 * A pattern in the syntax that all of JavaScript, RE2 (Go), Python, Java and Rust read: RE2 knows no `\u00a0`.
 * Characters below 256 become `\xa0`, others stand for themselves.
 */
const portable = (source: string): string =>
  source.replace(/\\u([0-9a-fA-F]{4})/g, (_, digits: string) =>
    Number.parseInt(digits, 16) < 0x100 ? `\\x${digits.slice(2)}` : String.fromCharCode(Number.parseInt(digits, 16)),
  )

const text = ({ source }: RegExp): Schema => ({ type: 'string', pattern: portable(source) })
const either = (...alternatives: ReadonlyArray<Schema>): Schema => ({ anyOf: alternatives })

/** The comment tells it from an Instant: the format alone does not say that the bridge reads other offsets than UTC. */
const offsetTime: Schema = { type: 'string', format: 'date-time', $comment: 'with any offset' }

/**
 * The schemas of codecs with their own validation, by their names. `format` requires what no pattern can: a day of the
 * calendar.
 */
export const leaves: Leaves = {
  Instant: () => ({ type: 'string', format: 'date-time' }),
  BsonDate: () => ({ type: 'string', format: 'date-time', $comment: 'a BSON date' }),
  OffsetTime: () => offsetTime,
  Day: () => ({ type: 'string', format: 'date' }),
  Id: () => ({ ...text(patterns.Id), maxLength: longestId }),
  AccountId: () => text(patterns.AccountId),
  NonBlank: () => text(patterns.NonBlank),
  HttpUrl: () => text(patterns.HttpUrl),
  Digits: () => text(patterns.Digits),
  Ticket: () => ({ ...text(patterns.Ticket), maxLength: longestTicket }),
  Count: () => ({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Int: () => ({ type: 'integer' }),
  WireId: (schemaOf) =>
    either({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, schemaOf(Id)),
  WireText: () => either({ type: 'string' }, { type: 'number' }),
  WireCount: (schemaOf) => either(schemaOf(Count), text(countText)),
  WireBoolean: () =>
    either({ type: 'boolean' }, { enum: [0, 1] }, { type: 'string', enum: ['0', '1', 'true', 'false'] }),
  UnixTime: () => either({ type: 'number', minimum: 0, exclusiveMaximum: latestUnixTime }, text(unixTimeText)),
  CommandTime: () =>
    either({ type: 'number', minimum: 0, exclusiveMaximum: latestUnixTime }, text(unixTimeText), offsetTime),
  // An object or an array, written so that generators make one type of it: any JSON value.
  Opaque: () => ({ not: either(...['string', 'number', 'boolean', 'null'].map((type) => ({ type }))) }),
  Buttons: (schemaOf) => ({ type: 'array', items: schemaOf(Button), minItems: 1, maxItems: 3 }),
}

/** The same for code generators, which make one type of each field. The bridge also accepts the form left out here. */
export const leavesOfGenerators: Leaves = {
  ...leaves,
  WireId: (schemaOf) => schemaOf(Id),
  WireCount: (schemaOf) => schemaOf(Count),
  WireBoolean: () => ({ type: 'boolean' }),
  UnixTime: () => ({ type: 'number', minimum: 0, exclusiveMaximum: latestUnixTime }),
  CommandTime: () => ({ type: 'number', minimum: 0, exclusiveMaximum: latestUnixTime }),
}

/** The same for a request's body, where integers of any size are read exactly (those beyond 2^53 as their digits). */
export const leavesOfRequests: Leaves = {
  ...leaves,
  WireId: (schemaOf) => either({ type: 'integer' }, schemaOf(Id)),
}

/** The same for OpenAPI, some of whose generators read neither a list of types nor a choice of object and array. */
export const leavesOfOpenApi: Leaves = {
  ...leavesOfRequests,
  Opaque: () => ({}),
}
