/** `jitter` is the random share of each wait: the upper half, unless it says otherwise. */
export type Bounds = { readonly baseMs: number; readonly capMs: number; readonly jitter?: number }

/** The wait in ms after so many failures in a row. It doubles up to the cap. `random` is in [0, 1). */
export const backoff = (
  failures: number,
  { baseMs, capMs, jitter = 0.5 }: Bounds,
  random: () => number = Math.random,
): number => {
  const longest = Math.min(capMs, baseMs * 2 ** Math.min(Math.max(0, failures - 1), 30))
  return Math.ceil(longest * (1 - jitter * (1 - random())))
}
