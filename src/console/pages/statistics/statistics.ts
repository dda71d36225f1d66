import { changeSize } from '../../browser/changes.ts'
import { type Definition, daysBetween, type Row, type Total, valueOfRows } from '../../browser/figures.ts'
import { dayPlus, daysSinceMonday } from '../../browser/format.ts'
import type { FigureName } from './definitions.ts'

/** By what the page groups figures, in words. */
export const groupings = [
  ['day', 'Day'],
  ['agent', 'Agent'],
  ['widget', 'Widget or channel'],
  ['bot', 'Bot'],
] as const

export type Days = { readonly from: string; readonly to: string }

/** The grouping of the page if its address names none: a lead sees the team. */
export const firstGrouping = (roles: ReadonlyArray<string>, part: string): string =>
  roles.includes('lead') && part === '' ? 'agent' : 'day'

/** The days of the page if its address names none: of the team this week, otherwise 30 days. */
export const firstDays = (by: string, today: string): Days => ({
  from: dayPlus(today, by === 'agent' ? -daysSinceMonday(today) : -29),
  to: today,
})

/**
 * The period before, which is as long: the same weekdays a week earlier, or as many days before more than a week. If
 * today is the last day, the period before ends at the same time of day.
 */
export const periodBefore = ({ from, to }: Days, today: string): Days & { readonly until?: 'now' } => {
  const length = daysBetween(from, to).length
  const earlier = length <= 7 ? 7 : length
  return { from: dayPlus(from, -earlier), to: dayPlus(to, -earlier), ...(to === today && { until: 'now' }) }
}

/** The last four weeks from Monday on, the newest first. The first of them ends today. */
export const lastWeeks = (today: string): ReadonlyArray<Days> => {
  const monday = dayPlus(today, -daysSinceMonday(today))
  return [0, 1, 2, 3].map((ago) => ({
    from: dayPlus(monday, -7 * ago),
    to: ago === 0 ? today : dayPlus(monday, 6 - 7 * ago),
  }))
}

/** The part of the week before that this week has until now. */
export const sameOfLastWeek = (today: string) => periodBefore(firstDays('agent', today), today)

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
const settled = (rows: ReadonlyArray<Row>, today: string): ReadonlyArray<Row> =>
  rows.filter(({ day }) => day <= dayPlus(today, -settleDays))

/** What must be said of a day whose figures still change. */
export const noteOf = (day: string, today: string): string => {
  if (day >= today) return 'so far'
  return day > dayPlus(today, -settleDays) ? 'may still change' : ''
}

export const valueIn = (rows: ReadonlyArray<Row>, definition: Definition, today: string): number | undefined =>
  valueOfRows(definition.name === 'figures.strictContainment' ? settled(rows, today) : rows, definition)

/** By the figure of this name, or by its change, or by the names of rows if it is ''. */
export type Sort = { readonly name: FigureName | ''; readonly isUp: boolean; readonly ofChange?: boolean }

/** The order of a table if nobody chose one: the busiest agents first, others as they come. */
export const firstSort = (by: string): Sort | undefined =>
  by === 'agent' ? { name: 'sessions.agent.started', isUp: false } : undefined

/** The order after a heading was pressed: the largest first, names from A on, and the other way round if pressed again. */
export const nextSort = (last: Sort | undefined, name: FigureName | '', ofChange = false): Sort => ({
  name,
  isUp: last?.name === name && (last.ofChange ?? false) === ofChange ? !last.isUp : name === '',
  ...(ofChange && { ofChange }),
})

/** A value for each day, null where there is none. */
export const valuesOf = (
  rows: ReadonlyArray<Row>,
  days: ReadonlyArray<string>,
  figure: Definition,
  today: string,
): ReadonlyArray<number | null> => {
  const byDay = new Map(rows.map((row) => [row.day, row]))
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
  /** The rows of the period before, by id. */
  before: ReadonlyMap<string, ReadonlyArray<Row>> = new Map(),
): ReadonlyArray<Total> => {
  if (sort === undefined) return totals
  const turn = sort.isUp ? 1 : -1
  const by = figures.find(({ name }) => name === sort.name)
  const numberOf = ({ id, rows }: Total, figure: Definition) => {
    const now = valueIn(rows, figure, today)
    return sort.ofChange ? changeSize(now, valueIn(before.get(id) ?? [], figure, today), figure.unit) : now
  }
  return [...totals].sort((a, b) => {
    if (by === undefined) return turn * nameOf(a.id).localeCompare(nameOf(b.id))
    const [x, y] = [numberOf(a, by), numberOf(b, by)]
    if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? 1 : -1
    return turn * (x - y)
  })
}
