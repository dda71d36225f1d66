import type { CheckHealth, Health, Sleep } from '../../domain/ports.ts'
import { type Limited, type RetainDeps, retainer } from './retain.ts'

type Running = RetainDeps & {
  readonly sleep: Sleep
  readonly reasonOf: (error: unknown) => string
}

const idleMs = 60_000
const busyMs = 1_000

/** A late erasure delays no event, so the process is still ready. */
export const retainHealth = (trouble: string | undefined): Health =>
  trouble === undefined ? { ok: true, reason: 'up to date' } : { ok: true, isLimited: true, reason: trouble }

/** Runs round after round, for at most a twentieth of the time. */
export const startRetaining = (accounts: ReadonlyArray<Limited>, deps: Running) => {
  const { sleep, log, reasonOf } = deps
  const { round, finish } = retainer(deps)
  const stopping = new AbortController()
  let trouble: string | undefined
  const run = async () => {
    while (!stopping.signal.aborted) {
      const began = performance.now()
      let isMore = false
      try {
        await finish()
        for (const account of accounts) isMore = (!stopping.signal.aborted && (await round(account))) || isMore
        trouble = undefined
      } catch (error) {
        trouble = reasonOf(error)
        log.warn({ reason: trouble }, 'privacy.retainDays: persons cannot be erased; tried again')
      }
      const spent = performance.now() - began
      await sleep(isMore ? Math.max(busyMs, 19 * spent) : Math.max(idleMs, 19 * spent), stopping.signal)
    }
  }
  const running = run()
  const health: CheckHealth = () => retainHealth(trouble)
  return {
    health,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
