import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'

/** A proxy's address or network in CIDR notation: `10.0.0.0/8`, `::1`. */
export type Network = { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' }

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Reads a CIDR list with commas; Left holds the entry that is wrong. */
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

/** IPv4 in its own notation also where the socket is of IPv6. */
const plain = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address

/** Whether a host name or an address is this machine's own, which nobody else can come from. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(plain(host))

/** The address of the client that sent a request. */
export type ClientAddress = (req: IncomingMessage) => string

/**
 * The socket's address, or, if that is a trusted proxy's, the last address in X-Forwarded-For that is not: what stands before it
 * was written by the client itself.
 */
export const clientAddresses = (trusted: ReadonlyArray<Network>): ClientAddress => {
  const proxies = new BlockList()
  for (const { address, prefix, family } of trusted) proxies.addSubnet(address, prefix, family)
  const isTrusted = (address: string) => isIP(address) !== 0 && proxies.check(address, familyOf(address))
  return ({ socket, headers }) => {
    const hops = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    let address = plain(socket.remoteAddress ?? '')
    while (isTrusted(address)) {
      const before = plain(hops.pop()?.trim() ?? '')
      if (isIP(before) === 0) break
      address = before
    }
    return address
  }
}

/**
 * What an address that sends wrong secrets is held to. Its first failures are answered at once, the next ones at the rate below;
 * while too many answers wait, its requests are refused without a look at their secret. Other addresses are not affected.
 */
const freeFailures = 50
const betweenMs = 40
/** Two seconds: also a bot event has its 401 before its 3 s are over. */
const mostWaiting = 50
const mostAddresses = 10_000
/** An answer of that kind is held back too, since its sender asks again as soon as it has it; beyond so many at a time none is. */
const heldMs = 1_000
const mostHeld = 500

export type FailureDelay = {
  /**
   * How many ms the refusal of an address has to wait that is refused without a look, since so many failures of it wait for their
   * answer; undefined where it is not refused.
   */
  readonly refusedAfter: (address: string) => number | undefined
  /** Counts a failure; gives how many ms its answer has to wait. */
  readonly afterFailure: (address: string) => number
}

/** Pure but for its memory, which holds the addresses that failed most recently; `monotonic` is in ms. */
export const failureDelay = (monotonic: () => number): FailureDelay => {
  /** When the answer to the next failure of an address is due if it had no free ones. */
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
