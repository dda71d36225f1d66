import type { Result } from '../run-jobs.ts'
import { aligned, figureRows, goalRows } from './table.ts'

const wrong = ({ job, checks }: Result): ReadonlyArray<string> =>
  checks.flatMap(({ what, expected, found }) =>
    expected === found ? [] : [`✘ ${job}: ${what}: expected ${expected}, found ${found}`],
  )

/** All figures, what was not as it should be, and how the goals stand. */
export const printable = (results: ReadonlyArray<Result>): string =>
  [
    ...results.map((result) => `\n${result.job}: median (lowest – highest)\n${aligned(figureRows(result))}`),
    ...results.flatMap(wrong),
    `\n${aligned(goalRows(results))}\n`,
  ].join('\n')
