import type { Day } from '../../contracts/primitives.ts'

const first = '0000-01-01' as Day
const last = '9999-12-31' as Day

/** The name of a time zone of the IANA database as the database writes it; undefined where it has none of this name. */
export const timeZoneNamed = (name: string): string | undefined => {
  // An offset would be a time zone for Temporal too, but none that knows of summer time.
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId
  } catch {
    return undefined
  }
}

/** The day on which a time is in a time zone. What lies outside of the calendar (years 0 to 9999) is moved to its edge. */
export const dayOf = (time: Date, timeZone: string): Day => {
  // Most accounts, and many times faster.
  const text = time.toISOString()
  if (timeZone === 'UTC' && text.length === 24) return text.slice(0, 10) as Day
  const date = Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  if (date.year < 0) return first
  return date.year > 9999 ? last : (date.toString() as Day)
}

/** When a day begins in a time zone, and when the next one does: where clocks are changed, 23 or 25 hours later. */
export const spanOf = (day: Day, timeZone: string): { readonly from: Date; readonly to: Date } => {
  const date = Temporal.PlainDate.from(day)
  const start = (of: Temporal.PlainDate) => new Date(of.toZonedDateTime(timeZone).epochMilliseconds)
  return { from: start(date), to: start(date.add({ days: 1 })) }
}
