import { createServer, type Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import Koa, { type Middleware } from 'koa'
import type { Failure } from '../domain/log/record.ts'
import { within } from '../shared/timeout.ts'
import { accessLog, type Observer } from './access-log.ts'
import { answerClientError, originOf, refusalBody, type State, unknownPath } from './answer.ts'
import { type Limits, limits as usual } from './limits.ts'

/** The routes of a server. `isStopping` returns true while the server stops. */
export type Routers = (limits: Limits, isStopping: () => boolean) => ReadonlyArray<Router<State>>

export type HttpServer = {
  /** Port 0 means any free port. Left if the server cannot listen on the address. */
  readonly listen: (host: string, port: number) => Promise<E.Either<Failure, { readonly port: number }>>
  /**
   * Reports that the server is not ready, and stops listening after `leaveMs` or when no connection is left. Then each
   * connection is closed with the answer to its next request, because an idle connection may have a request on its way.
   * Ends after `leaveMs`, `closeOnNextResponseMs` and `graceMs` at the latest.
   */
  readonly stop: () => Promise<void>
}

const listenFailure = (host: string, port: number, { code, message }: NodeJS.ErrnoException): Failure => ({
  kind: 'permanent',
  reason: code === 'EADDRINUSE' ? `${host}:${port} is in use` : `cannot listen on ${host}:${port}: ${code ?? message}`,
})

/**
 * Under constant load, a connection or request arrives in every turn of the event loop, and `quietTurn` would never
 * end. After so many turns the server stops listening anyway.
 */
const maxTurns = 2_000

/** The HTTP server's own `close` would close idle connections at once. */
const stopListening = (server: Server): Promise<void> =>
  new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()))

/** As Node does, so that the server does not close a connection at the moment until which the client may use it. */
const keepAliveBufferMs = 1_000

/**
 * The outermost middleware: a connection of an admitted request may be idle for longer, also after other requests,
 * since a proxy sends everybody's requests on it. All other connections keep the server's limit, so that strangers
 * cannot use up the port's connections.
 */
const keepAdmitted = (ms: number): Middleware<State> => {
  const admitted = new WeakSet<Socket>()
  return async (ctx, next) => {
    await next()
    const { socket } = ctx.req
    if (ctx.state.isAdmitted) admitted.add(socket)
    if (!admitted.has(socket) || !ctx.res.shouldKeepAlive || ctx.response.get('Connection') === 'close') return
    ctx.set('Keep-Alive', `timeout=${Math.floor(ms / 1_000)}`)
    // Node's own listener comes first, and sets the limit of all connections.
    ctx.res.once('finish', () => socket.setTimeout(ms + keepAliveBufferMs))
  }
}

/** An HTTP server with these routes. `overrides` replaces some of the usual limits, `admit` is asked before a route. */
export const createHttpServer = (
  observer: Observer,
  routers: Routers,
  overrides: Partial<Limits> = {},
  admit?: Middleware<State>,
): HttpServer => {
  const limits = { ...usual, ...overrides }
  let isStopping = false
  let isClosing = false
  const app = new Koa<State>()
  app.on('error', (thrown: unknown) => observer.log.debug(originOf(thrown), 'an answer could not be written'))
  app.use(keepAdmitted(limits.admittedKeepAliveMs))
  app.use(accessLog(observer, () => isClosing))
  if (admit !== undefined) app.use(admit)
  for (const router of routers(limits, () => isStopping)) app.use(router.routes())
  app.use((ctx) => {
    ctx.status = unknownPath.status
    ctx.body = refusalBody(undefined, unknownPath)
  })
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
  server.on('clientError', answerClientError)
  let isQuiet = true
  for (const event of ['connection', 'request'])
    server.prependListener(event, () => {
      isQuiet = false
    })
  /**
   * Resolves after a turn of the event loop without a new connection or request. When a server stops listening, the
   * system resets connections that it has not accepted yet. There may be some if requests were handled since the server
   * last accepted connections.
   */
  const quietTurn = async (turns: number): Promise<void> => {
    isQuiet = true
    await new Promise(setImmediate)
    return isQuiet || turns === 0 ? undefined : quietTurn(turns - 1)
  }
  const sockets = new Set<Socket>()
  let lastClosed = () => {}
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) lastClosed()
    })
  })
  const allClosed = () =>
    new Promise<void>((resolve) => {
      lastClosed = resolve
      if (sockets.size === 0) resolve()
    })

  return {
    listen: (host, port) =>
      new Promise((resolve) => {
        const fail = (error: NodeJS.ErrnoException) => resolve(E.left(listenFailure(host, port, error)))
        server.once('error', fail).listen({ port, host, backlog: limits.connections }, () => {
          const address = server.address()
          server.off('error', fail)
          resolve(E.right({ port: typeof address === 'object' && address !== null ? address.port : port }))
        })
      }),
    stop: async () => {
      isStopping = true
      await within(limits.leaveMs, allClosed(), () => undefined)
      await quietTurn(maxTurns)
      const closed = stopListening(server)
      isClosing = true
      await within(limits.closeOnNextResponseMs, allClosed(), () => undefined)
      server.closeIdleConnections()
      await within(limits.graceMs, closed, () => undefined)
      server.closeAllConnections()
      // The server no longer listens. This call ends the timer that checks for slow requests.
      server.close()
      await closed
    },
  }
}
