import * as t from 'io-ts'
import { impersonal } from './personal.ts'

/** Text with a brand of its own, its JSON form itself: an id, a time, a name of ours, and so no personal data. */
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
 * What the codecs below ask of text, as the published schemas ask it too: no `\d`, look-ahead or `\p`, which not every
 * language reads alike.
 */
export const patterns = {
  Instant:
    /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?Z$/u,
  // Spaces, then a character that is no space, then anything: no control characters. One pattern, since generators read only one.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant
  Id: /^[ \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*[^ \u0000-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff][^\u0000-\u001f\u007f-\u009f]*$/u,
  AccountId: /^[A-Za-z0-9_.-]{1,64}$/u,
  Day: /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/u,
  NonBlank: /\S/u,
  Digits: /^[0-9]+$/u,
} as const
export const longestId = 255

/** Whether a day that may be in the calendar is in it: 30 February is not. Every month has 28 days. */
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
 * A point in time in a document of a view: a BSON date, to the millisecond (what an Instant has beyond is cut off). As JSON it is
 * an Instant.
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

/** An identifier that the service or bot logic gave: 1 to 255 characters, none of them a control character or half of one. */
export const Id = branded(
  'Id',
  'text of 1 to 255 characters',
  (text) =>
    (text.length <= longestId || (text.length <= 2 * longestId && [...text].length <= longestId)) &&
    patterns.Id.test(text),
)
export type Id = t.TypeOf<typeof Id>

/** One customer account of the service: 1 to 64 of `A-Z a-z 0-9 . _ -`. */
export const AccountId = branded('AccountId', '1 to 64 of A-Z a-z 0-9 . _ -', (text) => patterns.AccountId.test(text))
export type AccountId = t.TypeOf<typeof AccountId>

/** A day, as `2026-01-31`. */
export const Day = branded('Day', 'a date as 2026-01-31', (text) => patterns.Day.test(text) && isReal(text))
export type Day = t.TypeOf<typeof Day>

/** Text that says something. */
export const NonBlank = branded('NonBlank', 'text that is not blank', (text) => patterns.NonBlank.test(text))
export type NonBlank = t.TypeOf<typeof NonBlank>

/** A whole number of things, or of milliseconds: 0 and up. */
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

/** Fields that must be there and fields that may be; what else stands in the value is left as it is. */
export const shape = <R extends t.Props, O extends t.Props>(required: R, optional: O, name: string) =>
  t.intersection([t.type(required), t.partial(optional)], name)

/** The same, and nothing else: what is not named is taken out. */
export const exactShape = <R extends t.Props, O extends t.Props>(required: R, optional: O, name: string) =>
  t.exact(t.intersection([t.type(required), t.partial(optional)]), name)

type ExactShape<R extends t.Props, O extends t.Props> = t.ExactC<t.IntersectionC<[t.TypeC<R>, t.PartialC<O>]>>

/** The same fields, some of the required ones with other codecs. */
export const replacing = <R extends t.Props, O extends t.Props, F extends { readonly [K in keyof R]?: t.Mixed }>(
  { type: { types } }: ExactShape<R, O>,
  fields: F,
  name: string,
): ExactShape<Omit<R, keyof F> & F, O> =>
  exactShape<Omit<R, keyof F> & F, O>({ ...types[0].props, ...fields }, types[1].props, name)

const namesOf = (codec: t.Any): ReadonlyArray<string> => {
  if (codec instanceof t.IntersectionType) return codec.types.flatMap(namesOf)
  return codec instanceof t.InterfaceType || codec instanceof t.PartialType ? Object.keys(codec.props) : []
}

/** An object that has no other fields than these. Others are refused: one that is misspelt would be missing without a word. */
export class ClosedType<C extends t.HasProps> extends t.ExactType<C, t.TypeOf<C>, t.OutputOf<C>, unknown> {
  constructor(codec: C) {
    const names = new Set(namesOf(codec))
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

/** The place of a value in its parent, now that the alternative is known. */
const asIf = (type: t.Mixed, context: t.Context): t.Context =>
  context.map((entry, i) => (i === context.length - 1 ? { ...entry, type } : entry))

/** The codec's values and null. A wrong value is reported as the codec reports it, not once per alternative. */
export const nullable = <C extends t.Mixed>(codec: C) =>
  new t.UnionType<[C, t.NullC], t.TypeOf<C> | null, t.OutputOf<C> | null, unknown>(
    `${codec.name} | null`,
    (u): u is t.TypeOf<C> | null => u === null || codec.is(u),
    (u, context) => (u === null ? t.success(null) : codec.validate(u, asIf(codec, context))),
    (value) => (value === null ? null : codec.encode(value)),
    [codec, t.null],
  )
