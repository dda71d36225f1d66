import { setTimeout as wait } from 'node:timers/promises'

/** How far each partition is read, and where it ends; by `topic/partition`. */
export type Sample = { readonly done: ReadonlyMap<string, number>; readonly ends: ReadonlyMap<string, number> }

const everyMs = 100

/** The longest time in ms for which each partition had records that nobody had finished with, without any progress. */
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

/** Samples while something happens, and for so long as `until` says. */
export const watching = async (sample: () => Promise<Sample>, what: () => Promise<unknown>) => {
  const samples: Array<Sample & { readonly at: number }> = []
  let over = false
  const sampling = (async () => {
    while (!over) {
      // The answer is at least as old as the question.
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
