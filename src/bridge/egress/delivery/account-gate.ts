import { limitConcurrency } from '../../shared/semaphore.ts'
import type { Sleep } from '../../shared/time.ts'
import type { Verdict } from './classify.ts'
import {
  type Entrant,
  enterGate,
  type GateState,
  type Grant,
  gateAt,
  gateWaitMs,
  grantRetry,
  leaveGate,
  newGate,
  stateOf,
} from './gate.ts'
import { heldUp } from './pace.ts'

/** What is between an account's replies and the service: slots, the lines that wait for them, and the gate. */
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

type Deps = {
  readonly monotonic: () => number
  readonly sleep: Sleep
  readonly requestsPerSecond?: number | undefined
}

const slots = 64
const budgetLookMs = 500

/** The invitations of the last resort that wait for an attempt: their slots, and the order of their chats. */
const lastResortLine = () => {
  const inPlace = limitConcurrency(slots)
  const chats = new Set<string>()
  return {
    isNext: ({ chat, isLastResort }: Entrant): boolean => {
      const [next = chat] = chats
      return isLastResort && next === chat
    },
    leave: (chat: string) => chats.delete(chat),
    /** `ended` is called when the work has ended. */
    run: <A>(chat: string, work: () => Promise<A>, ended: () => void): Promise<A> =>
      inPlace(async () => {
        chats.add(chat)
        try {
          return await work()
        } finally {
          chats.delete(chat)
          ended()
        }
      }),
  }
}

export const accountGate = ({ monotonic, sleep, requestsPerSecond }: Deps): AccountGate => {
  const inPlace = limitConcurrency(slots)
  const inRetryLine = limitConcurrency(1)
  const lastResort = lastResortLine()
  let gate = newGate(requestsPerSecond, monotonic())
  let woken = new AbortController()

  /** Lets those who wait look again. */
  const wake = () => {
    woken.abort()
    woken = new AbortController()
  }
  const remainingMs = (entrant: Entrant) => {
    const now = monotonic()
    gate = gateAt(gate, now)
    return gateWaitMs(gate, lastResort.isNext(entrant), now)
  }
  return {
    inSlot: ({ chat, isLastResort }, work) => (isLastResort ? lastResort.run(chat, work, wake) : inPlace(work)),
    grantRetry: (isLastResort, withinMs, signal) => {
      const until = monotonic() + withinMs
      const granted = async () => {
        while (!signal.aborted && monotonic() < until) {
          const at = monotonic()
          const after = grantRetry(gate, isLastResort, at)
          if (after !== undefined) {
            gate = after
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
      for (let waits = 0; !signal.aborted && remainingMs(entrant) > 0 && monotonic() < until; waits += 1) {
        // Another attempt was first. The pace has delayed a first attempt, so it is still needed. Retries that wait for
        // each other do not show that.
        if (waits > 0 && entrant.grant === undefined && gate.pace !== undefined)
          gate = { ...gate, pace: heldUp(gate.pace, monotonic()) }
        await sleep(Math.min(remainingMs(entrant), until - monotonic()), AbortSignal.any([woken.signal, signal]))
      }
    },
    enter: (entrant) => {
      if (remainingMs(entrant) > 0) return undefined
      const begunAt = monotonic()
      if (entrant.isLastResort) lastResort.leave(entrant.chat)
      gate = enterGate(gate, entrant, begunAt)
      const attempt = { number: gate.breaker.begun, chat: entrant.chat, wasProbe: gate.breaker.probing }
      return (verdict) => {
        gate = leaveGate(gate, attempt, entrant, verdict, begunAt, monotonic())
        if (attempt.wasProbe) wake()
      }
    },
    state: () => stateOf(gateAt(gate, monotonic())),
  }
}
