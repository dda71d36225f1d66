import type { Places } from './places.ts'

/** How much is done: records of the log, or whatever else is counted. */
export type Progress = { readonly done: number; readonly total: number }
/** A look at a progress, in milliseconds of a monotonic clock. */
export type Look = Progress & { readonly at: number }
/** What a second brings, and how many seconds are left; undefined while that cannot be known. */
export type Pace = { readonly perSecond: number | undefined; readonly secondsLeft: number | undefined }

const windowMs = 10_000

export const progressOf = (places: Places): Progress => {
  let done = 0
  let total = 0
  for (const { first, position, end } of places.values()) {
    done += Math.min(Math.max(position, first), end) - first
    total += end - first
  }
  return { done, total }
}

/** The looks of the last ten seconds, and this one. */
export const lookedAt = (looks: ReadonlyArray<Look>, look: Look): ReadonlyArray<Look> => [
  ...looks.filter(({ at }) => look.at - at <= windowMs),
  look,
]

/** The pace of the looks, oldest first. */
export const paceOf = (looks: ReadonlyArray<Look>): Pace => {
  const [first, last] = [looks[0], looks.at(-1)]
  if (first === undefined || last === undefined || last.at === first.at)
    return { perSecond: undefined, secondsLeft: undefined }
  const perSecond = ((last.done - first.done) * 1000) / (last.at - first.at)
  const left = Math.max(0, last.total - last.done)
  return { perSecond, secondsLeft: left === 0 ? 0 : perSecond > 0 ? left / perSecond : undefined }
}
