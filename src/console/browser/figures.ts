import { count, duration } from './format.ts'

type Json = Readonly<Record<string, unknown>>
/** A figure with what it was made from (contracts/views/daily-stats.ts). */
export type Figure = { readonly numerator: number; readonly denominator: number }

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What stands at a path of field names; undefined where nothing does. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((each, name) => (isObject(each) && Object.hasOwn(each, name) ? each[name] : undefined), value)

export const textAt = (value: unknown, ...path: ReadonlyArray<string>): string => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}
export const numberAt = (value: unknown, ...path: ReadonlyArray<string>): number | undefined => {
  const found = at(value, ...path)
  return typeof found === 'number' ? found : undefined
}
export const listAt = (value: unknown, ...path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** A number of a day, by its path in the day's document: a plain count, or a figure. */
export type Definition = { readonly name: string; readonly unit: string }

export const figureOf = (row: unknown, { name, unit }: Definition): Figure | undefined => {
  const found = at(row, ...name.split('.'))
  if (unit === 'count') return typeof found === 'number' ? { numerator: found, denominator: 1 } : undefined
  const [numerator, denominator] = [numberAt(found, 'numerator'), numberAt(found, 'denominator')]
  return numerator === undefined || denominator === undefined ? undefined : { numerator, denominator }
}

/** A number of several days: counts are added; of figures what they were made from is added first, then divided. */
export const valueOfRows = (rows: ReadonlyArray<unknown>, definition: Definition): number | undefined => {
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

/** How today compares with the other day: shares in points, everything else in percent. Empty where nothing can be said. */
export const changeText = (today: number | undefined, before: number | undefined, unit: string): string => {
  if (today === undefined || before === undefined || today === before) return ''
  const sign = today > before ? '+' : '−'
  const points = Math.abs(today - before) * 100
  if (unit === 'share') return points < 0.05 ? '' : `${sign}${count(Math.round(points * 10) / 10)} points`
  return before === 0 ? '' : `${sign}${count(Math.round((Math.abs(today - before) / before) * 100))} %`
}

/** `figures.firstResponseBot` as `First response bot`, `chats.ratedGood` as `Chats rated good`. */
export const nameInWords = (name: string): string => {
  const words = name
    .replace(/^figures\./, '')
    .replaceAll('.', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/^Csat\b/, 'CSAT')
}

/** One row of the table: a day, or an agent, widget or bot with all of its days. */
export type Total = { readonly id: string; readonly rows: ReadonlyArray<unknown> }

/** The rows of the answer by whom they are of; in the order of the first of each. */
export const totalsOf = (rows: ReadonlyArray<unknown>, by: string): ReadonlyArray<Total> =>
  [...Map.groupBy(rows, (row) => textAt(row, by === 'day' ? 'day' : 'id'))].map(([id, of]) => ({ id, rows: of }))

/** The days from one to the other, both included. */
export const daysBetween = (from: string, to: string): ReadonlyArray<string> => {
  const day = 86_400_000
  const first = Date.parse(`${from}T00:00:00Z`)
  const length = Math.floor((Date.parse(`${to}T00:00:00Z`) - first) / day) + 1
  return Array.from({ length: Math.max(0, length || 0) }, (_, i) =>
    new Date(first + i * day).toISOString().slice(0, 10),
  )
}
