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
