/**
 * An account's circuit breaker as a value. It opens after several failures in a row, and only if they are of several
 * chats: one chat that always fails must not block the others. A chat sends one reply after the other, and each counts
 * once: a repeated attempt that fails again says nothing new about the service. A failure does not count if a later
 * attempt was answered: requests that time out together are no outage. While the breaker is open, one probe at a time
 * passes, and any answer of the service closes it. Each probe that counts doubles the wait for the next one. Times are
 * milliseconds of a monotonic clock.
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

/** The attempt that `beginAttempt` began was not made. */
export const giveBackAttempt = (breaker: Breaker, wasProbe: boolean): Breaker =>
  wasProbe ? { ...breaker, probing: false } : breaker

/** Opens it as often as `openings` says. */
const open = (breaker: Breaker, openings: number, now: number): Breaker => ({
  ...breaker,
  openings,
  openUntil: now + Math.min(maxOpenMs, firstOpenMs * 2 ** (openings - 1)),
  probing: false,
})

/** The attempt of this number was answered: the breaker is closed. */
export const afterAnswer = ({ begun, answered }: Breaker, number: number): Breaker => ({
  ...closed,
  begun,
  answered: Math.max(answered, number),
})

/** An attempt that has ended. `isRepeated`: the chat failed with the same before. */
export type Attempt = {
  readonly number: number
  readonly chat: string
  readonly wasProbe: boolean
  readonly isRepeated: boolean
}

/** An attempt ended without a proper answer: the service seems to be unavailable. */
export const afterFailure = (breaker: Breaker, attempt: Attempt, now: number): Breaker => {
  const { number, chat, wasProbe, isRepeated } = attempt
  if (isOpen(breaker)) return wasProbe ? open(breaker, breaker.openings + (isRepeated ? 0 : 1), now) : breaker
  if (isRepeated || number < breaker.answered) return breaker
  const chats = breaker.chats.size < chatsToOpen ? new Set(breaker.chats).add(chat) : breaker.chats
  const counted = { ...breaker, failures: breaker.failures + 1, chats }
  return counted.failures >= failuresToOpen && chats.size >= chatsToOpen ? open(counted, 1, now) : counted
}
