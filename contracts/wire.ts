import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Id, Instant } from './primitives.ts'

const isId = Id.is

/** An id, sent as a whole number or as text; read as its decimal text (protocol, Resources; field notes). */
export const WireId = new t.Type<Id, string, unknown>(
  'WireId',
  isId,
  (u, context) => {
    const text = Number.isSafeInteger(u) ? String(u) : u
    return isId(text) ? t.success(text) : t.failure(u, context, 'an integer or text')
  },
  String,
)

/** Text that some deployments send as a number. */
export const WireText = new t.Type<string, string, unknown>(
  'WireText',
  t.string.is,
  (u, context) => {
    if (typeof u === 'string') return t.success(u)
    return typeof u === 'number' ? t.success(String(u)) : t.failure(u, context, 'text')
  },
  String,
)

const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** Unix time in seconds, or in milliseconds where it is too large for seconds, as a number or decimal text; read as an Instant. */
export const UnixTime = new t.Type<Instant, string, unknown>(
  'UnixTime',
  Instant.is,
  (u, context) => {
    const n =
      typeof u === 'number' ? u : typeof u === 'string' && /^\d{1,16}(\.\d{1,6})?$/.test(u) ? Number(u) : Number.NaN
    const ms = Math.floor(n > 99_999_999_999 ? n : n * 1000)
    return ms >= 0 && ms <= latest
      ? E.mapLeft(() => [] as t.Errors)(Instant.decode(new Date(ms).toISOString()))
      : t.failure(u, context, 'unix time')
  },
  String,
)

/** An object or array whose content the protocol does not show: kept as it came. */
export const Opaque = new t.Type<object, object, unknown>(
  'Opaque',
  (u): u is object => typeof u === 'object' && u !== null,
  (u, context) => (typeof u === 'object' && u !== null ? t.success(u) : t.failure(u, context, 'an object')),
  t.identity,
)
