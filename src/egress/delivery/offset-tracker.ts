/** How far a partition's commands are finished when they finish in any order. */
export type OffsetTracker = {
  /** False for an offset that was taken before. */
  readonly take: (offset: number) => boolean
  /** The offset up to which everything is finished, where this has moved it. */
  readonly finish: (offset: number) => number | undefined
}

/** Offsets are taken in rising order; the answer of `finish` never reaches an offset that is taken and unfinished. */
export const offsetTracker = (): OffsetTracker => {
  const unfinished = new Set<number>()
  let newest = -1
  let mark = -1
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
      const [oldest] = unfinished
      const upTo = oldest === undefined ? newest : oldest - 1
      if (upTo <= mark) return undefined
      mark = upTo
      return upTo
    },
  }
}
