/** The median, the lowest and the highest of the rounds, and their number. */
export type Summary = { readonly median: number; readonly min: number; readonly max: number; readonly rounds: number }

const median = (sorted: ReadonlyArray<number>): number => {
  const at = (index: number) => sorted[index] ?? Number.NaN
  const half = (sorted.length - 1) / 2
  return (at(Math.floor(half)) + at(Math.ceil(half))) / 2
}

export const summary = (values: ReadonlyArray<number>): Summary => {
  const sorted = values.toSorted((a, b) => a - b)
  return {
    median: median(sorted),
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
    rounds: sorted.length,
  }
}

/** Round by round, since a disturbance of a round affects all its measurements. */
export const ratios = (of: ReadonlyArray<number>, against: ReadonlyArray<number>): ReadonlyArray<number> =>
  of.slice(0, against.length).map((value, round) => value / (against[round] ?? Number.NaN))
