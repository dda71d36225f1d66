import type { Sleep } from '../../shared/time.ts'

/** One timer for each key; times are ms of a monotonic clock. */
export type Timers = {
  /** Fires at this time, or at the time that was set before if that is earlier. */
  readonly set: (key: string, at: number) => void
  readonly clear: (key: string) => void
  readonly clearAll: () => void
}

export const keyedTimers = (sleep: Sleep, monotonic: () => number, onDue: (key: string) => void): Timers => {
  const known = new Map<string, { readonly at: number; readonly off: AbortController }>()

  const clear = (key: string) => {
    // A reason: the default one is an error, and its stack would cost more than the timer.
    known.get(key)?.off.abort('cleared')
    known.delete(key)
  }
  const wait = async (key: string, at: number, off: AbortController) => {
    await sleep(Math.max(0, at - monotonic()), off.signal)
    if (off.signal.aborted) return
    known.delete(key)
    onDue(key)
  }
  return {
    set: (key, at) => {
      if ((known.get(key)?.at ?? Number.POSITIVE_INFINITY) <= at) return
      clear(key)
      const off = new AbortController()
      known.set(key, { at, off })
      void wait(key, at, off)
    },
    clear,
    clearAll: () => {
      for (const key of [...known.keys()]) clear(key)
    },
  }
}
