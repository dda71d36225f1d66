/** Resolves after so many milliseconds, or at once when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

/** Replaces node:timers/promises: for each aborted sleep that creates an error, which costs more than the sleep. */
export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.max(0, ms))
    signal?.addEventListener('abort', end)
  })

const { timeOrigin } = performance
/** In ms. It never decreases within a process. */
export const monotonic = (): number => timeOrigin + performance.now()

export const hourMs = 60 * 60 * 1000
export const dayMs = 24 * hourMs
