import type { RouterContext } from '@koa/router'

export type Api = 'webhooks' | 'bot' | 'oauth' | 'history' | 'health' | 'console'

/** What is known about a request besides the request itself. `arrivedAt` is of the monotonic clock, in ms. */
export type State = {
  arrivedAt: number
  requestId: string
  traceparent: string
  api?: Api
  route?: string
  accountId?: string
  eventId?: string
}

export type Ctx = RouterContext<State>
