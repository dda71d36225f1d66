import { changeSize } from '../../browser/changes.ts'
import { changeText } from '../../browser/figures.ts'

/** What differs by no more than this from a week ago is usual: counts and times in percent, shares in points. */
const usual = { percent: 20, points: 10 } as const
/** A smaller difference of counts says nothing. */
const fewest = 5
/** A figure of fewer sessions says nothing. */
const fewestSessions = 3

export type Compared = {
  readonly name: string
  readonly unit: string
  readonly now: number | undefined
  readonly before: number | undefined
  /** Of how many sessions the figure is, in the period with fewer. Undefined for a count. */
  readonly sessions?: number
}

/**
 * A count of a week ago. It is not known if nothing of that time is stored: then 0 is no count. `weekAgo`: the events of
 * that time; null if none is stored by then, undefined until that is known.
 */
export const countBefore = (counted: number, weekAgo: number | null | undefined): number | undefined =>
  counted === 0 && (weekAgo === null || weekAgo === undefined) ? undefined : counted

const isOfFew = ({ unit, sessions = 0 }: Compared): boolean => unit !== 'count' && sessions < fewestSessions

const isCompared = (row: Compared): boolean => {
  const { unit, now, before } = row
  return now !== undefined && before !== undefined && (unit === 'count' ? now + before > 0 : !isOfFew(row))
}

/** True if the row differs more than usual from a week ago. */
export const isUnusual = (row: Compared): boolean => {
  const { unit, now = 0, before = 0 } = row
  if (!isCompared(row) || (unit === 'count' && Math.abs(now - before) <= fewest)) return false
  const size = changeSize(now, before, unit) ?? (now === before ? 0 : Number.POSITIVE_INFINITY)
  return Math.round(Math.abs(size) * 100) > (unit === 'share' ? usual.points : usual.percent)
}

/** The change of a row, and what it is worth. */
export const comparedText = (row: Compared): string => {
  const { now, before, unit } = row
  const text = changeText(now, before, unit)
  if (isUnusual(row)) return `unusual: ${text}`
  return now !== undefined && before !== undefined && isOfFew(row) ? `few sessions: ${text}` : text
}

/** Whether today is unusual, in a sentence that names what is. */
export const unusualWords = (rows: ReadonlyArray<Compared>): string => {
  const lower = (name: string) => (/^[A-Z][a-z]/.test(name) ? `${name[0]?.toLowerCase()}${name.slice(1)}` : name)
  const named = rows
    .filter(isUnusual)
    .map(({ name, now, before, unit }) => `${lower(name)} ${changeText(now, before, unit)}`)
  if (named.length > 0) return `Yes: ${named.join(', ')}.`
  if (!rows.some(isCompared)) return 'Not known: there is too little to compare.'
  return `No: counts and times are within ${usual.percent} % of the same hours a week ago, shares within ${usual.points} points.`
}
