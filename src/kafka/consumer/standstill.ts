/** How far a partition that waits for records is, and where its log ends. */
export type Place = { readonly name: string; readonly position: number; readonly end: number }

const patienceMs = 30_000

/**
 * Watches for partitions that have records and do not get them: kafkajs can get stuck after a rebalance. The same position is
 * reported once only, since what lies behind it may be no record at all, as a transaction's marker is not.
 */
export const standstills = (): ((places: ReadonlyArray<Place>, now: number) => string | undefined) => {
  let waiting = new Map<string, number>()
  const reported = new Set<string>()
  return (places, now) => {
    const behind = places
      .filter(({ position, end }) => position < end)
      .map(({ name, position }) => `${name} at ${position}`)
    waiting = new Map(behind.map((place) => [place, waiting.get(place) ?? now]))
    const stuck = behind.find((place) => now - (waiting.get(place) ?? now) >= patienceMs && !reported.has(place))
    if (stuck !== undefined) reported.add(stuck)
    return stuck
  }
}
