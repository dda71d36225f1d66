import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, SocketAddress } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import type { Log } from '../shared/log.ts'

/** The connection on which a client sent a request. Without an address it is not known, and never local. */
export type Connection = { readonly remoteAddress?: string | undefined; readonly localPort?: number | undefined }

const forwarded = new WeakMap<IncomingMessage, Connection>()

/** Notes that another process of a bridge has sent the request. */
export const setConnection = (req: IncomingMessage, connection: Connection): void => void forwarded.set(req, connection)

/** The client's connection: that of the process which took the request in, otherwise the request's own. */
export const connectionOf = (req: IncomingMessage): Connection => forwarded.get(req) ?? req.socket

/** A proxy's address or network in CIDR notation: `10.0.0.0/8`, `::1`. */
export type Network = { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' }

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Reads a comma-separated CIDR list. Left: the entry that is wrong. */
export const readNetworks = (list: string): E.Either<string, ReadonlyArray<Network>> => {
  const networks: Network[] = []
  for (const entry of list.split(',').map((part) => part.trim())) {
    const [address = '', bits, more] = entry.split('/')
    const longest = isIP(address) === 6 ? 128 : 32
    const prefix = bits === undefined ? longest : Number(bits)
    const isPrefix = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && prefix <= longest)
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

/** A host as it stands in a URL. */
export const hostInUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)

/** The address of the client that sent a request. */
export type ClientAddress = (req: IncomingMessage) => string

/** The same address always in the same letters. */
const canonical = (address: string): string =>
  isIP(address) === 6 ? plain(new SocketAddress({ address, family: 'ipv6' }).address) : address

/**
 * The address in an entry of X-Forwarded-For. Some proxies write the port too: `203.0.113.7:51234`,
 * `[2001:db8::7]:51234`, with or without quotes.
 */
const addressIn = (entry: string): string | undefined => {
  const text = entry.replace(/^"(.*)"$/, '$1')
  const [, inBrackets, ipv4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  if (inBrackets !== undefined) return isIP(inBrackets) === 6 ? canonical(inBrackets) : undefined
  const address = ipv4 ?? text
  return isIP(address) === 0 ? undefined : canonical(address)
}

/**
 * The socket's address. If that is a trusted proxy's, the last address in X-Forwarded-For that is not a trusted
 * proxy's. The client itself may have written the addresses before it. The header Forwarded is not read: no proxy
 * replaces it if it does not know it, so a client could write any address.
 */
export const clientAddresses = (trusted: ReadonlyArray<Network>, log: Pick<Log, 'warn'>): ClientAddress => {
  const proxies = new BlockList()
  for (const { address, prefix, family } of trusted) proxies.addSubnet(address, prefix, family)
  const isTrusted = (address: string) => isIP(address) !== 0 && proxies.check(address, familyOf(address))
  return (req) => {
    const sent = [req.headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    const entries = sent.map((entry) => entry.trim()).filter((entry) => entry !== '')
    let address = plain(connectionOf(req).remoteAddress ?? '')
    while (isTrusted(address)) {
      const entry = entries.pop()
      if (entry === undefined) break
      const before = addressIn(entry)
      if (before === undefined) {
        // What it is instead is not logged: it may be anything.
        log.warn({ proxy: address }, 'X-Forwarded-For: expected an address from this proxy; its clients count as one')
        break
      }
      address = before
    }
    return address
  }
}
