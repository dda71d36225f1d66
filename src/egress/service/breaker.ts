/**
 * An account's circuit breaker as a value. It opens after several failures in a row, and only when they are of several
 * chats: one chat that always fails must not hold up its neighbours. While it is open, one probe at a time goes through;
 * any answer of the service closes it. Times are milliseconds of a monotonic clock.
 */
export type Breaker = {
  readonly failures: number
  readonly chats: ReadonlySet<string>
  readonly openings: number
  readonly openUntil: number
  readonly probing: boolean
}

const failuresToOpen = 10
const chatsToOpen = 3
const firstOpenMs = 1000
const longestOpenMs = 30_000

export const closed: Breaker = { failures: 0, chats: new Set(), openings: 0, openUntil: 0, probing: false }

export const isOpen = ({ openings }: Breaker) => openings > 0

/** How long the next attempt has to wait; without end while a probe is under way, until its result is in. */
export const waitMs = (breaker: Breaker, now: number): number => {
  if (!isOpen(breaker)) return 0
  if (now < breaker.openUntil) return breaker.openUntil - now
  return breaker.probing ? Number.POSITIVE_INFINITY : 0
}

/** An attempt begins, after `waitMs` was 0; while the breaker is open it is the probe. */
export const begin = (breaker: Breaker): Breaker => (isOpen(breaker) ? { ...breaker, probing: true } : breaker)

const open = (breaker: Breaker, now: number): Breaker => ({
  ...breaker,
  openings: breaker.openings + 1,
  openUntil: now + Math.min(longestOpenMs, firstOpenMs * 2 ** breaker.openings),
  probing: false,
})

/** An attempt of a chat ended without the service having answered as a service in order does. */
export const failure = (breaker: Breaker, chat: string, wasProbe: boolean, now: number): Breaker => {
  if (isOpen(breaker)) return wasProbe ? open(breaker, now) : breaker
  const chats = breaker.chats.size < chatsToOpen ? new Set(breaker.chats).add(chat) : breaker.chats
  const counted = { ...breaker, failures: breaker.failures + 1, chats }
  return counted.failures >= failuresToOpen && chats.size >= chatsToOpen ? open(counted, now) : counted
}
