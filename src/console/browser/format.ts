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

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const wholeDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })

/** A time relative to now: without the day if it is today, without the year if it is this year. Other text is kept. */
export const timeText = (text: string, now = Date.now()): string => {
  const at = new Date(text)
  const today = new Date(now)
  if (Number.isNaN(at.getTime())) return text
  if (at.toDateString() === today.toDateString()) return clock.format(at)
  const day = at.getFullYear() === today.getFullYear() ? dayAndMonth : wholeDay
  return `${day.format(at)}, ${clock.format(at)}`
}

/** `Mon 23 Nov` of `2026-11-23`. */
export const dayText = (day: string): string => {
  const at = new Date(`${day}T00:00:00Z`)
  return Number.isNaN(at.getTime()) ? day : weekday.format(at)
}

/** `23 Nov` of `2026-11-23`. */
export const shortDayText = (day: string): string => {
  const at = new Date(`${day}T00:00:00Z`)
  return Number.isNaN(at.getTime()) ? day : shortDay.format(at)
}

/** The first characters of a text, without half a character at the end. */
export const cut = (text: string, most: number): string => {
  const first = text.slice(0, most)
  return /[\uD800-\uDBFF]$/.test(first) ? first.slice(0, -1) : first
}
