import { backoff } from '../../shared/backoff.ts'
import type { Verdict } from './classify.ts'
import type { GivenUpReason } from './refusal.ts'

/** The whole wait is random: replies that failed together must not be sent together again. */
export const pauses = { baseMs: 200, capMs: 10_000, jitter: 1 }

/**
 * `lastResortEveryMs` is set for a message of the bridge itself. It limits the wait that the service requests with
 * Retry-After, and it is the wait after a refusal, which does not end such a message.
 */
export type Limits = {
  readonly attempts: number
  readonly timeouts: number
  readonly deadlineMs: number
  readonly lastResortEveryMs?: number
}

export type Step =
  | { readonly kind: 'attempt'; readonly afterMs: number }
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly reason: GivenUpReason }

const failed = (reason: GivenUpReason): Step => ({ kind: 'failed', reason })

const unauthorizedIn = (history: ReadonlyArray<Verdict>) => history.filter(({ kind }) => kind === 'unauthorized').length

const delayAfter = (
  last: Verdict,
  history: ReadonlyArray<Verdict>,
  lastResortEveryMs: number | undefined,
  random: () => number,
): number => {
  if (last.kind === 'unauthorized' && unauthorizedIn(history) === 1) return 0
  const asked = last.kind === 'retry' ? (last.retryAfterMs ?? 0) : 0
  const refused = last.kind === 'rejected' ? (lastResortEveryMs ?? 0) : 0
  return Math.max(refused, Math.min(asked, lastResortEveryMs ?? asked), backoff(history.length, pauses, random))
}

/** An attempt as it is known now. `isOfClient`: the service refuses the client, and takes others (attempt.ts). */
export type TriedBefore = Verdict & { readonly isOfClient?: true }

/** Whether an attempt says something about this reply. A refused token or address is the account's. */
const isOfReply = (tried: TriedBefore): boolean =>
  tried.isOfClient === true || (tried.kind !== 'unauthorized' && !(tried.kind === 'retry' && tried.isOfAccount))

/** Why a reply is given up after its attempts so far, with any time left. Undefined if it may be tried again. */
export const givenUp = (
  history: ReadonlyArray<TriedBefore>,
  { attempts, timeouts, lastResortEveryMs }: Limits,
): Extract<GivenUpReason, 'rejected' | 'attempts'> | undefined => {
  const last = history.at(-1)
  if (last?.kind === 'rejected' && lastResortEveryMs === undefined) return 'rejected'
  const timedOut = history.filter(({ code }) => code === 'timeout').length
  if (history.filter(isOfReply).length < attempts && timedOut < timeouts) return undefined
  return last?.isOfClient ? 'rejected' : 'attempts'
}

/**
 * What to do with a reply after its attempts so far. `elapsedMs` counts from when this worker took the command, not
 * from when it was appended: an outage of the bridge must not turn a backlog into failures. A refused access token is
 * renewed at once the first time. An answer that is about the account does not count as an attempt. 403 and 404 count once
 * the service has taken another chat, and then the reply is refused. At most `timeouts`
 * attempts may time out: two, as the service prescribes, or the account's `attempts` if it sets that number. A
 * Retry-After beyond the deadline fails the reply at once.
 */
export const nextStep = (
  history: ReadonlyArray<TriedBefore>,
  limits: Limits,
  elapsedMs: number,
  random: () => number,
): Step => {
  const last = history.at(-1)
  if (last?.kind === 'delivered') return { kind: 'delivered' }
  const reason = givenUp(history, limits)
  if (reason !== undefined) return failed(reason)
  const afterMs = last === undefined ? 0 : delayAfter(last, history, limits.lastResortEveryMs, random)
  return elapsedMs + afterMs >= limits.deadlineMs ? failed('deadline') : { kind: 'attempt', afterMs }
}
