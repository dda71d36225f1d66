/** Counts what is in use of something limited. Who finds it spent waits until half of it is free again. */
export type Budget = {
  readonly take: (amount: number) => void
  readonly giveBack: (amount: number) => void
  readonly isSpent: () => boolean
  /** Calls `resume` once, when at most half of the budget is used. */
  readonly whenHalfFree: (resume: () => void) => void
}

export const budget = (atMost: number): Budget => {
  const waiting = new Set<() => void>()
  let spent = 0
  return {
    take: (amount) => {
      spent += amount
    },
    giveBack: (amount) => {
      spent -= amount
      if (spent > atMost / 2) return
      const all = [...waiting]
      waiting.clear()
      for (const resume of all) resume()
    },
    isSpent: () => spent > atMost,
    whenHalfFree: (resume) => waiting.add(resume),
  }
}
