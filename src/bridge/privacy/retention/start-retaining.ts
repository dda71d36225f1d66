import type { CheckHealth, Health } from '../../domain/checks.ts'
import { repeat } from '../../shared/repeat.ts'
import type { Sleep } from '../../shared/time.ts'
import { type Limited, type RetainDeps, retainer, type ServersNow } from './retain.ts'

type Running = RetainDeps & {
  readonly sleep: Sleep
  readonly reasonOf: (error: unknown) => string
}

const idleMs = 60_000
const busyMs = 1_000
/** What the servers said counts for this long. Each account asking them would be most of the work. */
const serversMs = 10_000

/** A late erasure delays no event, so the process is still ready. */
export const retainHealth = (trouble: string | undefined): Health =>
  trouble === undefined ? { ok: true, reason: 'up to date' } : { ok: true, isLimited: true, reason: trouble }

/**
 * Runs round after round, for at most a twentieth of the time. Accounts that have more than one round reads go on alone
 * for as long as the last visit of all accounts took. An account that fails does not delay the others.
 */
export const startRetaining = (accounts: ReadonlyArray<Limited>, deps: Running) => {
  const { sleep, log, reasonOf } = deps
  const { servers, round, finish } = retainer(deps)
  let trouble: string | undefined
  let unfinished: ReadonlyArray<Limited> = []
  let msForUnfinished = 0

  const failed = (error: unknown, of?: Limited): string => {
    const reason = reasonOf(error)
    log.warn({ ...(of && { accountId: of.id }), reason }, 'privacy.retainDays: persons cannot be erased; tried again')
    return of === undefined ? reason : `${of.id}: ${reason}`
  }
  const visit = async (those: ReadonlyArray<Limited>, signal: AbortSignal) => {
    const more: Limited[] = []
    let first: string | undefined
    let known: ServersNow | undefined
    let knownAt = Number.NEGATIVE_INFINITY
    for (const account of those) {
      if (signal.aborted) break
      if (performance.now() - knownAt > serversMs) {
        known = await servers()
        knownAt = performance.now()
      }
      if (known === undefined) break
      try {
        if (await round(account, known)) more.push(account)
      } catch (error) {
        first ??= failed(error, account)
      }
    }
    return { more, failure: first }
  }
  const stop = repeat(async (signal) => {
    const began = performance.now()
    const isForAll = unfinished.length === 0 || msForUnfinished <= 0
    const those = isForAll ? accounts : unfinished
    unfinished = []
    try {
      const ofOthers = await finish().then(() => undefined, failed)
      const { more, failure } = await visit(those, signal)
      unfinished = more
      trouble = failure ?? ofOthers ?? (isForAll ? undefined : trouble)
    } catch (error) {
      trouble = failed(error)
    }
    const took = performance.now() - began
    msForUnfinished = isForAll ? took : msForUnfinished - took
    return Math.max(unfinished.length > 0 ? busyMs : idleMs, 19 * took)
  }, sleep)
  const health: CheckHealth = () => retainHealth(trouble)
  return { health, stop }
}
