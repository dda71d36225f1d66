import {
  type Attempt,
  afterAnswer,
  afterFailure,
  type Breaker,
  beginAttempt,
  breakerWaitMs,
  closedBreaker,
  isOpen,
} from './circuit-breaker.ts'
import type { Verdict } from './classify.ts'
import {
  afterOutage,
  afterThrottling,
  inTime,
  isLimiting,
  type Pace,
  paceWaitMs,
  quicker,
  slower,
  takeStep,
} from './pace.ts'
import { afterVerdict, isPaused, noPause, type Pause, pauseWaitMs, tryLastResort } from './pause.ts'
import { fullLimit, limitWaitMs, type RequestLimit, takeToken } from './request-limit.ts'
import {
  busiestSecond,
  countFirstAttempt,
  countRetry,
  giveBack,
  mayRetry,
  type RetryBudget,
  unspentBudget,
} from './retry-budget.ts'

/** The permission to retry a reply, with the time at which it was given. */
export type Grant = { readonly at: number }

/**
 * A reply that waits at the gate. A retry has its grant. `isLastResort`: an invitation for a client without a reply.
 */
export type Entrant = { readonly chat: string; readonly isLastResort: boolean; readonly grant?: Grant | undefined }

/** What decides when a request may go to an account's service, as a value. Times are of a monotonic clock, in ms. */
export type Gate = {
  readonly breaker: Breaker
  readonly budget: RetryBudget
  readonly pause: Pause
  /** Only after trouble. */
  readonly pace: Pace | undefined
  /** Only if the account has a limit of requests per second. */
  readonly limit: RequestLimit | undefined
}

export const newGate = (requestsPerSecond: number | undefined, now: number): Gate => ({
  breaker: closedBreaker,
  budget: unspentBudget,
  pause: noPause,
  pace: undefined,
  limit: requestsPerSecond === undefined ? undefined : fullLimit(requestsPerSecond, now),
})

/** The gate at this time: a pace that is not needed any more has ended. */
export const gateAt = (gate: Gate, now: number): Gate => ({ ...gate, pace: gate.pace && inTime(gate.pace, now) })

/** How long the next attempt has to wait. `isNextLastResort`: it is the invitation that may be tried next. */
export const gateWaitMs = ({ breaker, pause, pace, limit }: Gate, isNextLastResort: boolean, now: number): number =>
  Math.max(
    breakerWaitMs(breaker, now),
    pauseWaitMs(pause, isNextLastResort, now),
    pace === undefined ? 0 : paceWaitMs(pace, now),
    limit === undefined ? 0 : limitWaitMs(limit, now),
  )

/** The gate after a retry was granted; undefined if the budget has none. The last resort needs none during a pause. */
export const grantRetry = (gate: Gate, isLastResort: boolean, now: number): Gate | undefined => {
  const isTroubled = isOpen(gate.breaker) || (gate.pace !== undefined && isLimiting(gate.pace, now))
  const isGranted =
    (isLastResort && isPaused(gate.pause, now)) || mayRetry(gate.budget, isTroubled ? 'troubled' : 'calm', now)
  return isGranted ? { ...gate, budget: countRetry(gate.budget, now) } : undefined
}

/** An attempt begins, after `gateWaitMs` was 0. Its number is the new `breaker.begun`. */
export const enterGate = (gate: Gate, { grant, isLastResort }: Entrant, now: number): Gate => ({
  breaker: beginAttempt(gate.breaker),
  budget: grant === undefined ? countFirstAttempt(gate.budget, now) : gate.budget,
  pause: isLastResort ? tryLastResort(gate.pause, now) : gate.pause,
  pace: gate.pace && takeStep(gate.pace, now),
  limit: gate.limit && takeToken(gate.limit, now),
})

const isOutage = (verdict: Verdict): boolean => verdict.kind === 'retry' && verdict.why === 'outage'

const paceAfter = ({ pace, budget }: Gate, verdict: Verdict, begunAt: number, now: number): Pace | undefined => {
  if (verdict.kind !== 'retry' || verdict.why === 'error') return pace && quicker(pace)
  if (verdict.why === 'throttled') return afterThrottling(pace, busiestSecond(budget), begunAt, now)
  return pace && slower(pace, begunAt)
}

/** An attempt has ended. `begunAt` is when it entered. */
export const leaveGate = (
  gate: Gate,
  attempt: Attempt,
  { grant, isLastResort }: Entrant,
  verdict: Verdict,
  begunAt: number,
  now: number,
): Gate => {
  const breaker = isOutage(verdict)
    ? afterFailure(gate.breaker, attempt, now)
    : afterAnswer(gate.breaker, attempt.number)
  const hasOpened = breaker.openings > gate.breaker.openings
  return {
    ...gate,
    breaker,
    budget: grant !== undefined && verdict.kind !== 'retry' ? giveBack(gate.budget, grant.at, now) : gate.budget,
    pause: afterVerdict(gate.pause, isLastResort, verdict, now),
    pace: hasOpened ? afterOutage(gate.pace, now) : paceAfter(gate, verdict, begunAt, now),
  }
}

/** The state for operators: `perSecond` while there is a pace, `failures` (in a row) while the breaker is closed. */
export type GateState = { readonly isOpen: boolean; readonly perSecond?: number; readonly failures?: number }

export const stateOf = ({ breaker, pace }: Gate): GateState => ({
  isOpen: isOpen(breaker),
  ...(pace && { perSecond: pace.perSecond }),
  ...(!isOpen(breaker) && breaker.failures > 0 && { failures: breaker.failures }),
})
