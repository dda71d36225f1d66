import { bulkhead } from 'cockatiel'
import type { Sleep } from '../../ports.ts'
import { begin, closed, failure, waitMs } from './breaker.ts'
import type { Verdict } from './classify.ts'

/** What stands between an account's replies and the service: slots, a breaker, and the service's own wish for a pause. */
export type AccountGate = {
  /** Runs the work in one of the account's slots, in the order of asking. */
  readonly inSlot: <A>(work: () => Promise<A>) => Promise<A>
  /** Resolves when an attempt may begin, when `withinMs` have passed, or when the signal aborts. */
  readonly open: (withinMs: number, signal: AbortSignal) => Promise<void>
  /** Begins an attempt of a chat unless the gate is closed; the answer ends it with its verdict. */
  readonly enter: (chat: string) => ((verdict: Verdict) => void) | undefined
}

const slots = 64
const pauseMs = 1000

const isOutage = (verdict: Verdict) => verdict.kind === 'retry' && verdict.why === 'outage'

/** Breaker and pause run on `monotonic` (ms); a 429 without Retry-After pauses the account for a second. */
export const accountGate = (monotonic: () => number, sleep: Sleep): AccountGate => {
  const places = bulkhead(slots, Number.POSITIVE_INFINITY)
  let breaker = closed
  let pausedUntil = 0
  let probeEnded = new AbortController()

  const remaining = () => Math.max(waitMs(breaker, monotonic()), pausedUntil - monotonic())
  const leave = (chat: string, isProbe: boolean) => (verdict: Verdict) => {
    breaker = isOutage(verdict) ? failure(breaker, chat, isProbe, monotonic()) : closed
    if (verdict.kind === 'retry' && verdict.why === 'throttled')
      pausedUntil = Math.max(pausedUntil, monotonic() + (verdict.retryAfterMs ?? pauseMs))
    if (!isProbe) return
    probeEnded.abort()
    probeEnded = new AbortController()
  }
  return {
    inSlot: (work) => places.execute(work),
    open: async (withinMs, signal) => {
      const until = monotonic() + withinMs
      while (!signal.aborted && remaining() > 0 && monotonic() < until)
        await sleep(Math.min(remaining(), until - monotonic()), AbortSignal.any([probeEnded.signal, signal]))
    },
    enter: (chat) => {
      if (remaining() > 0) return undefined
      breaker = begin(breaker)
      return leave(chat, breaker.probing)
    },
  }
}
