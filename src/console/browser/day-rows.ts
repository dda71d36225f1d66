import { added, at, type Figure, figureOf, textAt } from './figures.ts'

/** One row of the table: a day, or an agent, widget or bot with all of its days. */
export type Total = { readonly id: string; readonly name: string; readonly rows: ReadonlyArray<unknown> }

/** The rows of the answer by whom they are of; in the order of the first of each. */
export const totalsOf = (rows: ReadonlyArray<unknown>, by: string): ReadonlyArray<Total> => {
  const groups = Map.groupBy(rows, (row) => textAt(row, by === 'day' ? 'day' : 'id'))
  return [...groups].map(([id, of]) => ({
    id,
    name: of.map((row) => textAt(row, 'name')).findLast(Boolean) ?? '',
    rows: of,
  }))
}

/** A figure of all rows of a total: as it is where there is one row, otherwise added, without a median. */
export const figureIn = (total: Total, name: string): Figure | undefined =>
  total.rows.length === 1 ? figureOf(total.rows[0], name) : added(total.rows.map((row) => figureOf(row, name)))

/** A plain count of all rows of a total; undefined where none has it. */
export const countIn = (total: Total, path: ReadonlyArray<string>): number | undefined => {
  const found = total.rows.map((row) => at(row, ...path)).filter((value) => typeof value === 'number')
  return found.length === 0 ? undefined : found.reduce((sum, value) => sum + value, 0)
}

/** The days from one to the other, both included. */
export const daysBetween = (from: string, to: string): ReadonlyArray<string> => {
  const day = 86_400_000
  const first = Date.parse(`${from}T00:00:00Z`)
  const length = Math.floor((Date.parse(`${to}T00:00:00Z`) - first) / day) + 1
  return Array.from({ length: Math.max(0, length || 0) }, (_, i) =>
    new Date(first + i * day).toISOString().slice(0, 10),
  )
}
