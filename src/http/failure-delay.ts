/**
 * What an address that sends wrong secrets is held to. Its first failures are answered at once, the next ones at the rate below;
 * while too many answers wait, its requests are refused without a look at their secret. Other addresses are not affected.
 */
const freeFailures = 50
const betweenMs = 40
const mostWaiting = 64
const mostAddresses = 10_000

export type FailureDelay = {
  /** Whether so many failures of this address wait for their answer that its requests are refused. */
  readonly isExhausted: (address: string) => boolean
  /** Counts a failure; gives how many ms its answer has to wait. */
  readonly afterFailure: (address: string) => number
}

/** Pure but for its memory, which holds the addresses that failed most recently; `monotonic` is in ms. */
export const failureDelay = (monotonic: () => number): FailureDelay => {
  /** When the answer to the next failure of an address is due if it had no free ones. */
  const due = new Map<string, number>()
  const debtOf = (address: string) => Math.max(0, (due.get(address) ?? 0) - monotonic())
  const freeMs = freeFailures * betweenMs
  return {
    isExhausted: (address) => debtOf(address) > freeMs + mostWaiting * betweenMs,
    afterFailure: (address) => {
      const debt = debtOf(address) + betweenMs
      due.delete(address)
      due.set(address, monotonic() + debt)
      const [oldest] = due.keys()
      if (due.size > mostAddresses && oldest !== undefined) due.delete(oldest)
      return Math.max(0, debt - freeMs)
    },
  }
}
