import type { Sleep } from './time.ts'

/**
 * The promise's outcome, or that of `late` where the promise is not settled after so many milliseconds. The work behind the promise goes on;
 * its outcome is ignored.
 */
export const within = <A, B = A>(ms: number, promise: Promise<A>, late: () => B | Promise<B>): Promise<A | B> => {
  if (ms === Number.POSITIVE_INFINITY) return promise
  // Not with `Promise.race`, which costs several times as much, and this is done for each request and each record.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => {
        try {
          resolve(late())
        } catch (error) {
          reject(error)
        }
      },
      Math.max(0, ms),
    )
    promise.then(
      (result) => {
        clearTimeout(timer)
        resolve(result)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/** Waits for the promise to settle, in whatever way, and for so many milliseconds at most. */
export const settled = (promise: Promise<unknown>, ms: number): Promise<void> =>
  within(
    ms,
    promise.then(
      () => undefined,
      () => undefined,
    ),
    () => undefined,
  )

// A reason of its own: making an error with its stack would cost more than all else.
const over = 'over'

/** What the work resolves to; undefined where it rejects or takes longer than `ms`. Its signal aborts then. */
export const withDeadline = async <A>(
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
