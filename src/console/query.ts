import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { BsonDate, closed } from '../../contracts/primitives.ts'
import { invalid, type Refusal } from '../bridge/http/answer.ts'
import { decodeAs } from './page.ts'

const digits = /^[1-9]\d{0,5}$/

/** The maximum number of rows, as text such as `50`. */
export const Limit = (most: number) =>
  new t.Type<number, number, unknown>(
    'Limit',
    (u): u is number => typeof u === 'number',
    (u, context) =>
      typeof u === 'string' && digits.test(u) && Number(u) <= most
        ? t.success(Number(u))
        : t.failure(u, context, `a whole number from 1 to ${most}`),
    t.identity,
  )

const localTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/

const isLocalTime = (u: unknown): u is string => {
  if (typeof u !== 'string' || !localTime.test(u)) return false
  try {
    Temporal.PlainDateTime.from(u, { overflow: 'reject' })
    return true
  } catch {
    return false
  }
}

/** A day, or a minute of a day, in the time zone of the account: `2026-01-31` or `2026-01-31T17:05`. */
export const LocalTime = new t.Type<string, string, unknown>(
  'LocalTime',
  isLocalTime,
  (u, context) =>
    isLocalTime(u) ? t.success(u) : t.failure(u, context, 'a day, or a day and a time such as 2026-01-31T17:05'),
  t.identity,
)

/** The times from the beginning of `from` to the end of the day `to`, or until the minute `to`. */
export const spanBetween = (
  { from, to }: { readonly from?: string; readonly to?: string },
  timeZone: string,
): { readonly from?: Date; readonly to?: Date } => {
  const at = (time: Temporal.PlainDateTime) => new Date(time.toZonedDateTime(timeZone).epochMilliseconds)
  const end = to === undefined ? undefined : Temporal.PlainDateTime.from(to)
  return {
    ...(from !== undefined && { from: at(Temporal.PlainDateTime.from(from)) }),
    ...(end && { to: at(to?.length === 10 ? end.add({ days: 1 }) : end) }),
  }
}

/** As `spanBetween`. A span that ends before it begins is refused. */
export const readSpan = (
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  timeZone: string,
): E.Either<Refusal, ReturnType<typeof spanBetween>> => {
  const span = spanBetween({ ...(from && { from }), ...(to && { to }) }, timeZone)
  return span.from !== undefined && span.to !== undefined && span.from >= span.to
    ? E.left(invalid(400, 'from, to: expected a time, and a later one'))
    : E.right(span)
}

/** A filter that is either `true` or missing. */
export const On = new t.Type<true, true, unknown>(
  'On',
  (u): u is true => u === true,
  (u, context) => (u === 'true' ? t.success(true) : t.failure(u, context, 'true, or nothing')),
  t.identity,
)

/** The beginning of the next page: JSON in base64url, opaque for the caller. */
export const cursorText = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** A cursor from the field `name` of an earlier response. */
export const Cursor = <A>(codec: t.Type<A, unknown, unknown>, name: string) =>
  new t.Type<A, unknown, unknown>(
    'Cursor',
    codec.is,
    (u, context) => {
      const read = codec.decode(typeof u === 'string' ? jsonOf(u) : undefined)
      return read._tag === 'Right' ? read : t.failure(u, context, `the \`${name}\` of an earlier answer`)
    },
    t.identity,
  )

/** The end of a page of rows that are sorted by a time (bridge/shared/page.ts). */
export const PageEnd = t.strict({ at: BsonDate, ids: t.array(t.string) }, 'PageEnd')

/** Reads a query. All parameters are optional. Unknown ones are refused: otherwise misspelt filters have no effect. */
export const readQuery = <P extends t.Props>(
  codec: t.PartialC<P>,
  query: URLSearchParams,
): E.Either<Refusal, t.TypeOf<t.PartialC<P>>> => decodeAs(closed(codec), Object.fromEntries(query))

/** Rows of a list in pages, and where the next page begins, if there are more. */
export type Rows<Row, End> = { readonly rows: ReadonlyArray<Row>; readonly next?: End | undefined }

/** Reads one row more than a page has: it shows whether there are more. `endOf`: where the page ends. */
export const pageOf = async <Row, End, Failure>(
  limit: number,
  read: (limit: number) => Promise<E.Either<Failure, ReadonlyArray<Row>>>,
  endOf: (rows: ReadonlyArray<Row>) => End | undefined,
): Promise<E.Either<Failure, Rows<Row, End>>> => {
  const found = await read(limit + 1)
  if (E.isLeft(found)) return found
  const rows = found.right.slice(0, limit)
  return E.right({ rows, ...(found.right.length > limit && { next: endOf(rows) }) })
}

/** A page of a list as it is answered, with the cursor of the next one. */
export const listed = <Row, Shown, End extends object>({ rows, next }: Rows<Row, End>, shown: (row: Row) => Shown) => ({
  rows: rows.map(shown),
  ...(next && { next: cursorText(next) }),
})
