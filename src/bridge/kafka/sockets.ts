import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ISocketFactory } from 'kafkajs'

const literal = /^\[([\da-f:]+)\](:\d+)$/i
const suffix = '.ipv6-literal'

/** kafkajs splits `host:port` at the first colon. So an IPv6 address is passed as a name, `--1.ipv6-literal:9092`. */
export const seedOf = (broker: string): string =>
  broker.replace(literal, (_, address: string, port: string) => `${address.replaceAll(':', '-')}${suffix}${port}`)

/** The real host for a socket. */
export const hostOf = (host: string): string =>
  host.endsWith(suffix) ? host.slice(0, -suffix.length).replaceAll('-', ':') : host

/** The sockets of one client. kafkajs keeps sockets that have timed out, and never destroys a socket. */
export type Sockets = {
  readonly factory: ISocketFactory
  /** Destroys the open sockets. Requests that wait for a response on them are rejected. */
  readonly destroy: (reason: string) => void
  /** As `destroy`, and refuses new sockets: a closed client must send nothing more. */
  readonly close: () => void
}

const gone = (reason: string) => Object.assign(new Error(reason), { name: 'KafkaDoesNotAnswer' })
const givenUp = 'this connection was given up'

const keepAliveMs = 60_000

/**
 * kafkajs calls `unref` each time it disconnects, and it may disconnect one connection many times. On a destroyed
 * socket, each call would add another listener for the `connect` event.
 */
const unrefOnlyWhileThere = (socket: Socket): void => {
  const unref = socket.unref.bind(socket)
  socket.unref = () => (socket.destroyed ? socket : unref())
}

/** Makes sockets that are destroyed after so many milliseconds without a byte in either direction. */
export const trackedSockets = (silenceMs: number): Sockets => {
  const open = new Set<Socket>()
  let closed = false

  const destroy = (reason: string) => {
    // With an error: kafkajs does not listen to 'close', and would wait for responses until they time out.
    for (const socket of open) socket.destroy(gone(reason))
  }
  return {
    factory: ({ host: seed, port, ssl, onConnect }) => {
      if (closed) throw gone(givenUp)
      const host = hostOf(seed)
      const socket = ssl
        ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...ssl }, onConnect)
        : connect({ host, port }, onConnect)
      socket.setKeepAlive(true, keepAliveMs)
      socket.setTimeout(silenceMs, () => socket.destroy(gone('no answer on the connection')))
      unrefOnlyWhileThere(socket)
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      return socket
    },
    destroy,
    close: () => {
      closed = true
      destroy(givenUp)
    },
  }
}
