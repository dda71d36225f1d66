import {
  type Attempt,
  afterAnswer,
  afterFailure,
  type Breaker,
  beginAttempt,
  breakerWaitMs,
  closedBreaker,
  giveBackAttempt,
  isOpen,
} from './circuit-breaker.ts'
import type { Verdict } from './classify.ts'
import {
  afterOutage,
  afterThrottling,
  giveBackStep,
  heldUp,
  inTime,
  isLimiting,
  type Pace,
  paceWaitMs,
  quicker,
  slower,
  takeStep,
} from './pace.ts'
import { afterVerdict, giveBackLastResort, isPaused, noPause, type Pause, pauseWaitMs, tryLastResort } from './pause.ts'
import {
  afterChatAnswered,
  afterChatFailed,
  afterTaken,
  afterWholeOutage,
  hasFailed,
  isSlower,
  noRefusedChats,
  type RefusedChats,
  refusedChats,
  slowerWaitMs,
  trySlower,
  trySlowerAgain,
} from './refused-chats.ts'
import { fullLimit, giveBackToken, limitWaitMs, type RequestLimit, takeToken } from './request-limit.ts'
import {
  busiestSecond,
  countFirstAttempt,
  countRetry,
  giveBack,
  mayRetry,
  type RetryBudget,
  uncountFirstAttempt,
  uncountRetry,
  unspentBudget,
} from './retry-budget.ts'

/**
 * A reply that waits at the gate. `since`: when it came to the gate, or when it was last tried. `isRepeated`: it was tried
 * before. `isLastResort`: a message of the bridge itself for a client without a reply.
 */
export type Entrant = {
  readonly chat: string
  readonly since: number
  readonly isRepeated: boolean
  readonly isLastResort: boolean
}

/** What decides when a request may go to an account's service, as a value. Times are of a monotonic clock, in ms. */
export type Gate = {
  readonly breaker: Breaker
  readonly budget: RetryBudget
  readonly pause: Pause
  /** Only after trouble. */
  readonly pace: Pace | undefined
  /** Only if the account has a limit of requests per second. */
  readonly limit: RequestLimit | undefined
  readonly chats: RefusedChats
  /** How many attempts run. */
  readonly running: number
}

/** How many attempts may run: a service gets at most so many requests of an account at a time. */
const maxRunning = 64
/** While the budget has no retry, the gate checks it again after this time. */
const checkBudgetAgainMs = 500

export const newGate = (requestsPerSecond: number | undefined, now: number): Gate => ({
  breaker: closedBreaker,
  budget: unspentBudget,
  pause: noPause,
  pace: undefined,
  limit: requestsPerSecond === undefined ? undefined : fullLimit(requestsPerSecond, now),
  chats: noRefusedChats,
  running: 0,
})

/** The gate at this time: a pace that is not needed any more has ended. */
export const gateAt = (gate: Gate, now: number): Gate => ({ ...gate, pace: gate.pace && inTime(gate.pace, now) })

/** Attempts of the slower lane have a pace of their own instead of the budget. The last resort needs none in a pause. */
const hasRetry = ({ breaker, pace, pause, budget }: Gate, isLastResort: boolean, now: number): boolean => {
  const isTroubled = isOpen(breaker) || (pace !== undefined && isLimiting(pace, now))
  return (isLastResort && isPaused(pause, now)) || mayRetry(budget, isTroubled ? 'troubled' : 'calm', now)
}

/** How long this entrant would have to wait if it were the only one. */
export const gateWaitMs = (gate: Gate, { chat, isRepeated, isLastResort }: Entrant, now: number): number => {
  const { breaker, pause, pace, limit, chats, running } = gate
  const ownWaitMs = isSlower(chats, chat)
    ? slowerWaitMs(chats, now)
    : isRepeated && !hasRetry(gate, isLastResort, now)
      ? checkBudgetAgainMs
      : 0
  return Math.max(
    running < maxRunning ? 0 : Number.POSITIVE_INFINITY,
    breakerWaitMs(breaker, now),
    pauseWaitMs(pause, isLastResort, now),
    pace === undefined ? 0 : paceWaitMs(pace, now),
    limit === undefined ? 0 : limitWaitMs(limit, now),
    ownWaitMs,
  )
}

/**
 * The order of those who wait: chats of the slower lane are last. While the breaker is open, first attempts go before
 * repeated ones: a repeated one says nothing new, and the service may refuse only its chat. Otherwise the budget limits
 * repeated ones, and who came, or was tried, longest ago is next.
 */
const isBefore = ({ breaker, chats }: Gate, a: Entrant, b: Entrant): boolean => {
  const [slowerA, slowerB] = [isSlower(chats, a.chat), isSlower(chats, b.chat)]
  if (slowerA !== slowerB) return slowerB
  if (isOpen(breaker) && a.isRepeated !== b.isRepeated) return b.isRepeated
  return a.since < b.since
}

/** Who of the line may try now. Undefined if all have to wait. */
export const nextOf = <E extends Entrant>(gate: Gate, line: Iterable<E>, now: number): E | undefined => {
  let next: E | undefined
  for (const entrant of line)
    if ((next === undefined || isBefore(gate, entrant, next)) && gateWaitMs(gate, entrant, now) <= 0) next = entrant
  return next
}

/** How long it takes until one of the line may try, unless an attempt ends before. */
export const lineWaitMs = (gate: Gate, line: Iterable<Entrant>, now: number): number => {
  let shortest = Number.POSITIVE_INFINITY
  for (const entrant of line) shortest = Math.min(shortest, gateWaitMs(gate, entrant, now))
  return shortest
}

/** An attempt that runs. */
export type Running = Attempt & {
  readonly entrant: Entrant
  readonly isSlower: boolean
  readonly begunAt: number
}

/** An attempt begins, after its `gateWaitMs` was 0. */
export const enterGate = (gate: Gate, entrant: Entrant, now: number): readonly [Gate, Running] => {
  const { chat, isRepeated, isLastResort } = entrant
  const isOfSlowerLane = isSlower(gate.chats, chat)
  const breaker = beginAttempt(gate.breaker)
  const budget = isRepeated ? countRetry(gate.budget, now) : countFirstAttempt(gate.budget, now)
  const entered: Gate = {
    breaker,
    budget: isOfSlowerLane ? gate.budget : budget,
    pause: isLastResort ? tryLastResort(gate.pause, now) : gate.pause,
    pace: gate.pace && takeStep(gate.pace, now),
    limit: gate.limit && takeToken(gate.limit, now),
    chats: isOfSlowerLane ? trySlower(gate.chats, now) : gate.chats,
    running: gate.running + 1,
  }
  const running = {
    entrant,
    chat,
    number: breaker.begun,
    wasProbe: breaker.probing,
    // The bridge's own message repeats what has failed in its chat.
    isRepeated: isRepeated || (isLastResort && hasFailed(gate.chats, chat)),
    isSlower: isOfSlowerLane,
    begunAt: now,
  }
  return [entered, running]
}

/** A first attempt has to wait behind another one: the pace is still needed. Retries do not show that. */
export const holdUp = (gate: Gate, now: number): Gate =>
  gate.pace === undefined ? gate : { ...gate, pace: heldUp(gate.pace, now) }

/** The attempt was not made: it gives back what it took. */
export const leaveUnused = (gate: Gate, attempt: Running, now: number): Gate => {
  const { begunAt, entrant } = attempt
  const budget = entrant.isRepeated
    ? uncountRetry(gate.budget, begunAt, now)
    : uncountFirstAttempt(gate.budget, begunAt, now)
  return {
    breaker: giveBackAttempt(gate.breaker, attempt.wasProbe),
    budget: attempt.isSlower ? gate.budget : budget,
    pause: entrant.isLastResort ? giveBackLastResort(gate.pause, now) : gate.pause,
    pace: gate.pace && giveBackStep(gate.pace),
    limit: gate.limit && giveBackToken(gate.limit),
    chats: attempt.isSlower ? trySlowerAgain(gate.chats, now) : gate.chats,
    running: gate.running - 1,
  }
}

const isOutage = (verdict: Verdict): boolean => verdict.kind === 'retry' && verdict.why === 'outage'

const paceAfter = ({ pace, budget }: Gate, verdict: Verdict, begunAt: number, now: number): Pace | undefined => {
  if (verdict.kind !== 'retry' || verdict.why === 'error') return pace && quicker(pace)
  if (verdict.why === 'throttled') return afterThrottling(pace, busiestSecond(budget), begunAt, now)
  return pace && slower(pace, begunAt)
}

/** How an attempt ended. `token` is the access token that it was sent with (attempt.ts), `answer` a status or a code. */
export type Result = { readonly verdict: Verdict; readonly token: number; readonly answer: string }

const chatsAfter = ({ chats }: Gate, { chat, number }: Running, { verdict, token, answer }: Result): RefusedChats => {
  if (verdict.kind === 'delivered') return afterTaken(chats, chat, { number, token })
  if (isOutage(verdict)) return afterChatFailed(chats, chat, number, answer)
  return verdict.kind === 'rejected' ? afterChatAnswered(chats, chat) : chats
}

/** An attempt of the slower lane failed: that is the chat's trouble, and says nothing about the service. */
const leaveSlower = (gate: Gate, attempt: Running, result: Result): Gate => ({
  ...gate,
  breaker: giveBackAttempt(gate.breaker, attempt.wasProbe),
  chats: isOpen(gate.breaker) ? gate.chats : chatsAfter(gate, attempt, result),
  running: gate.running - 1,
})

/** An attempt has ended. */
export const leaveGate = (gate: Gate, attempt: Running, result: Result, now: number): Gate => {
  const { number, begunAt, entrant } = attempt
  const { verdict } = result
  if (attempt.isSlower && isOutage(verdict)) return leaveSlower(gate, attempt, result)
  const breaker = isOutage(verdict) ? afterFailure(gate.breaker, attempt, now) : afterAnswer(gate.breaker, number)
  const hasOpened = breaker.openings > gate.breaker.openings
  const isAnswered = verdict.kind !== 'retry'
  const chats = chatsAfter(gate, attempt, result)
  return {
    ...gate,
    breaker,
    // The slower lane takes nothing from the budget.
    budget: entrant.isRepeated && isAnswered && !attempt.isSlower ? giveBack(gate.budget, begunAt, now) : gate.budget,
    pause: afterVerdict(gate.pause, entrant.isLastResort, verdict, now),
    pace: hasOpened ? afterOutage(gate.pace, now) : paceAfter(gate, verdict, begunAt, now),
    // Until the breaker is closed again, and when it closes, nothing is known of single chats.
    chats:
      isOpen(breaker) || isOpen(gate.breaker)
        ? afterWholeOutage(chats)
        : attempt.isSlower
          ? trySlowerAgain(chats, now)
          : chats,
    running: gate.running - 1,
  }
}

/**
 * The state for operators: `perSecond` while there is a pace, `failures` (in a row) while the breaker is closed.
 * `refused`: how many chats the service refuses while it takes others, with the last answer of some of them.
 */
export type GateState = {
  readonly isOpen: boolean
  readonly perSecond?: number
  readonly failures?: number
  readonly refused?: {
    readonly chats: number
    readonly examples: ReadonlyArray<{ readonly chat: string; readonly answer: string }>
  }
}

const maxExamples = 5

export const stateOf = ({ breaker, pace, chats }: Gate): GateState => {
  const refused = refusedChats(chats)
  return {
    isOpen: isOpen(breaker),
    ...(pace && { perSecond: pace.perSecond }),
    ...(!isOpen(breaker) && breaker.failures > 0 && { failures: breaker.failures }),
    ...(refused.length > 0 && { refused: { chats: refused.length, examples: refused.slice(0, maxExamples) } }),
  }
}
