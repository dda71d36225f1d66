/**
 * The promise's outcome, or that of `late` when it has none after so many milliseconds, if ever; what the promise stands for goes
 * on unheard.
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
