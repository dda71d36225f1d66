import type { Sleep } from '../../domain/ports.ts'
import { limitConcurrency } from '../../shared/semaphore.ts'
import {
  type Attempt,
  afterOutage,
  afterThrottling,
  answer,
  begin,
  binds,
  busiestSecond,
  failure,
  firstAttempt,
  giveBack,
  heldUp,
  inTime,
  isOpen,
  mayRetry,
  type Pace,
  paceWaitMs,
  quicker,
  retried,
  slower,
  takeStep,
  unspent,
  unused,
  waitMs,
} from './circuit-breaker.ts'
import type { Verdict } from './classify.ts'

/**
 * Limits how many requests may begin, as a value: `perSecond` each second, and after a pause a second's worth at once.
 * Times are milliseconds of a monotonic clock.
 */
export type TokenBucket = { readonly perSecond: number; readonly tokens: number; readonly at: number }

const fullBucket = (perSecond: number, now: number): TokenBucket => ({ perSecond, tokens: perSecond, at: now })

const tokensAt = ({ perSecond, tokens, at }: TokenBucket, now: number): number =>
  Math.min(perSecond, tokens + ((now - at) * perSecond) / 1000)

/** How long the next request has to wait. */
const bucketWaitMs = (bucket: TokenBucket, now: number): number => {
  const missing = 1 - tokensAt(bucket, now)
  return missing <= 0 ? 0 : Math.ceil((missing * 1000) / bucket.perSecond)
}

/** A request begins. */
const takeToken = (bucket: TokenBucket, now: number): TokenBucket => ({
  ...bucket,
  tokens: tokensAt(bucket, now) - 1,
  at: now,
})

/** The permission to retry a reply, with the time at which it was given. */
export type Grant = { readonly at: number }
/**
 * A reply that waits at the gate. A retry has its grant. `isLastResort`: an invitation for a client without a reply.
 * One is tried every 30 s while the service pauses the account. Each one that the service accepts lets the next one
 * follow.
 */
export type Entrant = { readonly chat: string; readonly isLastResort: boolean; readonly grant?: Grant | undefined }

/**
 * What is between an account's replies and the service: slots, a breaker, pauses that the service requests, a pace
 * after trouble, a limit of requests per second, and a budget for retries.
 */
export type AccountGate = {
  /** Runs the work in one of the account's slots, in the order of calls. The last resort has its own slots. */
  readonly inSlot: <A>(entrant: Entrant, work: () => Promise<A>) => Promise<A>
  /** Waits for a retry in the budget. Only the last resort does not queue. Undefined after `withinMs` or an abort. */
  readonly grantRetry: (isLastResort: boolean, withinMs: number, signal: AbortSignal) => Promise<Grant | undefined>
  /** Resolves when an attempt may begin, when `withinMs` have passed, or when the signal aborts. */
  readonly open: (entrant: Entrant, withinMs: number, signal: AbortSignal) => Promise<void>
  /** Begins an attempt unless the gate is closed. The caller ends it with its verdict. */
  readonly enter: (entrant: Entrant) => ((verdict: Verdict) => void) | undefined
  readonly state: () => GateState
}

/** The state for operators: `perSecond` while there is a pace, `failures` (in a row) while the breaker is closed. */
export type GateState = { readonly isOpen: boolean; readonly perSecond?: number; readonly failures?: number }

type Deps = {
  readonly monotonic: () => number
  readonly sleep: Sleep
  readonly requestsPerSecond?: number | undefined
}

const slots = 64
const usualPauseMs = 1000
const budgetLookMs = 500
/** The longest wait of the last resort while the service requests a pause. */
export const lastResortEveryMs = 30_000

const isOutage = (verdict: Verdict) => verdict.kind === 'retry' && verdict.why === 'outage'

/** Breaker, pause, pace, bucket and budget use `monotonic` (ms). A 429 without Retry-After pauses for a second. */
export const accountGate = ({ monotonic, sleep, requestsPerSecond }: Deps): AccountGate => {
  const inPlace = limitConcurrency(slots)
  const inLastResortPlace = limitConcurrency(slots)
  const inRetryLine = limitConcurrency(1)
  let breaker = unused
  let budget = unspent
  let bucket = requestsPerSecond === undefined ? undefined : fullBucket(requestsPerSecond, monotonic())
  let pace: Pace | undefined
  let pausedUntil = 0
  /** The chats whose invitation waits, in the order of calls, and when the first may be tried in spite of a pause. */
  const lastResortLine = new Set<string>()
  let lastResortAt = 0
  let woken = new AbortController()

  const pauseMs = ({ chat, isLastResort }: Entrant, now: number) => {
    const [next = chat] = lastResortLine
    return (isLastResort && next === chat ? Math.min(pausedUntil, lastResortAt) : pausedUntil) - now
  }
  const wake = () => {
    woken.abort()
    woken = new AbortController()
  }
  const remaining = (entrant: Entrant) => {
    const now = monotonic()
    pace = pace && inTime(pace, now)
    const forPace = pace === undefined ? 0 : paceWaitMs(pace, now)
    const forToken = bucket === undefined ? 0 : bucketWaitMs(bucket, now)
    return Math.max(waitMs(breaker, now), pauseMs(entrant, now), forPace, forToken)
  }
  const condition = (now: number) => (isOpen(breaker) || (pace && binds(pace, now)) ? 'troubled' : 'calm')
  const paceAfter = (verdict: Verdict, begunAt: number, now: number): Pace | undefined => {
    if (verdict.kind !== 'retry' || verdict.why === 'error') return pace && quicker(pace)
    if (verdict.why === 'throttled') return afterThrottling(pace, busiestSecond(budget), begunAt, now)
    return pace && slower(pace, begunAt)
  }
  const pause = (isLastResort: boolean, verdict: Verdict, now: number) => {
    const isPaused = pausedUntil > now
    const isThrottled = verdict.kind === 'retry' && verdict.why === 'throttled'
    if (isThrottled) pausedUntil = Math.max(pausedUntil, now + (verdict.retryAfterMs ?? usualPauseMs))
    if (isThrottled && (isLastResort || !isPaused)) lastResortAt = now + lastResortEveryMs
    else if (isLastResort && verdict.kind === 'delivered') lastResortAt = now
  }
  const leave =
    (attempt: Attempt, { grant, isLastResort }: Entrant, begunAt: number) =>
    (verdict: Verdict) => {
      const now = monotonic()
      const before = breaker.openings
      breaker = isOutage(verdict) ? failure(breaker, attempt, now) : answer(breaker, attempt.number)
      pace = breaker.openings > before ? afterOutage(pace, now) : paceAfter(verdict, begunAt, now)
      if (grant !== undefined && verdict.kind !== 'retry') budget = giveBack(budget, grant.at, now)
      pause(isLastResort, verdict, now)
      if (attempt.wasProbe) wake()
    }
  return {
    inSlot: ({ chat, isLastResort }, work) => {
      if (!isLastResort) return inPlace(work)
      return inLastResortPlace(async () => {
        lastResortLine.add(chat)
        try {
          return await work()
        } finally {
          lastResortLine.delete(chat)
          wake()
        }
      })
    },
    grantRetry: (isLastResort, withinMs, signal) => {
      const until = monotonic() + withinMs
      const granted = async () => {
        while (!signal.aborted && monotonic() < until) {
          const at = monotonic()
          const isPaused = pausedUntil > at
          if ((isLastResort && isPaused) || mayRetry(budget, condition(at), at)) {
            budget = retried(budget, at)
            return { at }
          }
          await sleep(Math.min(budgetLookMs, until - at), signal)
        }
        return undefined
      }
      return isLastResort ? granted() : inRetryLine(granted)
    },
    open: async (entrant, withinMs, signal) => {
      const until = monotonic() + withinMs
      for (let waits = 0; !signal.aborted && remaining(entrant) > 0 && monotonic() < until; waits += 1) {
        // Another attempt was first. The pace has delayed a first attempt, so it is still needed. Retries that wait for
        // each other do not show that.
        if (waits > 0 && entrant.grant === undefined && pace !== undefined) pace = heldUp(pace, monotonic())
        await sleep(Math.min(remaining(entrant), until - monotonic()), AbortSignal.any([woken.signal, signal]))
      }
    },
    enter: (entrant) => {
      if (remaining(entrant) > 0) return undefined
      const now = monotonic()
      if (entrant.isLastResort) lastResortLine.delete(entrant.chat)
      if (entrant.isLastResort && pausedUntil > now) lastResortAt = now + lastResortEveryMs
      breaker = begin(breaker)
      if (entrant.grant === undefined) budget = firstAttempt(budget, now)
      if (bucket !== undefined) bucket = takeToken(bucket, now)
      if (pace !== undefined) pace = takeStep(pace, now)
      return leave({ number: breaker.begun, chat: entrant.chat, wasProbe: breaker.probing }, entrant, now)
    },
    state: () => {
      const current = pace && inTime(pace, monotonic())
      const { failures } = breaker
      return {
        isOpen: isOpen(breaker),
        ...(current && { perSecond: current.perSecond }),
        ...(!isOpen(breaker) && failures > 0 && { failures }),
      }
    },
  }
}
