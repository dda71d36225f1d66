/**
 * How fast an account's attempts may follow each other while its service is in trouble, as a value. Each answer adds
 * `gain` to the pace, each failure takes 14 `gain` from it. So the pace rises until one attempt in fifteen fails:
 * slightly more than the service can do. The budget for retries allows that, so a failed reply does not wait long. With
 * answers only, and all of the pace in use, it grows from the slowest to the quickest within a minute. Times are
 * milliseconds of a monotonic clock.
 */
export type Pace = {
  /**
   * `outage`: every failure makes it slower. `outage-unrelated-to-rate`: being slower did not help. With this cause and
   * with `throttling`, only 429 makes it slower.
   */
  readonly cause: 'outage' | 'outage-unrelated-to-rate' | 'throttling'
  readonly perSecond: number
  /** When the next attempt may begin. */
  readonly nextAt: number
  /** Failures of attempts that began before this time are already counted. */
  readonly since: number
  /** When a first attempt last had to wait behind others. */
  readonly heldUpAt: number
}

const first = 10
const slowest = 1
/** Above it there is no limit: an account's slots do not allow many more requests anyway. */
const quickest = 1000
const gain = 0.15
const cost = 14 * gain
/** The part of a slow pace that one failure costs at most. */
const maxPartOfPace = 2 * gain
/** After a pause, the attempts of this many milliseconds may begin at once. */
const burstMs = 100
/** How long a pace counts as limiting after a first attempt had to wait. */
const limitsForMs = 10_000
/**
 * A pace that has delayed nothing for this long is not needed any more. If it is almost at its slowest this long after
 * it began, the failures seem to have another cause than its rate.
 */
const lastsMs = 120_000
const nextToSlowest = 2 * slowest

const paced = (cause: Pace['cause'], perSecond: number, now: number): Pace => ({
  cause,
  perSecond: Math.max(slowest, perSecond),
  nextAt: now,
  since: now,
  heldUpAt: now,
})

/** After the breaker has opened: the bridge must find out again what the service can do. */
export const afterOutage = (pace: Pace | undefined, now: number): Pace =>
  paced('outage', Math.min(first, pace?.perSecond ?? first), now)

/** The pace at this time. It ends if it is not needed. If being slow has not helped, failures slow it no further. */
export const inTime = (pace: Pace, now: number): Pace | undefined => {
  if (now - pace.heldUpAt > lastsMs) return undefined
  const isUnrelatedToRate = pace.cause === 'outage' && pace.perSecond < nextToSlowest && now - pace.since > lastsMs
  return isUnrelatedToRate ? paced('outage-unrelated-to-rate', first, now) : pace
}

const isOver = ({ perSecond }: Pace): boolean => perSecond > quickest

/** After a 429 on an attempt that began at `begunAt`. A new pace starts slower than the busiest second. */
export const afterThrottling = (pace: Pace | undefined, busiest: number, begunAt: number, now: number): Pace => {
  if (pace === undefined || isOver(pace)) return paced('throttling', 0.7 * Math.max(first, busiest), now)
  return begunAt <= pace.since ? pace : paced(pace.cause, 0.7 * pace.perSecond, now)
}

/** After an answer. */
export const quicker = (pace: Pace): Pace => ({ ...pace, perSecond: Math.min(quickest + 1, pace.perSecond + gain) })

/** After a failure of an attempt that began at `begunAt`. */
export const slower = (pace: Pace, begunAt: number): Pace =>
  pace.cause !== 'outage' || begunAt <= pace.since
    ? pace
    : { ...pace, perSecond: Math.max(slowest, pace.perSecond - Math.min(cost, maxPartOfPace * pace.perSecond)) }

/** How long the next attempt has to wait. */
export const paceWaitMs = (pace: Pace, now: number): number =>
  isOver(pace) ? 0 : Math.max(0, Math.ceil(pace.nextAt - now))

/** A first attempt has to wait behind others. */
export const heldUp = (pace: Pace, now: number): Pace => ({ ...pace, heldUpAt: now })

/**
 * There is more to send than the service seems able to process: in the last ten seconds a first attempt had to wait, or
 * the pace was set anew after an outage or a 429. Never for a pace that began with a 429.
 */
export const isLimiting = ({ cause, heldUpAt }: Pace, now: number): boolean =>
  cause !== 'throttling' && now - heldUpAt < limitsForMs

/** An attempt begins. */
export const takeStep = (pace: Pace, now: number): Pace => ({
  ...pace,
  nextAt: Math.max(pace.nextAt, now - burstMs) + 1000 / pace.perSecond,
})

/** The attempt that `takeStep` began was not made. */
export const giveBackStep = (pace: Pace): Pace => ({ ...pace, nextAt: pace.nextAt - 1000 / pace.perSecond })
