/**
 * An account's circuit breaker as a value. It opens after several failures in a row, and only if they are of several
 * chats: one chat that always fails must not block the others. A failure does not count if a later attempt was
 * answered: requests that time out together are no outage. While it is open, one probe at a time passes, and any answer
 * of the service closes it. Times are milliseconds of a monotonic clock.
 */
export type Breaker = {
  readonly failures: number
  readonly chats: ReadonlySet<string>
  readonly openings: number
  readonly openUntil: number
  readonly probing: boolean
  /** Attempts are numbered as they begin: the newest one, and the newest one that was answered. */
  readonly begun: number
  readonly answered: number
}

const failuresToOpen = 10
const chatsToOpen = 3
const firstOpenMs = 1000
const longestOpenMs = 30_000

const calm = { failures: 0, chats: new Set<string>(), openings: 0, openUntil: 0, probing: false }

/** Closed, before the first attempt. */
export const unused: Breaker = { ...calm, begun: 0, answered: 0 }

export const isOpen = ({ openings }: Breaker) => openings > 0

/** How long the next attempt must wait: without end while a probe runs, until its result is known. */
export const waitMs = (breaker: Breaker, now: number): number => {
  if (!isOpen(breaker)) return 0
  if (now < breaker.openUntil) return breaker.openUntil - now
  return breaker.probing ? Number.POSITIVE_INFINITY : 0
}

/** Begins an attempt after `waitMs` was 0. Its number is the new `begun`. On an open breaker it is the probe. */
export const begin = (breaker: Breaker): Breaker => ({
  ...breaker,
  begun: breaker.begun + 1,
  probing: isOpen(breaker),
})

const open = (breaker: Breaker, now: number): Breaker => ({
  ...breaker,
  openings: breaker.openings + 1,
  openUntil: now + Math.min(longestOpenMs, firstOpenMs * 2 ** breaker.openings),
  probing: false,
})

/** The attempt of this number was answered: the breaker is closed. */
export const answer = ({ begun, answered }: Breaker, number: number): Breaker => ({
  ...calm,
  begun,
  answered: Math.max(answered, number),
})

/** An attempt that has ended. */
export type Attempt = { readonly number: number; readonly chat: string; readonly wasProbe: boolean }

/** An attempt ended without a proper answer: the service seems to be unavailable. */
export const failure = (breaker: Breaker, { number, chat, wasProbe }: Attempt, now: number): Breaker => {
  if (isOpen(breaker)) return wasProbe ? open(breaker, now) : breaker
  if (number < breaker.answered) return breaker
  const chats = breaker.chats.size < chatsToOpen ? new Set(breaker.chats).add(chat) : breaker.chats
  const counted = { ...breaker, failures: breaker.failures + 1, chats }
  return counted.failures >= failuresToOpen && chats.size >= chatsToOpen ? open(counted, now) : counted
}

/**
 * An account's budget for retries, as a value. A retry is allowed while the retries of the last ten seconds are fewer
 * than 7 % of the first attempts in that time, plus a reserve. In calm times the reserve is ten and an answered retry
 * does not count, so isolated failures are retried at once. In trouble the reserve is one and every retry counts. Times
 * are milliseconds of a monotonic clock.
 */
export type RetryBudget = ReadonlyArray<Second>
/** `vain`: the retries without an answer so far. */
type Second = { readonly second: number; readonly firsts: number; readonly retries: number; readonly vain: number }

const windowSeconds = 10
const share = 0.07
const reserves = { calm: 10, troubled: 1 }

/** `troubled` while the service is unavailable or too slow for the load. The reserve is then almost nothing. */
export type ServiceCondition = keyof typeof reserves

export const unspent: RetryBudget = []

const secondOf = (now: number) => Math.floor(now / 1000)
const nothingIn = (second: number): Second => ({ second, firsts: 0, retries: 0, vain: 0 })

const change = (budget: RetryBudget, at: number, now: number, next: (entry: Second) => Second): RetryBudget => {
  const second = secondOf(at)
  const recent = budget.filter((entry) => entry.second > secondOf(now) - windowSeconds)
  const entry = recent.find((it) => it.second === second) ?? nothingIn(second)
  return [...recent.filter((it) => it.second !== second), next(entry)]
}

export const firstAttempt = (budget: RetryBudget, now: number): RetryBudget =>
  change(budget, now, now, (entry) => ({ ...entry, firsts: entry.firsts + 1 }))

export const retried = (budget: RetryBudget, now: number): RetryBudget =>
  change(budget, now, now, (entry) => ({ ...entry, retries: entry.retries + 1, vain: entry.vain + 1 }))

/** The retry that was granted at `grantedAt` was answered. */
export const giveBack = (budget: RetryBudget, grantedAt: number, now: number): RetryBudget =>
  change(budget, grantedAt, now, (entry) => ({ ...entry, vain: Math.max(0, entry.vain - 1) }))

export const mayRetry = (budget: RetryBudget, condition: ServiceCondition, now: number): boolean => {
  const recent = budget.filter(({ second }) => second > secondOf(now) - windowSeconds)
  const sum = (of: (entry: Second) => number) => recent.reduce((total, entry) => total + of(entry), 0)
  const spent = sum(({ retries, vain }) => (condition === 'troubled' ? retries : vain))
  return spent < sum(({ firsts }) => firsts) * share + reserves[condition]
}

/** The number of attempts in the busiest of the last seconds. */
export const busiestSecond = (budget: RetryBudget): number =>
  Math.max(0, ...budget.map(({ firsts, retries }) => firsts + retries))

/**
 * How fast an account's attempts may follow each other while its service is in trouble, as a value. Each answer makes
 * it quicker, each failure makes it slower by fourteen times as much. So it settles where one attempt in fifteen fails:
 * slightly above what the service can do. The budget for retries allows that, so a failed reply does not wait long. If
 * all of the pace is used, it grows by a seventh a second: from the slowest to the quickest within a minute. Times are
 * milliseconds of a monotonic clock.
 */
export type Pace = {
  /**
   * `outage`: every failure makes it slower. `outage, in vain`: being slower did not help. With this cause and with
   * `throttling`, only 429 makes it slower.
   */
  readonly cause: 'outage' | 'outage, in vain' | 'throttling'
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
const mostOfPace = 2 * gain
/** After a pause, the attempts of this many milliseconds may begin at once. */
const burstMs = 100
/** How long a pace binds after a first attempt had to wait; see `binds`. */
const bindsForMs = 10_000
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
  const isInVain = pace.cause === 'outage' && pace.perSecond < nextToSlowest && now - pace.since > lastsMs
  return isInVain ? paced('outage, in vain', first, now) : pace
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
    : { ...pace, perSecond: Math.max(slowest, pace.perSecond - Math.min(cost, mostOfPace * pace.perSecond)) }

/** How long the next attempt has to wait. */
export const paceWaitMs = (pace: Pace, now: number): number =>
  isOver(pace) ? 0 : Math.max(0, Math.ceil(pace.nextAt - now))

/** A first attempt has to wait behind others. */
export const heldUp = (pace: Pace, now: number): Pace => ({ ...pace, heldUpAt: now })

/**
 * There is more to send than the service seems able to process: in the last ten seconds a first attempt had to wait, or
 * the pace was set anew after an outage or a 429. Never for a pace that began with a 429.
 */
export const binds = ({ cause, heldUpAt }: Pace, now: number): boolean =>
  cause !== 'throttling' && now - heldUpAt < bindsForMs

/** An attempt begins. */
export const takeStep = (pace: Pace, now: number): Pace => ({
  ...pace,
  nextAt: Math.max(pace.nextAt, now - burstMs) + 1000 / pace.perSecond,
})
