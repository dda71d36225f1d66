import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { themeEvent } from './theme.ts'

export type Line = {
  readonly name: string
  readonly values: ReadonlyArray<number | null>
  readonly isDashed?: boolean
}
type Props = {
  /** A description for people who cannot see the chart. */
  readonly label: string
  /** Seconds since 1970, ascending. */
  readonly times: ReadonlyArray<number>
  readonly lines: ReadonlyArray<Line>
  readonly text: (value: number) => string
  readonly timeText: (seconds: number) => string
  /** A shorter text for the axis. Default: `timeText`. */
  readonly shortText?: (seconds: number) => string
  /** True if the times are days, in UTC. */
  readonly isDaily?: boolean
  /** True if the values are milliseconds. */
  readonly isDuration?: boolean
  readonly height?: number
}

const dayS = 24 * 60 * 60
const daySteps = [1, 2, 7, 14, 28, 56].map((days) => days * dayS)
const secondMs = 1_000
/** Steps of an axis of durations that people count in. */
const durationSteps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, dayS].map((s) => s * secondMs),
]

const optionsOf = (
  library: typeof uPlot,
  box: HTMLElement,
  colours: ReadonlyArray<string>,
  { lines, text, timeText, shortText = timeText, isDaily = false, isDuration = false, height = 220 }: Props,
  onCursor: (index: number | undefined) => void,
): uPlot.Options => {
  const { color, borderTopColor, font } = getComputedStyle(box)
  const axis = { stroke: color, font, grid: { stroke: borderTopColor, width: 1 }, ticks: { show: false } }
  return {
    width: box.clientWidth,
    ...(isDaily && { tzDate: (seconds: number) => library.tzDate(new Date(seconds * 1_000), 'Etc/UTC') }),
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 7 } },
    scales: { y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        space: 70,
        values: (_, at) => at.map(shortText),
        ...(isDaily && { incrs: daySteps }),
      },
      { ...axis, size: 84, values: (_, at) => at.map(text), ...(isDuration && { incrs: durationSteps }) },
    ],
    series: [
      {},
      ...lines.map(({ isDashed }, i) => ({
        ...(isDashed && { dash: [6, 4] }),
        stroke: colours[i] ?? color,
        width: 2,
        points: { show: lines[0] !== undefined && lines[0].values.length < 40, size: 5 },
        spanGaps: true,
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)] },
  }
}

/** Lines over time, with a legend that shows the values at the pointer. The page also shows the numbers as a table. */
export const Chart = (props: Props) => {
  const { label, times, lines, text, timeText } = props
  const box = useRef<HTMLDivElement>(null)
  const legend = useRef<HTMLUListElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [cursor, setCursor] = useState<number>()
  const [theme, setTheme] = useState(0)
  const data = [[...times], ...lines.map(({ values }) => [...values])] as uPlot.AlignedData
  const newest = useRef(data)
  newest.current = data

  useEffect(() => {
    const onTheme = () => setTheme((before) => before + 1)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', onTheme)
    window.addEventListener(themeEvent, onTheme)
    return () => {
      dark.removeEventListener('change', onTheme)
      window.removeEventListener(themeEvent, onTheme)
    }
  }, [])

  const draw = (library: typeof uPlot, place: HTMLDivElement, ended: AbortSignal) => {
    const swatches = [...(legend.current?.querySelectorAll('.swatch') ?? [])]
    const colours = swatches.map((swatch) => getComputedStyle(swatch).color)
    const made = new library(optionsOf(library, place, colours, props, setCursor), newest.current, place)
    plot.current = made
    const resized = new ResizeObserver(() => made.setSize({ width: place.clientWidth, height: props.height ?? 220 }))
    resized.observe(place)
    ended.addEventListener('abort', () => {
      resized.disconnect()
      made.destroy()
      plot.current = undefined
    })
  }

  // Redraw when lines or colours change, not for each point. The library is loaded with the first chart, so that other
  // pages do not wait for it.
  useEffect(() => {
    const ended = new AbortController()
    void import('uplot').then(({ default: library }) => {
      const place = box.current
      if (place !== null && !ended.signal.aborted) draw(library, place, ended.signal)
    })
    return () => ended.abort()
  }, [theme, lines.map(({ name }) => name).join('\n'), label])

  // The JSON text changes only with the data, which is a new array in each render.
  useEffect(() => plot.current?.setData(data), [JSON.stringify(data)])

  const newestValue = lines[0]?.values.findLastIndex((value) => value !== null) ?? -1
  const last = newestValue < 0 ? times.length - 1 : newestValue
  const at = cursor === undefined || cursor >= times.length ? last : cursor
  const shownAt = times[at]
  return (
    <figure class="chart">
      <div ref={box} role="img" aria-label={label} />
      <figcaption>
        {shownAt !== undefined && <span class="muted">{timeText(shownAt)}</span>}
        <ul ref={legend} class="legend">
          {lines.map(({ name, values }, i) => {
            const value = values[at]
            return (
              <li key={name}>
                <span class={`swatch series-${i + 1}`} aria-hidden="true" />
                <bdi>{name}</bdi> <strong>{value === null || value === undefined ? '–' : text(value)}</strong>
              </li>
            )
          })}
        </ul>
      </figcaption>
    </figure>
  )
}
