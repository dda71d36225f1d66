/** Given back when it is disposed. */
export type Permit = Disposable
/** Resolves when a permit is free, or the signal has aborted. */
export type Acquire = (signal: AbortSignal) => Promise<Permit>

/** Gives out so many permits at once; the others wait in the order of their calls. */
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
