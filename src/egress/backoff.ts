const baseMs = 200
const capMs = 10_000

/** Milliseconds to wait after so many failures in a row: full jitter, `random` in [0, 1). */
export const backoff = (failures: number, random: () => number): number =>
  Math.floor(random() * Math.min(capMs, baseMs * 2 ** Math.max(0, failures - 1)))
