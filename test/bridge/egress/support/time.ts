import type { Instant } from '../../../../contracts/primitives.ts'
import type { Sleep } from '../../../../src/bridge/shared/time.ts'

type Timer = { readonly at: number; readonly wake: () => void }

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const start = '2026-01-31T12:00:00.000Z'

/** A clock that stands still until no work is left, then jumps to the next timer. `onTurn` adds work to each turn. */
export const virtualTime = (onTurn: () => Promise<void> = async () => undefined) => {
  const timers = new Set<Timer>()
  let ms = 0

  const sleep: Sleep = (duration, signal) =>
    new Promise((resolve) => {
      const wake = () => {
        timers.delete(timer)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const timer: Timer = { at: ms + Math.max(0, duration), wake }
      if (signal?.aborted) return resolve()
      timers.add(timer)
      signal?.addEventListener('abort', wake)
    })
  const next = () =>
    [...timers].reduce<Timer | undefined>((a, b) => (a !== undefined && a.at <= b.at ? a : b), undefined)

  /** Runs all work that needs no time to pass. */
  const settle = async () => {
    for (let i = 0; i < 4; i += 1) {
      await turn()
      await onTurn()
    }
  }
  /** Lets time pass until the condition holds; throws if no timer is left. */
  const until = async (condition: () => boolean, what = 'the condition') => {
    for (await settle(); !condition(); await settle()) {
      const timer = next()
      if (timer === undefined) throw new Error(`nothing is left to happen, and ${what} does not hold`)
      ms = Math.max(ms, timer.at)
      timer.wake()
    }
  }
  /** Lets time pass until the promise resolves. */
  const resolved = async (promise: Promise<void>) => {
    let isResolved = false
    void promise.then(() => {
      isResolved = true
    })
    await until(() => isResolved)
  }
  /** Lets this many ms pass. */
  const pass = (duration: number) => resolved(sleep(duration))
  return {
    sleep,
    settle,
    until,
    resolved,
    pass,
    monotonic: () => ms,
    now: () => new Date(Date.parse(start) + ms).toISOString() as Instant,
  }
}
