import { randomBytes, randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Log, Measure } from '../domain/ports.ts'
import { internal, originOf, refusalBody } from './answer.ts'
import type { State } from './context.ts'

export type AccessLogDeps = {
  readonly log: Log
  readonly measure: Pick<Measure, 'request'>
  /** A clock that never goes back, in ms. */
  readonly monotonic: () => number
  readonly isClosing: () => boolean
}

const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

const newTrace = () => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`

/** The request's traceparent (W3C Trace Context) if it is well-formed, else the beginning of a new trace. */
export const traceparentOf = (header: string): string => (wellFormed.test(header) ? header : newTrace())

/** The request's own id if it is one word of 1 to 128 plain characters, else a new one. */
export const requestIdOf = (header: string): string => (/^[\w.:-]{1,128}$/.test(header) ? header : randomUUID())

/** The outermost middleware: it names a request, measures it and logs it. It does not log the path, which holds the token. */
export const accessLog =
  ({ log, measure, monotonic, isClosing }: AccessLogDeps): Middleware<State> =>
  async (ctx, next) => {
    const arrivedAt = monotonic()
    const requestId = requestIdOf(ctx.get('x-request-id'))
    ctx.state = { arrivedAt, requestId, traceparent: traceparentOf(ctx.get('traceparent')) }
    try {
      await next()
    } catch (thrown) {
      log.error({ requestId, ...originOf(thrown) }, 'a request failed')
      ctx.status = internal.status
      ctx.body = refusalBody(ctx.state.api, internal)
    }
    ctx.set('X-Request-Id', requestId)
    if (isClosing()) ctx.set('Connection', 'close')
    const { api, route, accountId, eventId } = ctx.state
    const ms = monotonic() - arrivedAt
    if (api !== undefined && api !== 'health') measure.request(api, ctx.status, ms / 1000)
    const fields = {
      method: ctx.method,
      route,
      status: ctx.status,
      ms: Math.round(ms * 10) / 10,
      requestId,
      accountId,
      eventId,
    }
    if (ctx.status < 400) log.debug(fields, 'a request was answered')
    else log.info(fields, 'a request was refused')
  }
