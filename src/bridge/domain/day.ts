import type { Day } from '../../../contracts/primitives.ts'

const first = '0000-01-01' as Day
const last = '9999-12-31' as Day

/** The name of an IANA time zone as the database spells it; undefined if the database has no such name. */
export const timeZoneNamed = (name: string): string | undefined => {
  // Temporal accepts an offset as a time zone too, but an offset has no summer time.
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId
  } catch {
    return undefined
  }
}

/** The day of a time in a time zone. A time outside of the calendar (years 0 to 9999) is moved to its edge. */
export const dayOf = (time: Date, timeZone: string): Day => {
  // Most accounts use UTC, and this is many times faster.
  const text = time.toISOString()
  if (timeZone === 'UTC' && text.length === 24) return text.slice(0, 10) as Day
  const date = Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  if (date.year < 0) return first
  return date.year > 9999 ? last : (date.toString() as Day)
}

/** From a time until before another. */
export type Span = { readonly from: Date; readonly to: Date }

/** When a day begins in a time zone, and when the next one begins: 23 or 25 hours later where clocks change. */
export const spanOf = (day: Day, timeZone: string): Span => {
  const date = Temporal.PlainDate.from(day)
  const start = (of: Temporal.PlainDate) => new Date(of.toZonedDateTime(timeZone).epochMilliseconds)
  return { from: start(date), to: start(date.add({ days: 1 })) }
}

/** A day until the time of day of `at`. */
export const untilTimeOfDay = (day: Day, at: Date, timeZone: string): Span => {
  const { from } = spanOf(day, timeZone)
  const startOfOther = spanOf(dayOf(at, timeZone), timeZone).from
  return { from, to: new Date(from.getTime() + at.getTime() - startOfOther.getTime()) }
}
