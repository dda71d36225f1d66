export type Bounds = { readonly baseMs: number; readonly capMs: number }

/** Milliseconds to wait after so many failures in a row: doubled each time up to the cap, the upper half of it by chance. */
export const backoff = (failures: number, { baseMs, capMs }: Bounds, random: () => number): number => {
  const most = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30))
  return Math.ceil(most / 2 + (random() * most) / 2)
}
