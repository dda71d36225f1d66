import type { CheckHealth, Health } from '../../domain/checks.ts'
import { repeat } from '../../shared/repeat.ts'
import type { Sleep } from '../../shared/time.ts'
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
  let trouble: string | undefined
  const stop = repeat(async (signal) => {
    const began = performance.now()
    let isMore = false
    try {
      await finish()
      for (const account of accounts) isMore = (!signal.aborted && (await round(account))) || isMore
      trouble = undefined
    } catch (error) {
      trouble = reasonOf(error)
      log.warn({ reason: trouble }, 'privacy.retainDays: persons cannot be erased; tried again')
    }
    return Math.max(isMore ? busyMs : idleMs, 19 * (performance.now() - began))
  }, sleep)
  const health: CheckHealth = () => retainHealth(trouble)
  return { health, stop }
}
