import type { Result } from '../run-jobs.ts'
import { aligned, figureRows, goalRows } from './table.ts'

/** All figures. */
export const figuresText = (results: ReadonlyArray<Result>): string =>
  results.map((result) => `\n${result.job}: median (lowest – highest)\n${aligned(figureRows(result))}`).join('\n')

/** The state of the goals. */
export const goalsText = (results: ReadonlyArray<Result>): string => `\n${aligned(goalRows(results))}\n`
