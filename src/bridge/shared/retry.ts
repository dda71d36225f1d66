import { type Bounds, backoff } from './backoff.ts'
import type { Sleep } from './time.ts'

type RetryPolicy = {
  readonly bounds: Bounds
  readonly sleep: Sleep
  readonly random: () => number
  /** Called after each failure, with the number of failures in a row so far. */
  readonly onFailure: (error: unknown, failures: number) => void
}

/** Repeats the work with backoff until it succeeds. Undefined when the signal aborts before that. */
export const retry = async <A>(
  { bounds, sleep, random, onFailure }: RetryPolicy,
  work: () => Promise<A>,
  signal: AbortSignal,
): Promise<{ readonly value: A } | undefined> => {
  for (let failures = 1; ; failures++) {
    try {
      return { value: await work() }
    } catch (error) {
      onFailure(error, failures)
    }
    if (signal.aborted) return undefined
    await sleep(backoff(failures, bounds, random), signal)
  }
}
