import type { Series } from '../bench.ts'
import { axis, colourOf, draw } from './canvas.ts'

export type LinesOf = { readonly title: string; readonly metric: RegExp; readonly series: ReadonlyArray<Series> }

/** A figure over time, a line for each participant, from zero. */
export const lines = ({ title, metric, series }: LinesOf): string | undefined => {
  const shown = series.filter((each) => metric.test(each.metric))
  const [first] = shown
  if (first === undefined) return undefined
  const people = shown.map(({ who }) => who)
  return draw(title, {
    xAxis: { ...axis('time, s'), nameGap: 32, type: 'value' },
    yAxis: { ...axis(first.unit), nameGap: 56, type: 'value', min: 0 },
    series: shown.map(({ who, points }) => ({
      type: 'line',
      name: who,
      showSymbol: false,
      data: points,
      lineStyle: { width: 2.5 },
      itemStyle: { color: colourOf(who, people) },
    })),
  })
}
