import { bulkhead } from 'cockatiel'
import type { Sleep } from '../../domain/ports.ts'
import { type Attempt, answer, begin, failure, isOpen, unused, waitMs } from './breaker.ts'
import type { Verdict } from './classify.ts'
import {
  afterOutage,
  afterThrottling,
  binds,
  heldUp,
  inTime,
  type Pace,
  paceWaitMs,
  quicker,
  slower,
  takeStep,
} from './pace.ts'
import { busiestSecond, firstAttempt, giveBack, mayRetry, retried, unspent } from './retry-budget.ts'
import { bucketWaitMs, fullBucket, takeToken } from './token-bucket.ts'

/** The leave to try a reply again: when it was given. */
export type Grant = { readonly at: number }

/**
 * What stands between an account's replies and the service: slots, a breaker, the service's own wish for a pause, a pace
 * after trouble, a bound on requests per second, and a budget for retries.
 */
export type AccountGate = {
  /** Runs the work in one of the account's slots, in the order of asking. */
  readonly inSlot: <A>(work: () => Promise<A>) => Promise<A>
  /** Resolves when the budget has a retry left, in the order of asking; undefined when the time is up or the signal aborts. */
  readonly grantRetry: (withinMs: number, signal: AbortSignal) => Promise<Grant | undefined>
  /** Resolves when an attempt may begin, when `withinMs` have passed, or when the signal aborts. A retry has its grant. */
  readonly open: (withinMs: number, signal: AbortSignal, grant?: Grant) => Promise<void>
  /** Begins an attempt of a chat unless the gate is closed; the answer ends it with its verdict. A retry has its grant. */
  readonly enter: (chat: string, grant?: Grant) => ((verdict: Verdict) => void) | undefined
  readonly state: () => GateState
}

/** What an operator sees of a gate; `perSecond` while there is a pace. */
export type GateState = { readonly isOpen: boolean; readonly perSecond?: number }

type Deps = {
  readonly monotonic: () => number
  readonly sleep: Sleep
  readonly requestsPerSecond?: number | undefined
}

const slots = 64
const pauseMs = 1000
const budgetLookMs = 500

const isOutage = (verdict: Verdict) => verdict.kind === 'retry' && verdict.why === 'outage'

/** Breaker, pause, pace, bucket and budget run on `monotonic` (ms); a 429 without Retry-After pauses the account for a second. */
export const accountGate = ({ monotonic, sleep, requestsPerSecond }: Deps): AccountGate => {
  const places = bulkhead(slots, Number.POSITIVE_INFINITY)
  const retryLine = bulkhead(1, Number.POSITIVE_INFINITY)
  let breaker = unused
  let budget = unspent
  let bucket = requestsPerSecond === undefined ? undefined : fullBucket(requestsPerSecond, monotonic())
  let pace: Pace | undefined
  let pausedUntil = 0
  let probeEnded = new AbortController()

  const remaining = () => {
    const now = monotonic()
    pace = pace && inTime(pace, now)
    const forPace = pace === undefined ? 0 : paceWaitMs(pace, now)
    const forToken = bucket === undefined ? 0 : bucketWaitMs(bucket, now)
    return Math.max(waitMs(breaker, now), pausedUntil - now, forPace, forToken)
  }
  const weather = (now: number) => (isOpen(breaker) || (pace && binds(pace, now)) ? 'troubled' : 'calm')
  const paceAfter = (verdict: Verdict, begunAt: number, now: number): Pace | undefined => {
    if (verdict.kind !== 'retry' || verdict.why === 'error') return pace && quicker(pace)
    if (verdict.why === 'throttled') return afterThrottling(pace, busiestSecond(budget), begunAt, now)
    return pace && slower(pace, begunAt)
  }
  const leave = (attempt: Attempt, grant: Grant | undefined, begunAt: number) => (verdict: Verdict) => {
    const now = monotonic()
    const before = breaker.openings
    breaker = isOutage(verdict) ? failure(breaker, attempt, now) : answer(breaker, attempt.number)
    pace = breaker.openings > before ? afterOutage(pace, now) : paceAfter(verdict, begunAt, now)
    if (grant !== undefined && verdict.kind !== 'retry') budget = giveBack(budget, grant.at, now)
    if (verdict.kind === 'retry' && verdict.why === 'throttled')
      pausedUntil = Math.max(pausedUntil, now + (verdict.retryAfterMs ?? pauseMs))
    if (!attempt.wasProbe) return
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
          if (mayRetry(budget, weather(at), at)) {
            budget = retried(budget, at)
            return { at }
          }
          await sleep(Math.min(budgetLookMs, until - at), signal)
        }
        return undefined
      })
    },
    open: async (withinMs, signal, grant) => {
      const until = monotonic() + withinMs
      for (let waits = 0; !signal.aborted && remaining() > 0 && monotonic() < until; waits += 1) {
        // another went first; retries that wait for each other say nothing of how much there is to be sent
        if (waits > 0 && grant === undefined && pace !== undefined) pace = heldUp(pace, monotonic())
        await sleep(Math.min(remaining(), until - monotonic()), AbortSignal.any([probeEnded.signal, signal]))
      }
    },
    enter: (chat, grant) => {
      if (remaining() > 0) return undefined
      const now = monotonic()
      breaker = begin(breaker)
      if (grant === undefined) budget = firstAttempt(budget, now)
      if (bucket !== undefined) bucket = takeToken(bucket, now)
      if (pace !== undefined) pace = takeStep(pace, now)
      return leave({ number: breaker.begun, chat, wasProbe: breaker.probing }, grant, now)
    },
    state: () => {
      const current = pace && inTime(pace, monotonic())
      return { isOpen: isOpen(breaker), ...(current && { perSecond: current.perSecond }) }
    },
  }
}
