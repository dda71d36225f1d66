import type { Instant } from '../../../contracts/primitives.ts'

export type Now = () => Instant

let at = Number.NaN
let instant: Instant

// All times of one millisecond share one text: formatting the time costs more than comparing it.
export const now: Now = () => {
  const ms = Date.now()
  if (ms !== at) {
    at = ms
    instant = new Date(ms).toISOString() as Instant
  }
  return instant
}
