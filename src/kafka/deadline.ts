/** The promise's outcome, or that of `late` when it has none after so many milliseconds, if ever; it then goes on unheard. */
export const withDeadline = <A>(promise: Promise<A>, ms: number, late: () => A | Promise<A>): Promise<A> => {
  if (ms === Number.POSITIVE_INFINITY) return promise
  const { promise: outcome, resolve, reject } = Promise.withResolvers<A>()
  const timer = setTimeout(() => {
    try {
      resolve(late())
    } catch (error) {
      reject(error)
    }
  }, ms)
  promise.then(resolve, reject).finally(() => clearTimeout(timer))
  return outcome
}

/** Waits for the promise to settle, in whatever way, and for so many milliseconds at most. */
export const settled = (promise: Promise<unknown>, ms: number): Promise<void> =>
  withDeadline(
    promise.then(
      () => undefined,
      () => undefined,
    ),
    ms,
    () => undefined,
  )
