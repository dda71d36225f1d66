import type { Sleep } from './time.ts'

/**
 * The promise's outcome, or the outcome of `late` when the promise is not settled after so many milliseconds. In that
 * case the work behind the promise continues, but its outcome is ignored.
 */
export const within = <A, B = A>(ms: number, promise: Promise<A>, late: () => B | Promise<B>): Promise<A | B> => {
  if (ms === Number.POSITIVE_INFINITY) return promise
  // `Promise.race` costs several times as much, and this code runs for each request and each record.
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

/** Waits until the promise resolves or rejects, at most for so many milliseconds. */
export const settled = (promise: Promise<unknown>, ms: number): Promise<void> =>
  within(
    ms,
    promise.then(
      () => undefined,
      () => undefined,
    ),
    () => undefined,
  )

// An explicit reason: the default one is an error, and its stack would cost more than the rest.
const over = 'over'

/** The work's result, or undefined if the work rejects or takes longer than `ms`. Its signal aborts at the end. */
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
