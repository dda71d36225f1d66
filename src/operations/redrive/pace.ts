import type { Sleep } from '../../domain/ports.ts'

export type Pace = {
  /** As many as may go at once. */
  readonly atOnce: number
  /** Resolves when so many more may go. */
  readonly next: (count: number, signal?: AbortSignal) => Promise<void>
}

const mostAtOnce = 100

/** So many a second on average, and never more than a second's worth at once. `clock` in monotonic milliseconds. */
export const pace = (perSecond: number, clock: () => number, sleep: Sleep): Pace => {
  let due = Number.NEGATIVE_INFINITY
  return {
    atOnce: Math.min(perSecond, mostAtOnce),
    next: async (count, signal) => {
      const begin = Math.max(due, clock())
      due = begin + (count * 1000) / perSecond
      if (begin > clock()) await sleep(begin - clock(), signal)
    },
  }
}
