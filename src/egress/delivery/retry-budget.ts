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
