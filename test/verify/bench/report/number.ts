import { summary } from '../statistics.ts'

/** Three significant digits, and no more zeros than that. */
export const number = (value: number): string => {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

/** For a plot, where space is short: `23.1k`. */
export const compact = (value: number): string =>
  value >= 10_000 ? `${Number((value / 1000).toPrecision(3))}k` : number(value)

/** `5,800 (5,600 – 6,100)`. */
export const spread = (values: ReadonlyArray<number>): string => {
  const { median, min, max, rounds } = summary(values)
  return rounds === 1 ? number(median) : `${number(median)} (${number(min)} – ${number(max)})`
}
