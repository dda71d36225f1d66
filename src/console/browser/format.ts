const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

/** `640 ms`, `12.3 s`, `2 min 13 s`, `3 h 5 min`, `2 d 4 h`. */
export const duration = (ms: number): string => {
  if (Math.round(ms) < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 9_950) return `${Math.round(ms / 100) / 10} s`
  const whole = Math.round(ms / 1_000) * 1_000
  const at = units.findIndex(([size]) => whole >= size)
  const [size, name] = units[at] ?? units[3]
  const smaller = units[at + 1]
  const rest = smaller && Math.floor((whole % size) / smaller[0])
  return `${Math.floor(whole / size)} ${name}${smaller && rest ? ` ${rest} ${smaller[1]}` : ''}`
}

/** The same in whole seconds, for durations that are updated every second. */
export const tickingDuration = (ms: number): string => (ms < 1_000 ? '0 s' : duration(Math.floor(ms / 1_000) * 1_000))

const numbers = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 2 })
export const count = (value: number): string => numbers.format(value)

/** `1 message`, `1,204 messages`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

export const bytes = (value: number): string =>
  value < 1_000
    ? `${value} B`
    : value < 1_000_000
      ? `${count(Math.round(value / 100) / 10)} kB`
      : `${count(Math.round(value / 100_000) / 10)} MB`

/** Made when it is first used: a browser needs about a millisecond for each format, and a page uses two or three. */
const lazily = (options: Intl.DateTimeFormatOptions, locale = 'en-GB') => {
  let made: Intl.DateTimeFormat | undefined
  return (at: Date): string => {
    made ??= new Intl.DateTimeFormat(locale, options)
    return made.format(at)
  }
}

const formatsIn = (timeZone: string | undefined) => ({
  clock: lazily({ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone }),
  minute: lazily({ hour: '2-digit', minute: '2-digit', timeZone }),
  dayAndMonth: lazily({ day: 'numeric', month: 'short', timeZone }),
  wholeDay: lazily({ day: 'numeric', month: 'short', year: 'numeric', timeZone }),
  // This locale writes days as in ISO 8601.
  isoDay: lazily({ year: 'numeric', month: '2-digit', day: '2-digit', timeZone }, 'en-CA'),
})

const zone = { name: undefined as string | undefined, formats: formatsIn(undefined) }

/** From now on all times are shown in this time zone: that of the account, as its days and statistics. */
export const showTimesIn = (timeZone: string | undefined): void => {
  if (zone.name === timeZone) return
  zone.name = timeZone
  zone.formats = formatsIn(timeZone)
}

/** The day of a time, such as `2026-11-23`, in the account's time zone. */
export const dayOfTime = (ms: number): string => zone.formats.isoDay(new Date(ms))

/** `2026-11-22` is -1 day from `2026-11-23`. */
export const dayPlus = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

/** 0 on Monday, 6 on Sunday. */
export const daysSinceMonday = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7

/** `14:05`. */
export const minuteText = (ms: number): string => zone.formats.minute(new Date(ms))

/** `just now`, `4 min ago`, `2 d ago`. */
export const agoText = (text: string, now = Date.now()): string => {
  const ms = now - Date.parse(text)
  if (Number.isNaN(ms)) return ''
  const at = units.find(([size]) => ms >= size)
  return at === undefined || ms < 60_000 ? 'just now' : `${Math.floor(ms / at[0])} ${at[1]} ago`
}

const shortDay = lazily({ day: 'numeric', month: 'short', timeZone: 'UTC' })
const weekday = lazily({ weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })

/** A time relative to now: without the day if it is today, without the year if it is this year. Other text is kept. */
export const timeText = (text: string, now = Date.now()): string => {
  const at = new Date(text)
  const today = new Date(now)
  if (Number.isNaN(at.getTime())) return text
  const { clock, dayAndMonth, wholeDay, isoDay } = zone.formats
  const [day, todays] = [isoDay(at), isoDay(today)]
  if (day === todays) return clock(at)
  const date = day.slice(0, 4) === todays.slice(0, 4) ? dayAndMonth : wholeDay
  return `${date(at)}, ${clock(at)}`
}

/** A time with its day and its time zone, for what is read later and elsewhere. */
export const wholeTimeText = (text: string): string => {
  const at = new Date(text)
  return `${zone.formats.wholeDay(at)}, ${zone.formats.clock(at)} (${zone.name ?? 'local time'})`
}

/** `as of 18:09:41, 40 s ago`: when something that is shown was true. */
export const asOfText = (ms: number, now = Date.now()): string =>
  `as of ${timeText(new Date(ms).toISOString(), now)}, ${tickingDuration(now - ms)} ago`

const longDay = lazily({ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

const dayIn =
  (format: (at: Date) => string) =>
  (day: string): string => {
    const at = new Date(`${day}T00:00:00Z`)
    return Number.isNaN(at.getTime()) ? day : format(at)
  }
/** `Mon 23 Nov` of `2026-11-23`. */
export const dayText = dayIn(weekday)
/** `Mon 23 Nov – Thu 26 Nov`, or the one day. */
export const daysText = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  from === to ? dayText(from) : `${dayText(from)} – ${dayText(to)}`
/** `23 Nov` of `2026-11-23`. */
export const shortDayText = dayIn(shortDay)
/** `23 Nov 2026` of `2026-11-23`. */
export const wholeDayText = dayIn(longDay)

/** How many filters are set. */
export const setText = ({ size }: URLSearchParams): string => (size === 0 ? 'none' : `${count(size)} set`)

/** The first characters of a text, without half a character at the end. */
export const cut = (text: string, most: number): string => {
  const first = text.slice(0, most)
  return /[\uD800-\uDBFF]$/.test(first) ? first.slice(0, -1) : first
}
