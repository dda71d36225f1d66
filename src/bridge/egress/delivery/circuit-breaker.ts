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
const maxOpenMs = 30_000

const closed = { failures: 0, chats: new Set<string>(), openings: 0, openUntil: 0, probing: false }

/** Closed, before the first attempt. */
export const closedBreaker: Breaker = { ...closed, begun: 0, answered: 0 }

export const isOpen = ({ openings }: Breaker) => openings > 0

/** How long the next attempt must wait: without end while a probe runs, until its result is known. */
export const breakerWaitMs = (breaker: Breaker, now: number): number => {
  if (!isOpen(breaker)) return 0
  if (now < breaker.openUntil) return breaker.openUntil - now
  return breaker.probing ? Number.POSITIVE_INFINITY : 0
}

/** Begins an attempt after `breakerWaitMs` was 0. Its number is the new `begun`. On an open breaker it is the probe. */
export const beginAttempt = (breaker: Breaker): Breaker => ({
  ...breaker,
  begun: breaker.begun + 1,
  probing: isOpen(breaker),
})

const open = (breaker: Breaker, now: number): Breaker => ({
  ...breaker,
  openings: breaker.openings + 1,
  openUntil: now + Math.min(maxOpenMs, firstOpenMs * 2 ** breaker.openings),
  probing: false,
})

/** The attempt of this number was answered: the breaker is closed. */
export const afterAnswer = ({ begun, answered }: Breaker, number: number): Breaker => ({
  ...closed,
  begun,
  answered: Math.max(answered, number),
})

/** An attempt that has ended. */
export type Attempt = { readonly number: number; readonly chat: string; readonly wasProbe: boolean }

/** An attempt ended without a proper answer: the service seems to be unavailable. */
export const afterFailure = (breaker: Breaker, { number, chat, wasProbe }: Attempt, now: number): Breaker => {
  if (isOpen(breaker)) return wasProbe ? open(breaker, now) : breaker
  if (number < breaker.answered) return breaker
  const chats = breaker.chats.size < chatsToOpen ? new Set(breaker.chats).add(chat) : breaker.chats
  const counted = { ...breaker, failures: breaker.failures + 1, chats }
  return counted.failures >= failuresToOpen && chats.size >= chatsToOpen ? open(counted, now) : counted
}
