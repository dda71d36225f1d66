/**
 * What an account may spend on retries, as a value: within ten seconds as many as 8 % of its first attempts, and ten. One
 * that succeeds costs nothing, so that isolated failures are tried again at once; in an outage, where none does, no
 * storm comes of it. With a service that takes one in five, 8 % that fail are 10 % in all. Times are ms of a monotonic clock.
 */
export type RetryBudget = ReadonlyArray<Second>
type Second = { readonly second: number; readonly firsts: number; readonly retries: number }

const windowSeconds = 10
const share = 0.08
const reserve = 10

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

export const mayRetry = (budget: RetryBudget, now: number): boolean => {
  const recent = budget.filter(({ second }) => second > secondOf(now) - windowSeconds)
  const sum = (of: (entry: Second) => number) => recent.reduce((total, entry) => total + of(entry), 0)
  return sum(({ retries }) => retries) < sum(({ firsts }) => firsts) * share + reserve
}
