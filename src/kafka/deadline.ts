import { within } from '../within.ts'

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
