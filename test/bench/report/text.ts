import type { Measurement } from '../bench.ts'
import type { Result } from '../run-jobs.ts'
import { summary } from '../statistics.ts'

/** Three figures, and no more noughts than that. */
export const number = (value: number): string => {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

/** `5,800 (5,600 – 6,100)`. */
export const spread = (values: ReadonlyArray<number>): string => {
  const { median, min, max, rounds } = summary(values)
  return rounds === 1 ? number(median) : `${number(median)} (${number(min)} – ${number(max)})`
}

const line = ({ case: of, who, metric, unit, values }: Measurement): string =>
  `  ${of.padEnd(28)} ${who.padEnd(28)} ${metric.padEnd(20)} ${spread(values)} ${unit}`

const wrong = ({ checks }: Result): ReadonlyArray<string> =>
  checks.flatMap(({ what, expected, found }) =>
    expected === found ? [] : [`  ✘ ${what}: expected ${expected}, found ${found}`],
  )

/** All figures, and what was not as it should be. */
export const printable = (results: ReadonlyArray<Result>): string =>
  results
    .map((result) =>
      [`\n${result.job}: median (lowest – highest)`, ...result.measurements.map(line), ...wrong(result)].join('\n'),
    )
    .join('\n')
