import type { Result } from '../run-jobs.ts'
import { aligned, figureRows, goalRows } from './table.ts'

/** All figures, and how the goals stand. */
export const printable = (results: ReadonlyArray<Result>): string =>
  [
    ...results.map((result) => `\n${result.job}: median (lowest – highest)\n${aligned(figureRows(result))}`),
    `\n${aligned(goalRows(results))}\n`,
  ].join('\n')
