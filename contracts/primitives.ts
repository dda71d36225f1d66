import * as t from 'io-ts'
import { impersonal, personal } from './personal.ts'

/**
 * Branded text whose JSON form is the text itself: an id, a time, a name that we define. So it is not personal data.
 */
export const branded = <Name extends string>(name: Name, expected: string, ok: (text: string) => boolean) =>
  impersonal(
    new t.Type<string & t.Brand<{ readonly [K in Name]: symbol }>, string, unknown>(
      name,
      (u): u is string & t.Brand<{ readonly [K in Name]: symbol }> => typeof u === 'string' && ok(u),
      (u, context) =>
        typeof u === 'string' && ok(u)
          ? t.success(u as string & t.Brand<{ readonly [K in Name]: symbol }>)
          : t.failure(u, context, expected),
      String,
    ),
  )

/**
 * The patterns of the codecs below. The published schemas have the same ones. So they use no `\d`, look-ahead or `\p`,
 * which some languages read differently.
 */
export const patterns = {
  Instant:
    /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?Z$/u,
  // Spaces, then one character that is not a space, then any characters; no control characters. It is one pattern,
  // because generators read only one. The byte order mark is in a range with its neighbours, which are no characters:
  // in the published pattern each stands for itself, and Go allows no byte order mark in its sources.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant
  Id: /^[ \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufefe-\uff00]*[^ \u0000-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufefe-\uff00][^\u0000-\u001f\u007f-\u009f]*$/u,
  AccountId: /^[A-Za-z0-9_.-]{1,64}$/u,
  Day: /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/u,
  NonBlank: /\S/u,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant
  HttpUrl: /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\u0000-\u0020\u007f]+$/u,
  Digits: /^[0-9]+$/u,
  Ticket: /^[A-Za-z._/#:-]*[0-9][A-Za-z0-9._/#:-]*$/u,
} as const
export const longestId = 255
export const longestTicket = 64

/** False for a day that the calendar does not have, such as 30 February. Every month has 28 days. */
const isReal = (day: string) => day.slice(8) <= '28' || new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)

/** A point in time: RFC 3339 in UTC, as `2026-01-31T23:59:59.000Z`. */
export const Instant = branded(
  'Instant',
  'an RFC 3339 time in UTC',
  (text) => patterns.Instant.test(text) && isReal(text.slice(0, 10)),
)
export type Instant = t.TypeOf<typeof Instant>

const isDate = (u: unknown): u is Date => u instanceof Date && !Number.isNaN(u.getTime())

/**
 * A point in time in a document of a view: a BSON date, to the millisecond. Further digits of an Instant are cut off.
 * In JSON it is an Instant.
 */
export const BsonDate = impersonal(
  new t.Type<Date, string, unknown>(
    'BsonDate',
    isDate,
    (u, context) =>
      isDate(u) ? t.success(u) : Instant.is(u) ? t.success(new Date(u)) : t.failure(u, context, 'a date'),
    (date) => date.toISOString(),
  ),
)

/**
 * An identifier from the service or from bot logic: 1 to 255 characters, not blank, without control characters. Half a
 * surrogate pair is no character: written as UTF-8, two such ids would become one.
 */
export const Id = branded(
  'Id',
  'text of 1 to 255 characters',
  (text) =>
    (text.length <= longestId || (text.length <= 2 * longestId && [...text].length <= longestId)) &&
    // Half of a surrogate pair cannot be written to a key: two ids would become one.
    text.isWellFormed() &&
    patterns.Id.test(text),
)
export type Id = t.TypeOf<typeof Id>

/** One customer account of the service: 1 to 64 characters of `A-Z a-z 0-9 . _ -`. */
export const AccountId = branded('AccountId', '1 to 64 of A-Z a-z 0-9 . _ -', (text) => patterns.AccountId.test(text))
export type AccountId = t.TypeOf<typeof AccountId>

/**
 * The number of a request in a ticket system, such as GDPR-117: no spaces and no `@`, and at least one digit, so that
 * no name and no address can be one.
 */
export const Ticket = branded(
  'Ticket',
  `1 to ${longestTicket} of A-Z a-z 0-9 . _ / # : -, with a digit`,
  (text) => text.length <= longestTicket && patterns.Ticket.test(text),
)
export type Ticket = t.TypeOf<typeof Ticket>

/** Text for which the service has words of its own. `known` are those that the contract names, others may come. */
export class WordType extends t.StringType {
  readonly known: ReadonlyArray<string>
  constructor(known: ReadonlyArray<string>) {
    super()
    this.known = known
  }
}
export const Word = (...known: ReadonlyArray<string>) => impersonal(new WordType(known))

/** A day, as `2026-01-31`. */
export const Day = branded('Day', 'a date as 2026-01-31', (text) => patterns.Day.test(text) && isReal(text))
export type Day = t.TypeOf<typeof Day>

/** Text that is not blank. */
export const NonBlank = branded('NonBlank', 'text that is not blank', (text) => patterns.NonBlank.test(text))
export type NonBlank = t.TypeOf<typeof NonBlank>

/** The address of a page, by http or https. In any other form, such as `javascript:`, a click could do harm. */
export const HttpUrl = personal(
  new t.Type<string, string, unknown>(
    'HttpUrl',
    (u): u is string => typeof u === 'string' && patterns.HttpUrl.test(u),
    (u, context) =>
      typeof u === 'string' && patterns.HttpUrl.test(u)
        ? t.success(u)
        : t.failure(u, context, 'an address that begins with http:// or https://'),
    String,
  ),
)

/** A whole number, 0 or more: a count, or milliseconds. */
export const Count = impersonal(
  new t.Type<number, number, unknown>(
    'Count',
    (u): u is number => Number.isSafeInteger(u) && Number(u) >= 0,
    (u, context) =>
      Number.isSafeInteger(u) && Number(u) >= 0
        ? t.success(Number(u))
        : t.failure(u, context, 'a whole number, 0 or more'),
    t.identity,
  ),
)
export type Count = t.TypeOf<typeof Count>

/** An object with required and optional fields. Other fields of the value are left unchanged. */
export const shape = <R extends t.Props, O extends t.Props>(required: R, optional: O, name: string) =>
  t.intersection([t.type(required), t.partial(optional)], name)

/** Like `shape`, but fields that are not named are removed. */
export const exactShape = <R extends t.Props, O extends t.Props>(required: R, optional: O, name: string) =>
  t.exact(t.intersection([t.type(required), t.partial(optional)]), name)

type ExactShape<R extends t.Props, O extends t.Props> = t.ExactC<t.IntersectionC<[t.TypeC<R>, t.PartialC<O>]>>

/** The same fields, with other codecs for some of the required ones. */
export const replacing = <R extends t.Props, O extends t.Props, F extends { readonly [K in keyof R]?: t.Mixed }>(
  { type: { types } }: ExactShape<R, O>,
  fields: F,
  name: string,
): ExactShape<Omit<R, keyof F> & F, O> =>
  exactShape<Omit<R, keyof F> & F, O>({ ...types[0].props, ...fields }, types[1].props, name)

/** The same fields, with other codecs for some of the optional ones. */
export const replacingOptional = <
  R extends t.Props,
  O extends t.Props,
  F extends { readonly [K in keyof O]?: t.Mixed },
>(
  { type: { types } }: ExactShape<R, O>,
  fields: F,
  name: string,
): ExactShape<R, Omit<O, keyof F> & F> =>
  exactShape<R, Omit<O, keyof F> & F>(types[0].props, { ...types[1].props, ...fields }, name)

/** The names of an object's fields. */
export const fieldNamesOf = (codec: t.Any): ReadonlyArray<string> => {
  if (codec instanceof t.IntersectionType) return codec.types.flatMap(fieldNamesOf)
  return codec instanceof t.InterfaceType || codec instanceof t.PartialType ? Object.keys(codec.props) : []
}

/** An object that refuses all other fields. Otherwise a misspelt field would be lost without an error. */
export class ClosedType<C extends t.HasProps> extends t.ExactType<C, t.TypeOf<C>, t.OutputOf<C>, unknown> {
  constructor(codec: C) {
    const names = new Set(fieldNamesOf(codec))
    const unknown = (value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.keys(value).filter((key) => !names.has(key))
        : []
    const is = (u: unknown): u is t.TypeOf<C> => codec.is(u) && unknown(u).length === 0
    const validate: t.Validate<unknown, t.TypeOf<C>> = (u, context) => {
      const known = codec.validate(u, context)
      const errors = unknown(u).map((key) => ({
        value: undefined,
        context: t.appendContext(context, key.slice(0, longestId), t.never),
        message: 'nothing, there is no such field',
      }))
      if (errors.length === 0) return known
      return t.failures(known._tag === 'Left' ? [...known.left, ...errors] : errors)
    }
    super(codec.name, is, validate, codec.encode, codec)
  }
}
export const closed = <C extends t.HasProps>(codec: C) => new ClosedType(codec)

/** The same context with the chosen alternative as the type of its last entry. */
const asIf = (type: t.Mixed, context: t.Context): t.Context =>
  context.map((entry, i) => (i === context.length - 1 ? { ...entry, type } : entry))

/** Accepts the codec's values and null. A wrong value is reported once, as by the codec, not once per alternative. */
export const nullable = <C extends t.Mixed>(codec: C) =>
  new t.UnionType<[C, t.NullC], t.TypeOf<C> | null, t.OutputOf<C> | null, unknown>(
    `${codec.name} | null`,
    (u): u is t.TypeOf<C> | null => u === null || codec.is(u),
    (u, context) => (u === null ? t.success(null) : codec.validate(u, asIf(codec, context))),
    (value) => (value === null ? null : codec.encode(value)),
    [codec, t.null],
  )
