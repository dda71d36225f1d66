const firstMs = 50
const longestMs = 1_000

/** Milliseconds to wait after so many failures in a row: doubled each time, half of it by chance (0 <= `random` < 1). */
export const backOff = (failures: number, random: number): number =>
  (Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10)) * (1 + random)) / 2
