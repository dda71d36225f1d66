import { createServer, type Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/ports.ts'
import { within } from '../shared/timeout.ts'
import { createApp, type IngressDeps } from './app.ts'
import { onClientError } from './client-error.ts'
import { type Limits, limits as usual } from './limits.ts'

export type { IngressDeps } from './app.ts'

export type Ingress = {
  /** Port 0 takes any free one; Left where the address cannot be listened on. */
  readonly listen: (
    host: string,
    port: number,
    /** Whether other threads may listen on the same port (SO_REUSEPORT). */
    shared?: boolean,
  ) => Promise<E.Either<Failure, { readonly port: number }>>
  /**
   * Is not ready any more, then ceases to listen while callers hold their connections, since one that comes in that moment may be
   * reset: after `leaveMs`, or when all have left. Who listens on one port with others waits for all of them before it stops, since
   * callers that are sent away come again at once.
   */
  readonly cease: () => Promise<void>
  /**
   * Ceases to listen, then sends each caller away with the answer to its next request, since a connection that is simply closed
   * may have one on its way. Ends after `leaveMs`, `partMs` and `graceMs` at the latest.
   */
  readonly stop: () => Promise<void>
}

export const listenFailure = (host: string, port: number, { code, message }: NodeJS.ErrnoException): Failure => ({
  kind: 'permanent',
  reason: code === 'EADDRINUSE' ? `${host}:${port} is in use` : `cannot listen on ${host}:${port}: ${code ?? message}`,
})

/** Under a load that never pauses there is no lull: then it ceases anyway. */
const lullTurns = 2_000

/** Not the HTTP server's own way, which closes idle connections at once. */
const stopListening = (server: Server): Promise<void> =>
  new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()))

/** The HTTP side: both interfaces, the token exchange and health, with `overrides` of the usual limits. */
export const createIngress = (deps: IngressDeps, overrides: Partial<Limits> = {}): Ingress => {
  const limits = { ...usual, ...overrides }
  let stopping = false
  let closing = false
  const app = createApp(deps, limits, { isStopping: () => stopping, isClosing: () => closing })
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.keepAliveMs,
    },
    app.callback(),
  )
  server.maxConnections = limits.connections
  server.on('clientError', onClientError)
  let isQuiet = true
  for (const happening of ['connection', 'request'])
    server.prependListener(happening, () => {
      isQuiet = false
    })
  /**
   * Resolves in a turn of the event loop in which nothing came: connections that the system holds ready when it ceases to
   * listen are reset, and there are some whenever requests were being handled since it last took the ready ones.
   */
  const lull = async (turns: number): Promise<void> => {
    isQuiet = true
    await new Promise(setImmediate)
    return isQuiet || turns === 0 ? undefined : lull(turns - 1)
  }
  const callers = new Set<Socket>()
  let lastLeft = () => {}
  server.on('connection', (socket: Socket) => {
    callers.add(socket)
    socket.once('close', () => {
      callers.delete(socket)
      if (callers.size === 0) lastLeft()
    })
  })
  const allLeft = () =>
    new Promise<void>((resolve) => {
      lastLeft = resolve
      if (callers.size === 0) resolve()
    })

  let closed = Promise.resolve()
  let ceased: Promise<void> | undefined
  const leave = async () => {
    stopping = true
    await within(limits.leaveMs, allLeft(), () => undefined)
    await lull(lullTurns)
    closed = stopListening(server)
  }
  const cease = () => {
    ceased ??= leave()
    return ceased
  }

  return {
    listen: (host, port, shared = false) =>
      new Promise((resolve) => {
        const fail = (error: NodeJS.ErrnoException) => resolve(E.left(listenFailure(host, port, error)))
        server.once('error', fail).listen({ port, host, reusePort: shared }, () => {
          const address = server.address()
          server.off('error', fail)
          resolve(E.right({ port: typeof address === 'object' && address !== null ? address.port : port }))
        })
      }),
    cease,
    stop: async () => {
      await cease()
      closing = true
      await within(limits.partMs, allLeft(), () => undefined)
      server.closeIdleConnections()
      await within(limits.graceMs, closed, () => undefined)
      server.closeAllConnections()
      // It has ceased to listen; this ends its timer.
      server.close()
      await closed
    },
  }
}
