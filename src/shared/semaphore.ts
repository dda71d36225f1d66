/** Disposing a permit releases it. */
export type Permit = Disposable
/** Resolves with a permit when one is free or when the signal aborts. */
export type Acquire = (signal: AbortSignal) => Promise<Permit>

/** Grants at most so many permits at the same time. Other callers wait in the order of their calls. */
export const semaphore = (atOnce: number): Acquire => {
  const waiting = new Set<() => void>()
  let taken = 0
  const giveBack = () => {
    taken--
    const [next] = waiting
    next?.()
  }
  const take = (): Permit => {
    let held = true
    taken++
    return {
      [Symbol.dispose]: () => {
        if (held) giveBack()
        held = false
      },
    }
  }
  return (signal) => {
    if (taken < atOnce || signal.aborted) return Promise.resolve(take())
    return new Promise((resolve) => {
      const enter = () => {
        waiting.delete(enter)
        signal.removeEventListener('abort', enter)
        resolve(take())
      }
      waiting.add(enter)
      signal.addEventListener('abort', enter, { once: true })
    })
  }
}
