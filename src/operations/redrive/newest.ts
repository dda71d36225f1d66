/** Keeps the newest of what it is given, in bounded memory. */
export type Newest<A> = {
  readonly add: (item: A) => void
  readonly count: () => number
  /** The oldest first; what is of the same time, in the order in which it was added. */
  readonly items: () => ReadonlyArray<A>
}

export const newest = <A>(most: number, timeOf: (item: A) => number): Newest<A> => {
  let count = 0
  let kept: Array<A> = []
  const cut = () => {
    kept = kept.sort((a, b) => timeOf(a) - timeOf(b)).slice(-most)
    return kept
  }
  return {
    add: (item) => {
      count++
      if (kept.push(item) >= 2 * most) cut()
    },
    count: () => count,
    items: () => cut(),
  }
}
