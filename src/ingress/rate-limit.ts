import type { Account } from '../domain/accounts.ts'

const windowMs = 1_000

/** Whether an account may send one more request now. */
export type RateLimit = (account: Account) => boolean

/**
 * Counts an account's requests to this process, both interfaces together, and refuses those over its limit within a second from
 * the first on. `monotonic` is in ms.
 */
export const rateLimits = (monotonic: () => number): RateLimit => {
  const windows = new Map<string, { began: number; requests: number }>()
  return ({ id, requestsPerSecond }) => {
    const now = monotonic()
    const window = windows.get(id)
    if (window === undefined || now - window.began >= windowMs) {
      windows.set(id, { began: now, requests: 1 })
      return requestsPerSecond >= 1
    }
    window.requests++
    return window.requests <= requestsPerSecond
  }
}
