import type { Health } from '../bridge/domain/checks.ts'
import type { Log } from '../bridge/shared/log.ts'
import type { Sleep } from '../bridge/shared/time.ts'

/** When something stopped working, by its name, or 'works'. What has never worked is absent: it is still starting. */
type Known = ReadonlyMap<string, number | 'works'>
type Change =
  | { readonly name: string; readonly is: 'broken'; readonly reason: string }
  | { readonly name: string; readonly is: 'works again'; readonly brokenMs: number }

/** What has changed since the last check, and what is known now. `at` is a monotonic time in ms. */
export const changesSince = (
  known: Known,
  checks: Readonly<Record<string, Health>>,
  at: number,
): readonly [Known, ReadonlyArray<Change>] => {
  const next = new Map(known)
  const changes: Change[] = []
  for (const [name, { ok, reason }] of Object.entries(checks)) {
    const before = known.get(name)
    if (ok) {
      next.set(name, 'works')
      if (typeof before === 'number') changes.push({ name, is: 'works again', brokenMs: at - before })
    } else if (before === 'works') {
      next.set(name, at)
      changes.push({ name, is: 'broken', reason })
    }
  }
  return [next, changes]
}

const checkEveryMs = 5_000

type Deps = {
  readonly read: () => Promise<Readonly<Record<string, Health>>>
  readonly log: Log
  readonly sleep: Sleep
  /** A monotonic clock, in ms. */
  readonly monotonic: () => number
}

/**
 * Looks at the health of the process until `ending`, and logs one line when a dependency or a role stops working and
 * one when it works again. So the log has the beginning and the end of each outage, however many partitions it
 * concerns.
 */
export const logOutages = async ({ read, log, sleep, monotonic }: Deps, ending: AbortSignal): Promise<void> => {
  let known: Known = new Map()
  while (!ending.aborted) {
    const [next, changes] = changesSince(known, await read(), monotonic())
    if (ending.aborted) return
    known = next
    for (const change of changes)
      if (change.is === 'broken') log.warn({ check: change.name, reason: change.reason }, 'a check fails')
      else
        log.info(
          { check: change.name, seconds: Math.round(change.brokenMs / 1000) },
          'a check that has failed succeeds again',
        )
    await sleep(checkEveryMs, ending)
  }
}
