import { Chart, type Line } from '../../browser/chart.tsx'
import { daysBetween, type Row, valueText } from '../../browser/figures.ts'
import { count, dayText, shortDayText } from '../../browser/format.ts'
import { Card, Select } from '../../browser/parts.tsx'
import { figureName } from '../../browser/words.ts'
import type { Shown } from './figure-table.tsx'
import type { StatisticsAnswer } from './page.ts'
import { valuesOf } from './statistics.ts'
import { busiestFirst } from './team-words.ts'

const maxLines = 5

const seconds = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1_000
const dayAt = (time: number) => new Date(time * 1_000).toISOString().slice(0, 10)

type Props = Shown & {
  /** Of the period before, for the dashed line. */
  readonly before: StatisticsAnswer | undefined
  readonly choose: (part: Readonly<Record<string, string>>) => void
}

/** One figure by day, as a chart. */
export const FigureChart = ({ answer, before, totals, figures, shown, nameOf, today, choose }: Props) => {
  const days = daysBetween(answer.from, answer.to)
  const lineOf = (rows: ReadonlyArray<Row>, of: ReadonlyArray<string>) => valuesOf(rows, of, shown, today)
  const lines: ReadonlyArray<Line> =
    answer.by === 'day'
      ? [
          { name: figureName(shown.name), values: lineOf(answer.rows, days) },
          ...(before === undefined || before.rows.length === 0
            ? []
            : [
                {
                  name: 'previous period',
                  values: lineOf(before.rows, daysBetween(before.from, before.to)),
                  isDashed: true,
                },
              ]),
        ]
      : busiestFirst(totals)
          .slice(0, maxLines)
          .map(({ id, rows }) => ({ name: nameOf(id), values: lineOf(rows, days) }))
  return (
    <Card title={figureName(shown.name)} id="chart">
      <p class="definition-text">{shown.definition}</p>
      <Select
        label="Figure"
        value={shown.name}
        onChange={(name) => choose({ figure: name })}
        options={figures.map((each) => [each.name, figureName(each.name)])}
      />
      {lines.every(({ values }) => values.every((value) => value === null)) ? (
        <p class="muted">A day is drawn once it is over.</p>
      ) : (
        <Chart
          label={`${figureName(shown.name)} by day from ${answer.from} to ${answer.to}; the table below has the numbers`}
          times={days.map(seconds)}
          lines={lines}
          text={(value) => valueText(value, shown.unit)}
          timeText={(time) => dayText(dayAt(time))}
          shortText={(time) => shortDayText(dayAt(time))}
          isDaily
          isDuration={shown.unit === 'duration'}
        />
      )}
      {totals.length > maxLines && answer.by !== 'day' && (
        <p class="muted">
          The busiest {maxLines} of {count(totals.length)} are drawn.
        </p>
      )}
    </Card>
  )
}
