/** Calls `work` until it has succeeded once, and gives this result from then on. Calls during a run share it. */
export const memoized = <A>(work: () => Promise<A>): (() => Promise<A>) => {
  let result: Promise<A> | undefined
  return () => {
    result ??= work().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}
