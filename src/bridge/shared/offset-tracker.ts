/** Tracks up to which offset a partition's records are finished, when they finish in any order. */
type OffsetTracker = {
  /** False for an offset that was taken before. */
  readonly take: (offset: number) => boolean
  /** The offset up to which everything is finished, if this call has moved it. */
  readonly finish: (offset: number) => number | undefined
}

/** Offsets are taken in rising order. `finish` never returns an unfinished offset or one after it. */
export const offsetTracker = (): OffsetTracker => {
  const unfinished = new Set<number>()
  // One iterator for all calls: a new one would pass over every entry that was deleted before the oldest. It is asked
  // only while an offset is unfinished, so it never ends.
  const inOrder = unfinished.values()
  let oldest: number | undefined
  let newest = -1
  let mark = -1

  const oldestAfter = (finished: number): number | undefined => {
    if (unfinished.size === 0) oldest = undefined
    else if (oldest === undefined || oldest === finished) oldest = inOrder.next().value
    return oldest
  }
  return {
    take: (offset) => {
      if (offset <= newest) return false
      if (newest === -1) mark = offset - 1
      newest = offset
      unfinished.add(offset)
      return true
    },
    finish: (offset) => {
      if (!unfinished.delete(offset)) return undefined
      const next = oldestAfter(offset)
      const upTo = next === undefined ? newest : next - 1
      if (upTo <= mark) return undefined
      mark = upTo
      return upTo
    },
  }
}
