import type { Sleep } from './time.ts'

/**
 * Works again and again, each time after the pause in ms that the work resolves with. The returned function stops it,
 * and resolves when no work is running any more.
 */
export const repeat = (work: (signal: AbortSignal) => Promise<number>, sleep: Sleep): (() => Promise<void>) => {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    while (!signal.aborted) await sleep(await work(signal), signal)
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}

/** Work that `start` begins, at most once. A stop is final: a start that comes later does nothing. */
export const startedOnce = <Given extends ReadonlyArray<unknown>>(begin: (...given: Given) => () => Promise<void>) => {
  let end: (() => Promise<void>) | undefined
  let ended: Promise<void> | undefined
  return {
    start: (...given: Given): void => {
      if (ended === undefined) end ??= begin(...given)
    },
    stop: (): Promise<void> => {
      ended ??= end?.() ?? Promise.resolve()
      return ended
    },
  }
}
