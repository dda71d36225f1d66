import { setImmediate } from 'node:timers/promises'
import type { Instant } from '../../../contracts/primitives.ts'
import type { Sleep } from '../../../src/bridge/shared/time.ts'

type Timer = { readonly due: number; readonly ring: () => void }

/** A clock whose time passes only when `pass` is called. */
export const virtualClock = () => {
  let at = Date.parse('2026-01-31T12:00:00.000Z')
  const timers = new Set<Timer>()
  const sleep: Sleep = (ms, signal) =>
    new Promise((resolve) => {
      const timer = { due: at + ms, ring: resolve }
      timers.add(timer)
      signal?.addEventListener('abort', () => {
        timers.delete(timer)
        resolve()
      })
    })
  const pass = async (ms: number) => {
    const end = at + ms
    for (;;) {
      const next = [...timers].toSorted((a, b) => a.due - b.due)[0]
      if (next === undefined || next.due > end) break
      at = Math.max(at, next.due)
      timers.delete(next)
      next.ring()
      await setImmediate()
    }
    at = end
  }
  return { sleep, pass, now: () => new Date(at).toISOString() as Instant }
}
