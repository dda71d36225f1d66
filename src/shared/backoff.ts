export type Bounds = { readonly baseMs: number; readonly capMs: number }

/** The wait in ms after so many failures in a row. It doubles up to the cap; its upper half is random. */
export const backoff = (failures: number, { baseMs, capMs }: Bounds, random: () => number): number => {
  const most = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30))
  return Math.ceil(most / 2 + (random() * most) / 2)
}
