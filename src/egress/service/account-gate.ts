import { bulkhead } from 'cockatiel'
import type { Sleep } from '../../ports.ts'
import { begin, closed, failure, waitMs } from './breaker.ts'
import type { Verdict } from './classify.ts'
import { firstAttempt, giveBack, mayRetry, retried, unspent } from './retry-budget.ts'
import { bucketWaitMs, fullBucket, takeToken } from './token-bucket.ts'

/** The leave to try a reply again: when it was given. */
export type Grant = { readonly at: number }

/**
 * What stands between an account's replies and the service: slots, a breaker, the service's own wish for a pause, a bound
 * on requests per second, and a budget for retries.
 */
export type AccountGate = {
  /** Runs the work in one of the account's slots, in the order of asking. */
  readonly inSlot: <A>(work: () => Promise<A>) => Promise<A>
  /** Resolves when the budget has a retry left, in the order of asking; undefined when the time is up or the signal aborts. */
  readonly grantRetry: (withinMs: number, signal: AbortSignal) => Promise<Grant | undefined>
  /** Resolves when an attempt may begin, when `withinMs` have passed, or when the signal aborts. */
  readonly open: (withinMs: number, signal: AbortSignal) => Promise<void>
  /** Begins an attempt of a chat unless the gate is closed; the answer ends it with its verdict. A retry has its grant. */
  readonly enter: (chat: string, grant?: Grant) => ((verdict: Verdict) => void) | undefined
}

type Deps = {
  readonly monotonic: () => number
  readonly sleep: Sleep
  readonly requestsPerSecond?: number | undefined
}

const slots = 64
const pauseMs = 1000
const budgetLookMs = 500
/** So long after the breaker has opened, retries are scarce. */
const troubledMs = 60_000

const isOutage = (verdict: Verdict) => verdict.kind === 'retry' && verdict.why === 'outage'

/** Breaker, pause, bucket and budget run on `monotonic` (ms); a 429 without Retry-After pauses the account for a second. */
export const accountGate = ({ monotonic, sleep, requestsPerSecond }: Deps): AccountGate => {
  const places = bulkhead(slots, Number.POSITIVE_INFINITY)
  const retryLine = bulkhead(1, Number.POSITIVE_INFINITY)
  let breaker = closed
  let budget = unspent
  let bucket = requestsPerSecond === undefined ? undefined : fullBucket(requestsPerSecond, monotonic())
  let pausedUntil = 0
  let troubledUntil = 0
  let probeEnded = new AbortController()

  const remaining = () => {
    const now = monotonic()
    const forToken = bucket === undefined ? 0 : bucketWaitMs(bucket, now)
    return Math.max(waitMs(breaker, now), pausedUntil - now, forToken)
  }
  const leave = (chat: string, isProbe: boolean, grant: Grant | undefined) => (verdict: Verdict) => {
    const now = monotonic()
    const before = breaker.openings
    breaker = isOutage(verdict) ? failure(breaker, chat, isProbe, now) : closed
    if (breaker.openings > before) troubledUntil = now + troubledMs
    if (grant !== undefined && verdict.kind !== 'retry') budget = giveBack(budget, grant.at, now)
    if (verdict.kind === 'retry' && verdict.why === 'throttled')
      pausedUntil = Math.max(pausedUntil, now + (verdict.retryAfterMs ?? pauseMs))
    if (!isProbe) return
    probeEnded.abort()
    probeEnded = new AbortController()
  }
  return {
    inSlot: (work) => places.execute(work),
    grantRetry: (withinMs, signal) => {
      const until = monotonic() + withinMs
      return retryLine.execute(async () => {
        while (!signal.aborted && monotonic() < until) {
          const at = monotonic()
          if (mayRetry(budget, at < troubledUntil ? 'troubled' : 'calm', at)) {
            budget = retried(budget, at)
            return { at }
          }
          await sleep(Math.min(budgetLookMs, until - at), signal)
        }
        return undefined
      })
    },
    open: async (withinMs, signal) => {
      const until = monotonic() + withinMs
      while (!signal.aborted && remaining() > 0 && monotonic() < until)
        await sleep(Math.min(remaining(), until - monotonic()), AbortSignal.any([probeEnded.signal, signal]))
    },
    enter: (chat, grant) => {
      if (remaining() > 0) return undefined
      breaker = begin(breaker)
      if (grant === undefined) budget = firstAttempt(budget, monotonic())
      if (bucket !== undefined) bucket = takeToken(bucket, monotonic())
      return leave(chat, breaker.probing, grant)
    },
  }
}
