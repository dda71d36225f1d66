import { timingSafeEqual } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { urlToHttpOptions } from 'node:url'
import Router from '@koa/router'
import type { Middleware } from 'koa'
import { type Ctx, invalid, refusalBody, type State } from './answer.ts'
import { connectionOf, setConnection } from './client-address.ts'

/** Another process of this bridge. `url` is undefined while it does not run. Only this bridge knows `token`. */
export type Peer = { readonly token: string; readonly url: () => string | undefined }

const names = { token: 'x-bridge-token', address: 'x-bridge-address', port: 'x-bridge-port' } as const

/** Headers that concern one connection only. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'proxy-connection']

const without = (headers: IncomingMessage['headers'], left: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !left.includes(name)))

export const peerHeaders = ({ token }: Peer): Readonly<Record<string, string>> => ({ [names.token]: token })

const unavailable = {
  status: 503,
  code: 'temporarily_unavailable',
  message: 'the console starts again: try again soon',
}

/**
 * Passes the requests below `path` on to the other process, with the client's connection in headers. The host and the
 * port are those of the process. Of what the client asked for, only the path and the query are sent, as they came: a
 * URL made of them could name another host, or another path once its dots are resolved.
 */
export const forwardRouter = (path: string, peer: Peer): Router<State> => {
  const pass = (ctx: Ctx, url: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { remoteAddress = '', localPort = 0 } = connectionOf(ctx.req)
      const sent = request({
        ...urlToHttpOptions(new URL(url)),
        path: ctx.url,
        method: ctx.method,
        setHost: false,
        headers: {
          ...without(ctx.req.headers, [...ofConnection, ...Object.values(names)]),
          ...peerHeaders(peer),
          [names.address]: remoteAddress,
          [names.port]: String(localPort),
          ...(ctx.req.headers['transfer-encoding'] !== undefined && { 'transfer-encoding': 'chunked' }),
        },
      })
      sent.once('response', resolve).once('error', reject)
      ctx.req.once('error', () => sent.destroy())
      ctx.res.once('close', () => sent.destroy())
      ctx.req.pipe(sent)
    })
  return new Router<State>({ sensitive: true }).all(`${path}{/*rest}`, async (ctx: Ctx) => {
    ctx.state.api = 'console'
    const url = peer.url()
    const answer = url === undefined ? undefined : await pass(ctx, url).catch(() => undefined)
    if (answer === undefined) {
      ctx.status = unavailable.status
      ctx.set('Retry-After', '2')
      ctx.body = refusalBody('console', unavailable)
      return
    }
    ctx.status = answer.statusCode ?? 502
    for (const [name, value] of Object.entries(without(answer.headers, ofConnection)))
      if (value !== undefined) ctx.set(name, value)
    ctx.body = answer
  })
}

const isToken = (given: string, { token }: Peer) => {
  const [sent, known] = [Buffer.from(given), Buffer.from(token)]
  return sent.length === known.length && timingSafeEqual(sent, known)
}

/** Answers questions of the other process, as JSON at /peer/NAME. For everybody else these paths do not exist. */
export const peerRouter = (
  peer: Peer,
  answers: Readonly<Record<string, (withinMs: number) => unknown>>,
  withinMs: number,
): Router<State> => {
  const router = new Router<State>({ sensitive: true })
  for (const [name, answer] of Object.entries(answers))
    router.get(`/peer/${name}`, async (ctx, next) => {
      if (!isToken(ctx.get(names.token), peer)) return next()
      ctx.state.api = 'health'
      ctx.body = await answer(withinMs)
    })
  return router
}

/** Takes in only what the other process passes on or asks. The connection of the request is then the client's. */
export const fromPeerOnly =
  (peer: Peer): Middleware<State> =>
  async (ctx, next) => {
    if (!isToken(ctx.get(names.token), peer)) return
    const remoteAddress = ctx.get(names.address)
    // A connection that has ended has no address. It is unknown then, and not that of the other process.
    setConnection(ctx.req, remoteAddress === '' ? {} : { remoteAddress, localPort: Number(ctx.get(names.port)) })
    return next()
  }

const wrongTarget = invalid(400, 'target: expected a path, which begins with one slash')

/**
 * Takes in what clients send to the operators' port. A request for a whole URL, or for a path that a URL parser reads as
 * a host, is meant for another server. Whoever had a process of a bridge send a request is not on this machine, although
 * the process is.
 */
export const fromClients: Middleware<State> = async (ctx, next) => {
  if (!/^\/(?![/\\])/.test(ctx.url)) {
    ctx.status = wrongTarget.status
    ctx.body = refusalBody(undefined, wrongTarget)
    return
  }
  if (ctx.get(names.token) !== '') setConnection(ctx.req, {})
  return next()
}
