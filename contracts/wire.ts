import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { impersonal, personal } from './personal.ts'
import { Count, Id, Instant } from './primitives.ts'

/** An id, sent as a whole number or as text. The bridge reads it as decimal text (protocol, Resources; field notes). */
export const WireId = impersonal(
  new t.Type<Id, string, unknown>(
    'WireId',
    Id.is,
    (u, context) => {
      const text = Number.isSafeInteger(u) ? String(u) : u
      return Id.is(text) ? t.success(text) : t.failure(u, context, 'an integer or text')
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

export const countText = /^[0-9]{1,15}(\.0+)?$/u

/** A whole number, 0 or more, also sent as text. */
export const WireCount = impersonal(
  new t.Type<number, number, unknown>(
    'WireCount',
    Count.is,
    (u, context) => {
      const number = typeof u === 'string' && countText.test(u.trim()) ? Number(u) : u
      return Count.is(number) ? t.success(number) : t.failure(u, context, 'a whole number, 0 or more')
    },
    t.identity,
  ),
)

/** True or false, also sent as 1 or 0, or as text. */
export const WireBoolean = impersonal(
  new t.Type<boolean, boolean, unknown>(
    'WireBoolean',
    t.boolean.is,
    (u, context) => {
      const word = typeof u === 'string' ? u.trim().toLowerCase() : u
      if (word === true || word === 1 || word === '1' || word === 'true') return t.success(true)
      if (word === false || word === 0 || word === '0' || word === 'false') return t.success(false)
      return t.failure(u, context, 'true or false')
    },
    t.identity,
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

const rfc3339 =
  /^(?<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ](?<time>[0-9]{2}:[0-9]{2}:[0-9]{2})(?<fraction>\.[0-9]+)?(?:[Zz]|(?<offset>[+-]([01][0-9]|2[0-3]):[0-5][0-9]))$/u

/** The time in UTC, to the nanosecond. A leap second is the second that follows it. Undefined for other text. */
const inUtc = (text: string): Instant | undefined => {
  const { day, time, fraction = '', offset = '+00:00' } = rfc3339.exec(text)?.groups ?? {}
  if (day === undefined || time === undefined) return undefined
  const isLeap = time.endsWith(':60')
  const local = `${day}T${isLeap ? time.replace(/60$/u, '59') : time}Z`
  if (!Instant.is(local)) return undefined
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4))
  const ms = Date.parse(local) - (offset.startsWith('-') ? -minutes : minutes) * 60_000
  if (isLeap && ms % 86_400_000 !== 86_399_000) return undefined
  const utc = new Date(isLeap ? ms + 1000 : ms).toISOString()
  const instant = utc.replace('.000Z', `${isLeap ? '' : fraction.slice(0, 10)}Z`)
  return Instant.is(instant) ? instant : undefined
}

/** RFC 3339 with any offset, as others send it. The bridge reads it as an Instant, which is in UTC. */
export const OffsetTime = impersonal(
  new t.Type<Instant, string, unknown>(
    'OffsetTime',
    Instant.is,
    (u, context) => {
      if (Instant.is(u)) return t.success(u)
      const instant = typeof u === 'string' ? inUtc(u) : undefined
      return instant === undefined ? t.failure(u, context, 'an RFC 3339 time') : t.success(instant)
    },
    String,
  ),
)

/** A time as the service sends it: Unix time, or RFC 3339. Undefined for anything else. */
export const timeOf = (value: unknown): Instant | undefined => {
  const given = typeof value === 'string' ? value.trim() : value
  if (isUnixTime(given)) {
    const instant = instantOf(Number(given))
    return Instant.is(instant) ? instant : undefined
  }
  return typeof given === 'string' ? inUtc(given) : undefined
}

/** The time of a command: Unix time as in the protocol, or RFC 3339. The bridge reads it as an Instant. */
export const CommandTime = impersonal(
  new t.Type<Instant, string, unknown>(
    'CommandTime',
    Instant.is,
    (u, context) => {
      if (isUnixTime(u)) return UnixTime.validate(u, context)
      const read = OffsetTime.validate(u, context)
      return E.isRight(read) ? read : t.failure(u, context, 'unix time or an RFC 3339 time')
    },
    String,
  ),
)

/**
 * A JSON number that is larger than every double, such as 1e400, or a fraction that a double rounds to an integer, such
 * as 1e-400. It is no id and no count, but it can be kept.
 */
export class UnrepresentableNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toJSON() {
    return this.text
  }
}

/** An object or array whose content the protocol does not describe. It is kept unchanged. */
export const Opaque = personal(
  new t.Type<object, object, unknown>(
    'Opaque',
    (u): u is object => typeof u === 'object' && u !== null,
    (u, context) => (typeof u === 'object' && u !== null ? t.success(u) : t.failure(u, context, 'an object')),
    t.identity,
  ),
)
