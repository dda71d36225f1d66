import { type Definition, type Total, textAt, valueOfRows } from './figures.ts'
import { dayPlus } from './format.ts'

/** The part that is no table of figures: why replies failed. */
export const failedPart = 'Failed'
/** Failed replies are those of the account. A delivery does not name its bot, so one id has none of its own. */
export const hasFailedPart = (by: string, id: string): boolean => by === 'day' || (by === 'bot' && id === '')

/** The part that the address names, or the first one. */
export const shownPart = (names: ReadonlyArray<string>, part: string): string =>
  names.includes(part) ? part : (names[0] ?? '')

/** A bot session ends after 24 h of silence, and the client may return for another 24 h. */
const settleDays = 3

/** Rows whose sessions are all over. Until then a figure of returns would only fall. */
const settled = (rows: ReadonlyArray<unknown>, today: string): ReadonlyArray<unknown> =>
  rows.filter((row) => textAt(row, 'day') <= dayPlus(today, -settleDays))

/** What must be said of a day whose figures still change. */
export const noteOf = (day: string, today: string): string => {
  if (day >= today) return 'so far'
  return day > dayPlus(today, -settleDays) ? 'may still change' : ''
}

export const valueIn = (rows: ReadonlyArray<unknown>, definition: Definition, today: string): number | undefined =>
  valueOfRows(definition.name === 'figures.strictContainment' ? settled(rows, today) : rows, definition)

/** By the figure of this name, or by the names of rows if it is ''. */
export type Sort = { readonly name: string; readonly isUp: boolean }

/** A value for each day, null where there is none. */
export const valuesOf = (
  rows: ReadonlyArray<unknown>,
  days: ReadonlyArray<string>,
  figure: Definition,
  today: string,
): ReadonlyArray<number | null> => {
  const byDay = new Map(rows.map((row) => [textAt(row, 'day'), row]))
  return days.map((day) => {
    // A part of a day beside whole days would look like a fall.
    const row = day < today || days.length === 1 ? byDay.get(day) : undefined
    return (row === undefined ? undefined : valueIn([row], figure, today)) ?? null
  })
}

/** The rows of a table in the chosen order. Rows without a value are last. */
export const sortedBy = (
  totals: ReadonlyArray<Total>,
  sort: Sort | undefined,
  figures: ReadonlyArray<Definition>,
  nameOf: (id: string) => string,
  today: string,
): ReadonlyArray<Total> => {
  if (sort === undefined) return totals
  const turn = sort.isUp ? 1 : -1
  const by = figures.find(({ name }) => name === sort.name)
  return [...totals].sort((a, b) => {
    if (by === undefined) return turn * nameOf(a.id).localeCompare(nameOf(b.id))
    const [x, y] = [valueIn(a.rows, by, today), valueIn(b.rows, by, today)]
    if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? 1 : -1
    return turn * (x - y)
  })
}
