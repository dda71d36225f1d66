import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import { endSpan, serverSpan, traceIdOf, traceparentAfter, traceparentOf } from '../adapters/tracing.ts'
import type { Measure } from '../domain/metrics.ts'
import type { Log } from '../shared/log.ts'
import { internal, originOf, refusalBody, type State } from './answer.ts'

/** Where requests are logged and measured. */
export type Observer = {
  readonly log: Log
  readonly measure: Measure
  /** A monotonic clock, in ms. */
  readonly monotonic: () => number
}

/** The request's own id if it is one word of 1 to 128 plain characters, otherwise a new one. */
const requestIdOf = (header: string): string => (/^[\w.:-]{1,128}$/.test(header) ? header : randomUUID())

/**
 * It gives a request an id, measures and logs it. The path has the token and is not logged.
 */
export const accessLog =
  ({ log, measure, monotonic }: Observer, isClosing: () => boolean): Middleware<State> =>
  async (ctx, next) => {
    const arrivedAt = monotonic()
    const requestId = requestIdOf(ctx.get('x-request-id'))
    const came = ctx.get('traceparent')
    const span = serverSpan(came, ctx.method)
    const traceparent = traceparentAfter(span, undefined) ?? traceparentOf(came)
    const traceId = traceIdOf(traceparent)
    ctx.state = { arrivedAt, requestId, traceparent }
    try {
      await next()
    } catch (thrown) {
      log.error({ requestId, traceId, ...originOf(thrown) }, 'a request failed')
      ctx.status = internal.status
      ctx.body = refusalBody(ctx.state.api, internal)
    }
    ctx.set('X-Request-Id', requestId)
    if (isClosing()) ctx.set('Connection', 'close')
    const { api, route, accountId, eventId } = ctx.state
    const ms = monotonic() - arrivedAt
    // The metric is about the service's requests only, not about health probes and the console.
    if (api !== undefined && api !== 'health' && api !== 'console') measure.request(api, ctx.status, ms / 1000)
    // A span that is not ended is not sent. Health probes need no spans.
    if (api !== 'health') {
      span?.updateName(route === undefined ? ctx.method : `${ctx.method} ${route}`)
      span?.setAttributes({
        'http.response.status_code': ctx.status,
        ...(route !== undefined && { 'http.route': route }),
      })
      endSpan(span, ctx.status >= 500 ? String(ctx.status) : undefined)
    }
    const fields = {
      method: ctx.method,
      route,
      status: ctx.status,
      ms: Math.round(ms * 10) / 10,
      requestId,
      traceId,
      accountId,
      eventId,
    }
    // A probe that gets 503 is no refused request: the log has a line about what does not work.
    if (ctx.status < 400 || api === 'health') log.debug(fields, 'a request was answered')
    else log.info(fields, 'a request was refused')
  }
