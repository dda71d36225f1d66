import { setTimeout as wait } from 'node:timers/promises'
import type { Recorder } from './recorder.ts'

/** Waits until this many more requests have ended, or the load has ended. It gives up if nothing responds. */
export const after = async (
  count: number,
  { sent }: Recorder,
  load: Promise<void>,
  withinMs = 8_000,
): Promise<void> => {
  const deadline = performance.now() + withinMs
  const until = sent() + count
  let over = false
  load.finally(() => {
    over = true
  })
  while (sent() < until && !over && performance.now() < deadline) await wait(10)
}

export { wait }
