import type { Verdict } from './classify.ts'

/**
 * The pause that the service requested for an account with a 429, as a value. In spite of it, one invitation of the
 * last resort may be tried every 30 s. Each one that the service accepts lets the next one follow. Times are
 * milliseconds of a monotonic clock.
 */
export type Pause = {
  readonly until: number
  /** When the next invitation of the last resort may be tried. */
  readonly lastResortAt: number
}

const usualPauseMs = 1000
/** The longest wait of the last resort while the service requests a pause. */
export const lastResortEveryMs = 30_000

/** Before the first 429. */
export const noPause: Pause = { until: 0, lastResortAt: 0 }

export const isPaused = ({ until }: Pause, now: number): boolean => until > now

/** How long an attempt has to wait. */
export const pauseWaitMs = ({ until, lastResortAt }: Pause, isLastResort: boolean, now: number): number =>
  Math.max(0, (isLastResort ? Math.min(until, lastResortAt) : until) - now)

/** An invitation of the last resort begins. */
export const tryLastResort = (pause: Pause, now: number): Pause =>
  isPaused(pause, now) ? { ...pause, lastResortAt: now + lastResortEveryMs } : pause

/** The attempt that `tryLastResort` began was not made. */
export const giveBackLastResort = (pause: Pause, now: number): Pause =>
  isPaused(pause, now) ? { ...pause, lastResortAt: now } : pause

/** After an attempt. A 429 without Retry-After pauses for a second. */
export const afterVerdict = (pause: Pause, isLastResort: boolean, verdict: Verdict, now: number): Pause => {
  if (verdict.kind === 'retry' && verdict.why === 'throttled')
    return {
      until: Math.max(pause.until, now + (verdict.retryAfterMs ?? usualPauseMs)),
      lastResortAt: isLastResort || !isPaused(pause, now) ? now + lastResortEveryMs : pause.lastResortAt,
    }
  return isLastResort && verdict.kind === 'delivered' ? { ...pause, lastResortAt: now } : pause
}
