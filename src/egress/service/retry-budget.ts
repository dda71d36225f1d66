/**
 * What an account may spend on retries, as a value: within ten seconds as many as 7 % of its first attempts, and a reserve.
 * One that is answered costs nothing, so that isolated failures are tried again at once; in an outage, where none is, no
 * storm comes of it. With a service that takes one in five, 7 % that fail are 9 % in all. Times are ms of a monotonic clock.
 */
export type RetryBudget = ReadonlyArray<Second>
type Second = { readonly second: number; readonly firsts: number; readonly retries: number }

const windowSeconds = 10
const share = 0.07
const reserves = { calm: 10, troubled: 1 }

/** `troubled` where the service was away lately: then the reserve is next to nothing. */
export type Weather = keyof typeof reserves

export const unspent: RetryBudget = []

const secondOf = (now: number) => Math.floor(now / 1000)

const add = (budget: RetryBudget, at: number, now: number, firsts: number, retries: number): RetryBudget => {
  const second = secondOf(at)
  const recent = budget.filter((entry) => entry.second > secondOf(now) - windowSeconds)
  const entry = recent.find((it) => it.second === second) ?? { second, firsts: 0, retries: 0 }
  const others = recent.filter((it) => it.second !== second)
  return [...others, { second, firsts: entry.firsts + firsts, retries: Math.max(0, entry.retries + retries) }]
}

export const firstAttempt = (budget: RetryBudget, now: number): RetryBudget => add(budget, now, now, 1, 0)

export const retried = (budget: RetryBudget, now: number): RetryBudget => add(budget, now, now, 0, 1)

/** The retry that was granted at `grantedAt` got an answer. */
export const giveBack = (budget: RetryBudget, grantedAt: number, now: number): RetryBudget =>
  add(budget, grantedAt, now, 0, -1)

export const mayRetry = (budget: RetryBudget, weather: Weather, now: number): boolean => {
  const recent = budget.filter(({ second }) => second > secondOf(now) - windowSeconds)
  const sum = (of: (entry: Second) => number) => recent.reduce((total, entry) => total + of(entry), 0)
  return sum(({ retries }) => retries) < sum(({ firsts }) => firsts) * share + reserves[weather]
}
