/** So many wrong secrets from one address are answered at once. Other addresses are not affected by its failures. */
const freeFailures = 50
/** The address's further failures are answered one by one, with this many ms between two answers. */
const betweenMs = 40
// How many answers of one address may wait: 50 × 40 ms = 2 s, so that a bot event gets its 401 within its 3 s. While
// more answers wait, the requests of the address are refused without a check of their secret.
const maxWaiting = 50
/** How many addresses are remembered. */
const maxAddresses = 10_000
/** How many ms a refusal without a check is delayed. Its sender repeats the request as soon as it has an answer. */
const heldMs = 1_000
/** How many refusals, of all addresses together, are delayed within `heldMs`. The others are answered at once. */
const maxHeld = 500

export type FailureDelay = {
  /**
   * How many ms a refusal without a check of the secret must wait, because too many failures of the address wait for
   * their answers. Undefined if the address is not refused.
   */
  readonly refusedAfter: (address: string) => number | undefined
  /** Counts a failure. Returns how many ms its answer must wait. */
  readonly afterFailure: (address: string) => number
}

/** Pure except for its memory, which has the addresses that failed most recently. `monotonic` is in ms. */
export const failureDelay = (monotonic: () => number): FailureDelay => {
  /** The time up to which an address has used its rate. Each failure moves it `betweenMs` further. */
  const due = new Map<string, number>()
  const debtOf = (address: string) => Math.max(0, (due.get(address) ?? 0) - monotonic())
  const freeMs = freeFailures * betweenMs
  let held = { since: 0, count: 0 }
  return {
    refusedAfter: (address) => {
      if (debtOf(address) <= freeMs + maxWaiting * betweenMs) return undefined
      if (monotonic() - held.since >= heldMs) held = { since: monotonic(), count: 0 }
      held.count++
      return held.count <= maxHeld ? heldMs : 0
    },
    afterFailure: (address) => {
      const debt = debtOf(address) + betweenMs
      due.delete(address)
      due.set(address, monotonic() + debt)
      const [oldest] = due.keys()
      if (due.size > maxAddresses && oldest !== undefined) due.delete(oldest)
      return Math.max(0, debt - freeMs)
    },
  }
}
