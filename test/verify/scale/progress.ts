import { setTimeout as wait } from 'node:timers/promises'

/** The handled offset and the end of each partition, by `topic/partition`. */
export type Sample = { readonly done: ReadonlyMap<string, number>; readonly ends: ReadonlyMap<string, number> }

const everyMs = 100

/** For each partition, the longest time in ms without progress while it had unhandled records. */
export const stalls = (samples: ReadonlyArray<Sample & { readonly at: number }>): ReadonlyMap<string, number> => {
  const longest = new Map<string, number>()
  const since = new Map<string, { readonly at: number; readonly done: number }>()
  for (const { at, done, ends } of samples)
    for (const [name, end] of ends) {
      const position = done.get(name) ?? 0
      const before = since.get(name)
      if (before === undefined || position > before.done || position >= end) since.set(name, { at, done: position })
      else longest.set(name, Math.max(longest.get(name) ?? 0, at - before.at))
    }
  return longest
}

/** Takes samples until `what` has ended, and returns the stalls. */
export const watching = async (sample: () => Promise<Sample>, what: () => Promise<unknown>) => {
  const samples: Array<Sample & { readonly at: number }> = []
  let over = false
  const sampling = (async () => {
    while (!over) {
      // The time before the request: the sample is not older than this.
      const at = performance.now()
      samples.push({ at, ...(await sample()) })
      await wait(everyMs)
    }
  })()
  await what()
  over = true
  await sampling
  return stalls(samples)
}
