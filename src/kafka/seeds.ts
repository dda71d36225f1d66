const literal = /^\[([\da-f:]+)\](:\d+)$/i
const suffix = '.ipv6-literal'

/** kafkajs cuts `host:port` at the first colon: an IPv6 address goes through it under a name, `--1.ipv6-literal:9092`. */
export const seedOf = (broker: string): string =>
  broker.replace(literal, (_, address: string, port: string) => `${address.replaceAll(':', '-')}${suffix}${port}`)

/** The host that a socket is to be opened to. */
export const hostOf = (host: string): string =>
  host.endsWith(suffix) ? host.slice(0, -suffix.length).replaceAll('-', ':') : host
