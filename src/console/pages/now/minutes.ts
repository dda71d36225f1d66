import { count, duration, minuteText } from '../../browser/format.ts'

export type Minute = { readonly at: number; readonly events: number }

export const sumOf = (minutes: ReadonlyArray<Minute>): number => minutes.reduce((all, { events }) => all + events, 0)

/** The minutes in steps of `size`, each at its first minute, with the events of all its minutes. */
export const stepsOf = (minutes: ReadonlyArray<Minute>, size: number): ReadonlyArray<Minute> =>
  minutes.flatMap(({ at }, i) => (i % size === 0 ? [{ at, events: sumOf(minutes.slice(i, i + size)) }] : []))

type Gap = { readonly from: number; readonly minutes: number }

/** The longest time without an event; the first of several. */
const longestGap = (minutes: ReadonlyArray<Minute>): Gap =>
  minutes.reduce<{ readonly longest: Gap; readonly last: Gap }>(
    ({ longest, last }, { at, events }) => {
      if (events > 0) return { longest, last: { from: 0, minutes: 0 } }
      const gap = { from: last.minutes === 0 ? at : last.from, minutes: last.minutes + 1 }
      return { longest: gap.minutes > longest.minutes ? gap : longest, last: gap }
    },
    { longest: { from: 0, minutes: 0 }, last: { from: 0, minutes: 0 } },
  ).longest

/** The busiest minute and the longest time without an event, in words. The last minute is not over: it is no gap. */
export const minutesWords = (minutes: ReadonlyArray<Minute>): string => {
  const most = minutes.reduce<Minute | undefined>(
    (best, each) => (each.events > (best?.events ?? 0) ? each : best),
    undefined,
  )
  if (most === undefined) return ''
  const gap = longestGap(minutes.slice(0, -1))
  const gapWords =
    gap.minutes === 0
      ? 'No minute without an event.'
      : `Longest gap: ${duration(gap.minutes * 60_000)}, from ${minuteText(gap.from)}.`
  return `Most at ${minuteText(most.at)}, ${count(most.events)} a minute. ${gapWords}`
}
