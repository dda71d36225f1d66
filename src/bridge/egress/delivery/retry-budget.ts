/**
 * An account's budget for retries, as a value. A retry is allowed while the retries of the last ten seconds are fewer
 * than 7 % of the first attempts in that time, plus a reserve. In calm times the reserve is ten and an answered retry
 * does not count, so isolated failures are retried at once. In trouble the reserve is one and every retry counts. Times
 * are milliseconds of a monotonic clock.
 */
export type RetryBudget = ReadonlyArray<Second>
/** `unansweredRetries`: those that the service has not answered so far. */
type Second = {
  readonly second: number
  readonly firsts: number
  readonly retries: number
  readonly unansweredRetries: number
}

const windowSeconds = 10
const share = 0.07
const reserves = { calm: 10, troubled: 1 }

/** `troubled` while the service is unavailable or too slow for the load. The reserve is then almost nothing. */
export type ServiceCondition = keyof typeof reserves

export const unspentBudget: RetryBudget = []

const secondOf = (now: number) => Math.floor(now / 1000)
const nothingIn = (second: number): Second => ({ second, firsts: 0, retries: 0, unansweredRetries: 0 })

const change = (budget: RetryBudget, at: number, now: number, next: (entry: Second) => Second): RetryBudget => {
  const second = secondOf(at)
  const recent = budget.filter((entry) => entry.second > secondOf(now) - windowSeconds)
  const entry = recent.find((it) => it.second === second) ?? nothingIn(second)
  return [...recent.filter((it) => it.second !== second), next(entry)]
}

export const countFirstAttempt = (budget: RetryBudget, now: number): RetryBudget =>
  change(budget, now, now, (entry) => ({ ...entry, firsts: entry.firsts + 1 }))

export const countRetry = (budget: RetryBudget, now: number): RetryBudget =>
  change(budget, now, now, (entry) => ({
    ...entry,
    retries: entry.retries + 1,
    unansweredRetries: entry.unansweredRetries + 1,
  }))

/** The retry that began at `begunAt` was answered. */
export const giveBack = (budget: RetryBudget, begunAt: number, now: number): RetryBudget =>
  change(budget, begunAt, now, (entry) => ({ ...entry, unansweredRetries: Math.max(0, entry.unansweredRetries - 1) }))

/** The first attempt that was counted at this time was not made. */
export const uncountFirstAttempt = (budget: RetryBudget, at: number, now: number): RetryBudget =>
  change(budget, at, now, (entry) => ({ ...entry, firsts: Math.max(0, entry.firsts - 1) }))

/** The retry that was counted at this time was not made. */
export const uncountRetry = (budget: RetryBudget, at: number, now: number): RetryBudget =>
  change(giveBack(budget, at, now), at, now, (entry) => ({ ...entry, retries: Math.max(0, entry.retries - 1) }))

export const mayRetry = (budget: RetryBudget, condition: ServiceCondition, now: number): boolean => {
  const recent = budget.filter(({ second }) => second > secondOf(now) - windowSeconds)
  const sum = (of: (entry: Second) => number) => recent.reduce((total, entry) => total + of(entry), 0)
  const spent = sum(({ retries, unansweredRetries }) => (condition === 'troubled' ? retries : unansweredRetries))
  return spent < sum(({ firsts }) => firsts) * share + reserves[condition]
}

/** The number of attempts in the busiest of the last seconds. */
export const busiestSecond = (budget: RetryBudget): number =>
  Math.max(0, ...budget.map(({ firsts, retries }) => firsts + retries))
