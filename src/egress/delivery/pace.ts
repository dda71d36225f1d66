/**
 * How fast an account's attempts may follow each other while its service is in trouble, as a value. Each answer makes it
 * quicker and each failure fourteen times as much slower, so that it settles where one attempt in fifteen fails: just above
 * what the service can do, and within what the budget for retries allows, since a chat waits for its reply that failed. Where
 * all of it is used it grows by a seventh a second: from the slowest to the quickest within a minute. Times are milliseconds of
 * a monotonic clock.
 */
export type Pace = {
  /** After an outage every failure makes it slower, unless that was tried in vain; otherwise only 429 does. */
  readonly cause: 'outage' | 'outage, in vain' | 'throttling'
  readonly perSecond: number
  /** When the next attempt may begin. */
  readonly nextAt: number
  /** Failures of attempts that were begun before this have been reckoned with. */
  readonly since: number
  /** When a first attempt last had to wait behind others. */
  readonly heldUpAt: number
}

const first = 10
const slowest = 1
/** Above it there is no bound: it is about as many as an account's slots get through anyway. */
const quickest = 1000
const gain = 0.15
const cost = 14 * gain
/** The part of a slow pace that a failure costs at most. */
const mostOfPace = 2 * gain
/** What may go at once after a pause. */
const burstMs = 100
const bindsForMs = 10_000
/**
 * Where it has held nobody up for so long, there is no trouble any more. Where it is next to its slowest so long after it began,
 * failures seem to have another cause than its rate.
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

/** After the breaker has opened: what the service can do is to be found out anew. */
export const afterOutage = (pace: Pace | undefined, now: number): Pace =>
  paced('outage', Math.min(first, pace?.perSecond ?? first), now)

/** The pace as time goes by: it ends unneeded, and where being slow has not helped, failures do not make it slower any more. */
export const inTime = (pace: Pace, now: number): Pace | undefined => {
  if (now - pace.heldUpAt > lastsMs) return undefined
  const isInVain = pace.cause === 'outage' && pace.perSecond < nextToSlowest && now - pace.since > lastsMs
  return isInVain ? paced('outage, in vain', first, now) : pace
}

const isOver = ({ perSecond }: Pace): boolean => perSecond > quickest

/** After a 429 on an attempt that was begun then; without a pace so far, slower than what was sent in the busiest second. */
export const afterThrottling = (pace: Pace | undefined, busiest: number, begunAt: number, now: number): Pace => {
  if (pace === undefined || isOver(pace)) return paced('throttling', 0.7 * Math.max(first, busiest), now)
  return begunAt <= pace.since ? pace : paced(pace.cause, 0.7 * pace.perSecond, now)
}

/** After an answer. */
export const quicker = (pace: Pace): Pace => ({ ...pace, perSecond: Math.min(quickest + 1, pace.perSecond + gain) })

/** After a failure of an attempt that was begun then. */
export const slower = (pace: Pace, begunAt: number): Pace =>
  pace.cause !== 'outage' || begunAt <= pace.since
    ? pace
    : { ...pace, perSecond: Math.max(slowest, pace.perSecond - Math.min(cost, mostOfPace * pace.perSecond)) }

/** How long the next attempt has to wait. */
export const paceWaitMs = (pace: Pace, now: number): number =>
  isOver(pace) ? 0 : Math.max(0, Math.ceil(pace.nextAt - now))

/** A first attempt has to wait behind others. */
export const heldUp = (pace: Pace, now: number): Pace => ({ ...pace, heldUpAt: now })

/** Whether there is more to be sent than the service seems able to take. */
export const binds = ({ cause, heldUpAt }: Pace, now: number): boolean =>
  cause !== 'throttling' && now - heldUpAt < bindsForMs

/** An attempt begins. */
export const takeStep = (pace: Pace, now: number): Pace => ({
  ...pace,
  nextAt: Math.max(pace.nextAt, now - burstMs) + 1000 / pace.perSecond,
})
