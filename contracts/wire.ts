import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { impersonal, personal } from './personal.ts'
import { Id, Instant } from './primitives.ts'

const isId = Id.is

/** An id, sent as a whole number or as text. The bridge reads it as decimal text (protocol, Resources; field notes). */
export const WireId = impersonal(
  new t.Type<Id, string, unknown>(
    'WireId',
    isId,
    (u, context) => {
      const text = Number.isSafeInteger(u) ? String(u) : u
      return isId(text) ? t.success(text) : t.failure(u, context, 'an integer or text')
    },
    String,
  ),
)

/** Text that some deployments send as a number. */
export const WireText = personal(
  new t.Type<string, string, unknown>(
    'WireText',
    t.string.is,
    (u, context) => {
      if (typeof u === 'string') return t.success(u)
      return Number.isFinite(u) ? t.success(String(u)) : t.failure(u, context, 'text')
    },
    String,
  ),
)

/** A Unix time of this size or more is in milliseconds, a smaller one in seconds. Both reach the year 5138. */
const milliseconds = 100_000_000_000
export const latestUnixTime = 1000 * milliseconds
export const unixTimeText = /^[0-9]{1,14}(\.[0-9]{1,6})?$/u

const isUnixTime = (u: unknown): u is number | string =>
  typeof u === 'number' ? u >= 0 && u < latestUnixTime : typeof u === 'string' && unixTimeText.test(u)

const instantOf = (n: number) => new Date(Math.floor(n < milliseconds ? n * 1000 : n)).toISOString()

/**
 * Unix time in seconds, or in milliseconds if it is 100,000,000,000 or more, as a number or decimal text. The bridge
 * reads it as an Instant.
 */
export const UnixTime = impersonal(
  new t.Type<Instant, string, unknown>(
    'UnixTime',
    Instant.is,
    (u, context) =>
      isUnixTime(u)
        ? E.mapLeft(() => [] as t.Errors)(Instant.decode(instantOf(Number(u))))
        : t.failure(u, context, 'unix time'),
    String,
  ),
)

/** The time of a command: Unix time as in the protocol, or RFC 3339 as in events. The bridge reads it as an Instant. */
export const CommandTime = impersonal(
  new t.Type<Instant, string, unknown>(
    'CommandTime',
    Instant.is,
    (u, context) =>
      Instant.is(u)
        ? t.success(u)
        : isUnixTime(u)
          ? UnixTime.validate(u, context)
          : t.failure(u, context, 'unix time or an RFC 3339 time in UTC'),
    String,
  ),
)

/** An object or array whose content the protocol does not describe. It is kept unchanged. */
export const Opaque = personal(
  new t.Type<object, object, unknown>(
    'Opaque',
    (u): u is object => typeof u === 'object' && u !== null,
    (u, context) => (typeof u === 'object' && u !== null ? t.success(u) : t.failure(u, context, 'an object')),
    t.identity,
  ),
)
