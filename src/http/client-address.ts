import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { connectionOf } from './connection.ts'

/** A proxy's address or network in CIDR notation: `10.0.0.0/8`, `::1`. */
export type Network = { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' }

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Reads a comma-separated CIDR list. Left: the entry that is wrong. */
export const readNetworks = (list: string): E.Either<string, ReadonlyArray<Network>> => {
  const networks: Network[] = []
  for (const entry of list.split(',').map((part) => part.trim())) {
    const [address = '', bits, more] = entry.split('/')
    const most = isIP(address) === 6 ? 128 : 32
    const prefix = bits === undefined ? most : Number(bits)
    const isPrefix = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && prefix <= most)
    if (isIP(address) === 0 || !isPrefix || more !== undefined) return E.left(entry)
    networks.push({ address, prefix, family: familyOf(address) })
  }
  return E.right(networks)
}

/** IPv4 in its own notation, even if the socket uses IPv6. */
const plain = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address

/** True if a host name or an address is this machine's own. No other machine can use it. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(plain(host))

/** The address of the client that sent a request. */
export type ClientAddress = (req: IncomingMessage) => string

/**
 * The socket's address. If that is a trusted proxy's, the last address in X-Forwarded-For that is not a trusted
 * proxy's. The client itself may have written the addresses before it.
 */
export const clientAddresses = (trusted: ReadonlyArray<Network>): ClientAddress => {
  const proxies = new BlockList()
  for (const { address, prefix, family } of trusted) proxies.addSubnet(address, prefix, family)
  const isTrusted = (address: string) => isIP(address) !== 0 && proxies.check(address, familyOf(address))
  return (req) => {
    const hops = [req.headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    let address = plain(connectionOf(req).remoteAddress ?? '')
    while (isTrusted(address)) {
      const before = plain(hops.pop()?.trim() ?? '')
      if (isIP(before) === 0) break
      address = before
    }
    return address
  }
}

/** So many wrong secrets from one address are answered at once. Other addresses are not affected by its failures. */
const freeFailures = 50
/** The address's further failures are answered one by one, with this many ms between two answers. */
const betweenMs = 40
// How many answers of one address may wait: 50 × 40 ms = 2 s, so that a bot event gets its 401 within its 3 s. While
// more answers wait, the requests of the address are refused without a check of their secret.
const mostWaiting = 50
/** How many addresses are remembered. */
const mostAddresses = 10_000
/** How many ms a refusal without a check is delayed. Its sender repeats the request as soon as it has an answer. */
const heldMs = 1_000
/** How many refusals, of all addresses together, are delayed within `heldMs`. The others are answered at once. */
const mostHeld = 500

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
      if (debtOf(address) <= freeMs + mostWaiting * betweenMs) return undefined
      if (monotonic() - held.since >= heldMs) held = { since: monotonic(), count: 0 }
      held.count++
      return held.count <= mostHeld ? heldMs : 0
    },
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
