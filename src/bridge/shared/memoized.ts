/**
 * Calls `work` until it has succeeded once, and gives this result from then on. Calls during a run share it. It rejects
 * also if `work` throws before it returns a promise.
 */
export const memoized = <A>(work: () => Promise<A>): (() => Promise<A>) => {
  let result: Promise<A> | undefined
  return () => {
    result ??= (async () => await work())().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}
