/** Disposing a permit releases it. */
export type Permit = Disposable
/**
 * Resolves with a permit when there is room for its weight (1 by default) or when the signal aborts. A permit that is
 * heavier than the limit is granted alone.
 */
export type Acquire = (signal?: AbortSignal, weight?: number) => Promise<Permit>

/** Grants permits up to this weight at the same time. Other callers wait in the order of their calls. */
export const semaphore = (limit: number): Acquire => {
  const waiting = new Set<{ readonly weight: number; readonly enter: () => void }>()
  let taken = 0
  const fits = (weight: number) => taken === 0 || taken + weight <= limit
  const giveBack = (weight: number) => {
    taken -= weight
    for (const next of waiting) {
      if (!fits(next.weight)) return
      next.enter()
    }
  }
  const take = (weight: number): Permit => {
    let held = true
    taken += weight
    return {
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        giveBack(weight)
      },
    }
  }
  return (signal, weight = 1) => {
    // Who gives up has no turn, so its permit has no weight.
    if (signal?.aborted) return Promise.resolve(take(0))
    if (waiting.size === 0 && fits(weight)) return Promise.resolve(take(weight))
    return new Promise((resolve) => {
      const leave = (granted: number) => {
        waiting.delete(waits)
        signal?.removeEventListener('abort', giveUp)
        resolve(take(granted))
      }
      const giveUp = () => leave(0)
      const waits = { weight, enter: () => leave(weight) }
      waiting.add(waits)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }
}

const never = new AbortController().signal

/** Runs at most so many pieces of work at the same time, in the order of the calls. */
export const limitConcurrency = (atOnce: number): (<A>(work: () => Promise<A>) => Promise<A>) => {
  const acquire = semaphore(atOnce)
  return async (work) => {
    using _permit = await acquire(never)
    return await work()
  }
}
