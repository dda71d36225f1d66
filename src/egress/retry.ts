import type { Log, Sleep } from '../domain/ports.ts'
import { retry } from '../shared/retry.ts'

/** Given as it is: an error for each, with its stack, would cost more than the rest. */
const over = 'over'

export type RetryPorts = { readonly sleep: Sleep; readonly random: () => number; readonly log: Log }

/** What the work resolves to, or undefined when that takes longer or fails; then its signal aborts. */
export const within = async <A>(
  sleep: Sleep,
  ms: number,
  work: (given: AbortSignal) => Promise<A>,
): Promise<{ readonly value: A } | undefined> => {
  const settled = new AbortController()
  const late = new AbortController()
  let result: { readonly value: A } | undefined
  work(late.signal)
    .then(
      (value) => {
        result = { value }
      },
      () => undefined,
    )
    .finally(() => settled.abort(over))
  await sleep(ms, settled.signal)
  late.abort(over)
  return result
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Does the work again until it succeeds or the signal aborts (then undefined), and logs each failure. */
export const retryUntilAborted = <A>(
  { sleep, random, log }: RetryPorts,
  what: string,
  work: () => Promise<A>,
  signal: AbortSignal,
): Promise<{ readonly value: A } | undefined> => {
  const onFailure = (error: unknown, failures: number) =>
    log.warn({ what, failures, reason: reasonOf(error) }, 'egress: failed, to be tried again')
  return retry({ bounds: { baseMs: 200, capMs: 10_000 }, sleep, random, onFailure }, work, signal)
}
