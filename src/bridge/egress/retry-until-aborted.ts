import { backoff } from '../shared/backoff.ts'
import { reasonOf } from '../shared/fault.ts'
import type { Log } from '../shared/log.ts'
import type { Sleep } from '../shared/time.ts'

export type RetryPorts = { readonly sleep: Sleep; readonly random: () => number; readonly log: Log }

const pauses = { baseMs: 200, capMs: 10_000 }

/**
 * Repeats the work with backoff until it succeeds, and logs each failure of `what`. Undefined if the signal aborts
 * before that.
 */
export const retryUntilAborted = async <A>(
  { sleep, random, log }: RetryPorts,
  what: string,
  work: () => Promise<A>,
  signal: AbortSignal,
): Promise<{ readonly value: A } | undefined> => {
  for (let failures = 1; ; failures++) {
    try {
      return { value: await work() }
    } catch (error) {
      log.warn({ failures, reason: reasonOf(error) }, `egress: ${what} failed and will be retried`)
    }
    if (signal.aborted) return undefined
    await sleep(backoff(failures, pauses, random), signal)
  }
}
