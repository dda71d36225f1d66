import type { Middleware } from 'koa'
import type { Log } from '../domain/ports.ts'
import { originOf, refusalBody } from './answering.ts'
import type { State } from './context.ts'
import type { MeasureRequests } from './measure.ts'
import { internal } from './refusal.ts'
import { requestIdOf, traceparentOf } from './trace.ts'

export type AccessLogDeps = {
  readonly log: Log
  readonly measure: MeasureRequests
  /** A clock that never goes back, in ms. */
  readonly monotonic: () => number
  readonly isClosing: () => boolean
}

/** The outermost middleware: names a request, measures and logs it. The path is not logged: it holds the token. */
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
