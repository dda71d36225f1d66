import type { EgressPorts } from '../ports.ts'
import {
  type Entrant,
  enterGate,
  type GateState,
  gateAt,
  holdUp,
  leaveGate,
  leaveUnused,
  lineWaitMs,
  newGate,
  nextOf,
  type Result,
  stateOf,
} from './gate.ts'
import { isOthersTaken } from './refused-chats.ts'

/** An attempt that may be made now. The caller must end it, without a result if it was not made. */
export type AttemptPermit = { readonly number: number; readonly end: (result?: Result) => void }

/** The line of an account's replies that wait for an attempt, and the gate. */
export type AccountGate = {
  /** Resolves when it is this entrant's turn. Undefined after `withinMs` or an abort. */
  readonly enter: (entrant: Entrant, withinMs: number, signal: AbortSignal) => Promise<AttemptPermit | undefined>
  /** Whether the service has taken another chat since this attempt of a chat failed, with the same token. */
  readonly isOthersTaken: (number: number, token: number) => boolean
  readonly state: () => GateState
}

type Waiting = Entrant & { readonly begin: (permit: AttemptPermit) => void }

export const accountGate = (
  { monotonic, sleep }: Pick<EgressPorts, 'monotonic' | 'sleep'>,
  requestsPerSecond?: number,
): AccountGate => {
  const line = new Set<Waiting>()
  let gate = newGate(requestsPerSecond, monotonic())
  let timer: { readonly at: number; readonly off: AbortController } | undefined

  const begin = (next: Waiting, now: number) => {
    const [entered, attempt] = enterGate(gate, next, now)
    gate = entered
    let hasEnded = false
    next.begin({
      number: attempt.number,
      end: (result) => {
        if (hasEnded) return
        hasEnded = true
        const at = monotonic()
        gate = result === undefined ? leaveUnused(gate, attempt, at) : leaveGate(gate, attempt, result, at)
        admit()
      },
    })
  }
  const admit = () => {
    for (;;) {
      const now = monotonic()
      gate = gateAt(gate, now)
      const next = nextOf(gate, line, now)
      if (next === undefined) return admitIn(lineWaitMs(gate, line, now), now)
      line.delete(next)
      begin(next, now)
      if (gate.pace !== undefined && [...line].some(({ isRepeated }) => !isRepeated)) gate = holdUp(gate, now)
    }
  }
  /** The end of an attempt admits the next one too, so no timer is needed for that. */
  const admitIn = (ms: number, now: number) => {
    const at = now + ms
    if (timer !== undefined && timer.at <= at) return
    timer?.off.abort('replaced')
    timer = undefined
    if (ms === Number.POSITIVE_INFINITY) return
    const off = new AbortController()
    timer = { at, off }
    void sleep(ms, off.signal).then(() => {
      if (off.signal.aborted) return
      timer = undefined
      admit()
    })
  }
  return {
    enter: (entrant, withinMs, signal) => {
      if (signal.aborted || withinMs <= 0) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const over = new AbortController()
        const waiting: Waiting = {
          ...entrant,
          begin: (permit) => {
            over.abort('begun')
            resolve(permit)
          },
        }
        line.add(waiting)
        admit()
        if (!line.has(waiting)) return
        void sleep(withinMs, AbortSignal.any([over.signal, signal])).then(() => {
          line.delete(waiting)
          resolve(undefined)
        })
      })
    },
    isOthersTaken: (number, token) => isOthersTaken(gate.chats, number, token),
    state: () => stateOf(gateAt(gate, monotonic())),
  }
}
