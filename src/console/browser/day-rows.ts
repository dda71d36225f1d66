import { textAt } from './figures.ts'

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
