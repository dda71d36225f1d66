import type { Range } from '../offsets.ts'

/**
 * Where reading of a partition begins: where it was asked for, or else what the group has committed, or else the beginning. What
 * lies before the partition's first record begins there, and so does what lies behind its end: the topic was made anew.
 */
export const startOffset = (
  wanted: number | undefined,
  committed: number | undefined,
  { low, high }: Range,
): number => {
  const from = wanted ?? committed ?? low
  return from < low || from > high ? low : from
}
