import type { DailyStatsDocument } from '../../contracts/views/daily-stats.ts'

type Durations = DailyStatsDocument['chats']['totalMs']

/** Count, median and 95th percentile by the nearest-rank method; the values may come in any order. */
export const durations = (values: ReadonlyArray<number>): Durations => {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]
  const median = rank(0.5)
  const p95 = rank(0.95)
  return { count: sorted.length, ...(median !== undefined && p95 !== undefined && { median, p95 }) }
}
