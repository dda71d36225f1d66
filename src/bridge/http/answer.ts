import type { Duplex } from 'node:stream'
import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Log } from '../shared/log.ts'

export type Api = 'webhooks' | 'bot' | 'oauth' | 'history' | 'health' | 'console'

/** What is known about a request besides the request itself. `arrivedAt` is of the monotonic clock, in ms. */
export type State = {
  arrivedAt: number
  requestId: string
  traceparent: string
  api?: Api
  route?: string
  accountId?: string
  /** Set if the request has the right token: its connection may then be idle for longer than a stranger's. */
  isAdmitted?: boolean
  eventId?: string
}

export type Ctx = RouterContext<State>

export type Answer = {
  readonly status: number
  readonly body: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** A negative answer. `code` is one of the service's error codes, or OAuth's (RFC 6749, section 5.2). */
export type Refusal = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Handle = (ctx: Ctx) => Promise<E.Either<Refusal, Answer>>

export const ok = (body: object): E.Either<never, Answer> => E.right({ status: 200, body })

export const invalid = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): Refusal => ({
  status,
  code: 'invalid_request',
  message,
  headers,
})

export const unknownPath = invalid(404, 'unknown path')
export const notAllowed = (allow: string): Refusal => invalid(405, `method: expected ${allow}`, { Allow: allow })
export const internal: Refusal = { status: 500, code: 'server_error', message: 'the request could not be processed' }

/** A refusal's body. Interface A also has `result`. OAuth's is flat (RFC 6749, section 5.2). */
export const refusalBody = (api: Api | undefined, { code, message }: Refusal): object => {
  if (api === 'oauth') return { error: code, error_description: message }
  return { ...(api === 'webhooks' && { result: 'error' }), error: { code, message } }
}

/** Where an unexpected error came from. Its message is left out, because it may contain data of the request. */
export const originOf = (thrown: unknown): object =>
  thrown instanceof Error
    ? {
        error: thrown.constructor.name,
        at: thrown.stack
          ?.split('\n')
          .filter((line) => line.startsWith('    at '))
          .slice(0, 4),
      }
    : { error: typeof thrown }

/** The middleware that runs a handler and writes its answer. If the handler throws, it logs this and answers 500. */
export const answering =
  (api: Api, route: string, log: Log, handle: Handle) =>
  async (ctx: Ctx): Promise<void> => {
    Object.assign(ctx.state, { api, route })
    const result = await handle(ctx).catch((thrown: unknown) => {
      log.error({ requestId: ctx.state.requestId, route, ...originOf(thrown) }, 'a request failed')
      return E.left(internal)
    })
    const { status, body, headers } = E.isRight(result)
      ? result.right
      : { ...result.left, body: refusalBody(api, result.left) }
    ctx.status = status
    if (headers !== undefined) ctx.set({ ...headers })
    ctx.body = body
  }

const statuses: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers exceed 8 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time'],
}
const malformed = ['400 Bad Request', 'the request is not HTTP/1.1'] as const

/** Answers a request that is not HTTP or was too slow, and closes the connection. */
export const answerClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = statuses[error.code ?? ''] ?? malformed
  const body = JSON.stringify(refusalBody(undefined, invalid(0, message)))
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8`
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
