import type { MetricName } from '../../../contracts/metrics.ts'
import { isJsonObject } from '../../bridge/shared/json.ts'
import type * as definitions from '../pages/statistics/definitions.ts'
import { count, duration } from './format.ts'

/** A figure as its numerator and denominator (contracts/views/daily-stats.ts). */
export type Figure = { readonly numerator: number; readonly denominator: number }

/** A number of a day: a count or a figure. `name` is its path in the day's document. */
export type Definition = Pick<definitions.Definition, 'name' | 'unit'>

/** What figures are read from. A day that is not over may not have all of them. */
export type Measured = { readonly figures: Readonly<Partial<Record<MetricName, Figure>>> }

/** A row of an answer: a day, or with an id, a day of an agent, widget or bot. */
export type Row = Measured & { readonly day: string; readonly id?: string }

const isFigure = (found: unknown): found is Figure =>
  isJsonObject(found) && typeof found.numerator === 'number' && typeof found.denominator === 'number'

/** The number of a row at the path that names it. A part of a document may lack it. */
export const figureOf = (row: Measured | null, { name }: Definition): Figure | undefined => {
  const found = name
    .split('.')
    .reduce<unknown>((each, part) => (isJsonObject(each) && Object.hasOwn(each, part) ? each[part] : undefined), row)
  if (typeof found === 'number') return { numerator: found, denominator: 1 }
  return isFigure(found) ? found : undefined
}

/** A number of several days. Counts are added. For figures, numerators and denominators are added, then divided. */
export const valueOfRows = (rows: ReadonlyArray<Measured | null>, definition: Definition): number | undefined => {
  const figures = rows.map((row) => figureOf(row, definition)).filter((figure) => figure !== undefined)
  const numerator = figures.reduce((sum, each) => sum + each.numerator, 0)
  if (definition.unit === 'count') return figures.length === 0 ? undefined : numerator
  const denominator = figures.reduce((sum, each) => sum + each.denominator, 0)
  return denominator === 0 ? undefined : numerator / denominator
}

export const valueText = (value: number | undefined, unit: string): string => {
  if (value === undefined) return '–'
  if (unit === 'share') return `${count(Math.round(value * 1_000) / 10)} %`
  return unit === 'duration' ? duration(value) : count(value)
}

/** The change since the other day: shares in points, other units in percent. */
export const changeText = (today: number | undefined, before: number | undefined, unit: string): string => {
  if (today === undefined || before === undefined) return 'nothing to compare'
  if (today === before) return 'same'
  const sign = today > before ? '+' : '−'
  const difference = Math.abs(today - before)
  if (unit !== 'share' && before === 0) return `${sign}${valueText(difference, unit)}`
  const size = unit === 'share' ? Math.round(difference * 1_000) / 10 : Math.round((difference / before) * 100)
  return size === 0 ? 'about the same' : `${sign}${count(size)} ${unit === 'share' ? 'points' : '%'}`
}

/** One row of the table: a day, or an agent, widget or bot with all its days. */
export type Total = { readonly id: string; readonly rows: ReadonlyArray<Row> }

/** The rows of the response, grouped by day or id, in the order of each group's first row. */
export const totalsOf = (rows: ReadonlyArray<Row>, by: string): ReadonlyArray<Total> =>
  [...Map.groupBy(rows, ({ day, id }) => (by === 'day' ? day : (id ?? '')))].map(([id, of]) => ({ id, rows: of }))

/** The days from `from` to `to`, inclusive. */
export const daysBetween = (from: string, to: string): ReadonlyArray<string> => {
  const day = 86_400_000
  const first = Date.parse(`${from}T00:00:00Z`)
  const length = Math.floor((Date.parse(`${to}T00:00:00Z`) - first) / day) + 1
  return Array.from({ length: Math.max(0, length || 0) }, (_, i) =>
    new Date(first + i * day).toISOString().slice(0, 10),
  )
}
