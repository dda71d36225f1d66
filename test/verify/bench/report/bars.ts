import type { Measurement } from '../bench.ts'
import { summary } from '../statistics.ts'
import { axis, colourOf, draw, ink, legend, text } from './canvas.ts'
import { compact } from './number.ts'

export type BarsOf = {
  readonly title: string
  readonly metric: string
  readonly cases: RegExp
  /** For figures that differ by more than a factor of ten. */
  readonly logarithmic?: boolean
  readonly measurements: ReadonlyArray<Measurement>
}

type Api = {
  readonly value: (dimension: number) => number
  readonly coord: (point: readonly [number, number]) => readonly [number, number]
  readonly size: (extent: readonly [number, number]) => readonly [number, number]
}

const barShare = 0.72

/** The middle of this participant's bar within its case. */
const offsetOf = (index: number, count: number, api: Api) => {
  const [width] = api.size([1, 0])
  return ((index + 0.5) / count - 0.5) * width * barShare
}

/** From the lowest to the highest round, with the median written above. */
const whisker = (index: number, count: number, isLabelled: boolean) => (_: unknown, api: Api) => {
  const [category, low, high, median] = [api.value(0), api.value(1), api.value(2), api.value(3)]
  const [x, top] = api.coord([category, high])
  const [, bottom] = api.coord([category, low])
  const at = x + offsetOf(index, count, api)
  const line = (x1: number, y1: number, x2: number, y2: number) => ({
    type: 'line',
    shape: { x1, y1, x2, y2 },
    style: { stroke: ink, lineWidth: 1.5 },
  })
  const label = { text: compact(median), x: at, y: top - 5, align: 'center', verticalAlign: 'bottom', fill: ink }
  const range = [line(at, top, at, bottom), line(at - 4, top, at + 4, top), line(at - 4, bottom, at + 4, bottom)]
  return {
    type: 'group',
    children: [
      ...(low === high ? [] : range),
      ...(isLabelled ? [{ type: 'text', style: { ...label, fontFamily: text.fontFamily, fontSize: 11 } }] : []),
    ],
  }
}

/** A group of bars for each case, a bar for each participant: the median, with the lowest and highest round. */
export const bars = ({ title, metric, cases, logarithmic = false, measurements }: BarsOf): string | undefined => {
  const shown = measurements.filter((each) => each.metric === metric && cases.test(each.case))
  const [first] = shown
  if (first === undefined) return undefined
  const categories = [...new Set(shown.map((each) => each.case))]
  const people = [...new Set(shown.map(({ who }) => who))]
  const of = (who: string, name: string) => {
    const found = shown.find((each) => each.who === who && each.case === name)
    return found && summary(found.values)
  }
  const isLabelled = people.length * categories.length <= 24
  return draw(title, {
    xAxis: { type: 'category', data: categories, axisLabel: { ...text, interval: 0 }, axisTick: { show: false } },
    yAxis: { ...axis(`${metric}, ${first.unit}`), nameGap: 56, type: logarithmic ? 'log' : 'value' },
    series: people.flatMap((who, index) => [
      {
        type: 'bar',
        name: who,
        barGap: '0%',
        barCategoryGap: `${(1 - barShare) * 100}%`,
        itemStyle: { color: colourOf(who, people), borderColor: '#ffffff', borderWidth: 1 },
        data: categories.map((name) => of(who, name)?.median ?? null),
      },
      {
        type: 'custom',
        renderItem: whisker(index, people.length, isLabelled),
        silent: true,
        z: 5,
        data: categories.flatMap((name, at) => {
          const found = of(who, name)
          return found === undefined ? [] : [[at, found.min, found.max, found.median]]
        }),
      },
    ]),
    legend: { ...legend, data: people },
  })
}
