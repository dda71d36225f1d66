/**
 * An account's circuit breaker as a value. It opens after several failures in a row, and only when they are of several
 * chats: one chat that always fails must not hold up its neighbours. A failure of an attempt tells nothing where one that began
 * later was answered: requests that come to their time limit together are no outage. While it is open, one probe at a time goes
 * through; any answer of the service closes it. Times are milliseconds of a monotonic clock.
 */
export type Breaker = {
  readonly failures: number
  readonly chats: ReadonlySet<string>
  readonly openings: number
  readonly openUntil: number
  readonly probing: boolean
  /** Attempts are numbered as they begin: the newest, and the newest of those that were answered. */
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

/** How long the next attempt has to wait; without end while a probe is under way, until its result is in. */
export const waitMs = (breaker: Breaker, now: number): number => {
  if (!isOpen(breaker)) return 0
  if (now < breaker.openUntil) return breaker.openUntil - now
  return breaker.probing ? Number.POSITIVE_INFINITY : 0
}

/** An attempt begins, numbered `begun` from here on, after `waitMs` was 0; while the breaker is open it is the probe. */
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

/** One that has ended. */
export type Attempt = { readonly number: number; readonly chat: string; readonly wasProbe: boolean }

/** An attempt ended without the service having answered as a service in order does. */
export const failure = (breaker: Breaker, { number, chat, wasProbe }: Attempt, now: number): Breaker => {
  if (isOpen(breaker)) return wasProbe ? open(breaker, now) : breaker
  if (number < breaker.answered) return breaker
  const chats = breaker.chats.size < chatsToOpen ? new Set(breaker.chats).add(chat) : breaker.chats
  const counted = { ...breaker, failures: breaker.failures + 1, chats }
  return counted.failures >= failuresToOpen && chats.size >= chatsToOpen ? open(counted, now) : counted
}

/**
 * What an account may spend on retries, as a value: within ten seconds as many as 7 % of its first attempts, and a reserve.
 * In calm weather one that is answered costs nothing, so that isolated failures are tried again at once. In trouble every
 * one counts: with a reserve of six a minute, attempts stay below 1.1 times the first ones. Times are ms of a monotonic
 * clock.
 */
export type RetryBudget = ReadonlyArray<Second>
/** `vain`: the retries that have had no answer yet. */
type Second = { readonly second: number; readonly firsts: number; readonly retries: number; readonly vain: number }

const windowSeconds = 10
const share = 0.07
const reserves = { calm: 10, troubled: 1 }

/** `troubled` while the service is away or takes less than there is to send: then the reserve is next to nothing. */
export type Weather = keyof typeof reserves

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

/** The retry that was granted at `grantedAt` got an answer. */
export const giveBack = (budget: RetryBudget, grantedAt: number, now: number): RetryBudget =>
  change(budget, grantedAt, now, (entry) => ({ ...entry, vain: Math.max(0, entry.vain - 1) }))

export const mayRetry = (budget: RetryBudget, weather: Weather, now: number): boolean => {
  const recent = budget.filter(({ second }) => second > secondOf(now) - windowSeconds)
  const sum = (of: (entry: Second) => number) => recent.reduce((total, entry) => total + of(entry), 0)
  const spent = sum(({ retries, vain }) => (weather === 'troubled' ? retries : vain))
  return spent < sum(({ firsts }) => firsts) * share + reserves[weather]
}

/** The attempts of the busiest of the last seconds. */
export const busiestSecond = (budget: RetryBudget): number =>
  Math.max(0, ...budget.map(({ firsts, retries }) => firsts + retries))

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
