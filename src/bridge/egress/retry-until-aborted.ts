import type { Log } from '../shared/log.ts'
import { reasonOf } from '../shared/reason.ts'
import { retry } from '../shared/retry.ts'
import type { Sleep } from '../shared/time.ts'

export type RetryPorts = { readonly sleep: Sleep; readonly random: () => number; readonly log: Log }

/** Retries the work until it succeeds, and logs each failure of `what`. Undefined if the signal aborts before that. */
export const retryUntilAborted = <A>(
  { sleep, random, log }: RetryPorts,
  what: string,
  work: () => Promise<A>,
  signal: AbortSignal,
): Promise<{ readonly value: A } | undefined> => {
  const onFailure = (error: unknown, failures: number) =>
    log.warn({ failures, reason: reasonOf(error) }, `egress: ${what} failed and will be retried`)
  return retry({ bounds: { baseMs: 200, capMs: 10_000 }, sleep, random, onFailure }, work, signal)
}
