import { isIP } from 'node:net'

/** So many wrong secrets from one sender are answered at once. */
const freeFailures = 50
/** The sender's further failures are answered one by one, with this many ms between two answers. */
const betweenMs = 40
/** How many answers of one sender may wait: 50 × 40 ms = 2 s, so that a bot event gets its 401 within its 3 s. */
const maxWaiting = 50
/** How many senders are remembered. */
const maxSenders = 10_000
/** How many ms the answer to one failure too many is delayed. Its sender repeats the request as soon as it has it. */
const heldMs = 1_000
/** How many of these answers, to all senders together, are delayed within `heldMs`. The others are sent at once. */
const maxHeld = 500

/** How many ms the answer to a failure waits. `isTooMany`: too many failures of the sender wait for their answers. */
export type Slowed = { readonly waitMs: number; readonly isTooMany: boolean }

/**
 * Counts a failure of an address. With an account: the sender has proved to know one secret of the account, and another
 * one was wrong, so the account and the address count together, apart from all other failures.
 */
export type FailureDelay = (address: string, accountId?: string) => Slowed

/** Who has an IPv6 address usually has all addresses with the same first 64 bits. */
const networkOf = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [before = '', after] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [head, tail] = [groups(before), groups(after ?? '')]
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length
  return [...head, ...Array(Math.max(0, zeros)).fill('0'), ...tail].slice(0, 4).join(':')
}

/**
 * Slows down what fails, and only that: a service sends the requests of all accounts from the same addresses, so a wrong
 * token of one account says nothing about the next request of its address. Whoever guesses learns whether a guess was
 * right at the rate of his requests: tokens are protected by their length, and the delay spares the machine. Pure except
 * for its memory, which has the senders that failed most recently. `monotonic` is in ms.
 */
export const failureDelay = (monotonic: () => number): FailureDelay => {
  /** The time up to which a sender has used its rate. Each failure that is not one too many moves it `betweenMs` further. */
  const due = new Map<string, number>()
  const freeMs = freeFailures * betweenMs
  let held = { since: 0, count: 0 }
  const hold = (): number => {
    if (monotonic() - held.since >= heldMs) held = { since: monotonic(), count: 0 }
    held.count++
    return held.count <= maxHeld ? heldMs : 0
  }
  const remember = (sender: string, until: number) => {
    due.delete(sender)
    due.set(sender, until)
    const [oldest] = due.keys()
    if (due.size > maxSenders && oldest !== undefined) due.delete(oldest)
  }
  return (address, accountId) => {
    const network = networkOf(address)
    const sender = accountId === undefined ? network : `${accountId} ${network}`
    const now = monotonic()
    const debt = Math.max(0, (due.get(sender) ?? 0) - now)
    const isTooMany = debt > freeMs + maxWaiting * betweenMs
    const next = isTooMany ? debt : debt + betweenMs
    remember(sender, now + next)
    return { waitMs: isTooMany ? hold() : Math.max(0, next - freeMs), isTooMany }
  }
}
