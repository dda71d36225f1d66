import type { Instant } from '../../contracts/primitives.ts'
import type { Now } from './ports.ts'

let at = Number.NaN
let instant: Instant

// What comes in one millisecond has one text: to write it costs more than to see that nothing has changed.
export const now: Now = () => {
  const ms = Date.now()
  if (ms !== at) {
    at = ms
    instant = new Date(ms).toISOString() as Instant
  }
  return instant
}
