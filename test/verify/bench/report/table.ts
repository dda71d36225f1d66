import type { Measurement } from '../bench.ts'
import type { Result } from '../run-jobs.ts'
import { summary } from '../statistics.ts'
import { type Goal, goals, reached, verdictOf } from './goals.ts'
import { number, spread } from './number.ts'

const bound = ({ sense }: Goal, value: number | undefined) =>
  value === undefined ? '' : `${sense === 'at least' ? '≥' : '≤'} ${value}`

type Row = ReadonlyArray<string>

export const markdown = ([head = [], ...rows]: ReadonlyArray<Row>): string =>
  [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** Job, must, aim, measured, spread: for the jobs that have results. */
export const goalRows = (results: ReadonlyArray<Result>): ReadonlyArray<Row> => [
  ['job', 'must', 'aim', 'measured', 'spread', ''],
  ...goals
    .filter(({ job }) => results.some((result) => result.job === job))
    .map((goal) => {
      const { job, text, must, aim } = goal
      const { median, min, max, rounds } = summary(reached(results, goal))
      const range = rounds > 1 ? `${number(min)} – ${number(max)}` : ''
      const verdict = rounds === 0 ? 'not measured' : verdictOf(goal, median)
      return [`${job}: ${text}`, bound(goal, must), bound(goal, aim), number(median), range, verdict]
    }),
]

const key = ({ case: of, who }: Measurement) => JSON.stringify([of, who])

/** All figures of a job: a line for each case and participant, a column for each metric. */
export const figureRows = ({ measurements }: Result): ReadonlyArray<Row> => {
  const columns = [...new Map(measurements.map(({ metric, unit }) => [`${metric}, ${unit}`, metric])).entries()]
  const rows = Map.groupBy(measurements, key)
  return [
    ['case', 'who', ...columns.map(([title]) => title)],
    ...[...rows.values()].map((row) => [
      row[0]?.case ?? '',
      row[0]?.who ?? '',
      ...columns.map(([title]) => {
        const found = row.find(({ metric, unit }) => `${metric}, ${unit}` === title)
        return found === undefined ? '' : spread(found.values)
      }),
    ]),
  ]
}

/** For a terminal: the same columns, aligned. */
export const aligned = (rows: ReadonlyArray<Row>): string => {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => [...(row[i] ?? '')].length)))
  return rows
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    )
    .join('\n')
}
