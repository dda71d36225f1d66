import * as E from 'fp-ts/lib/Either.js'
import type { Log } from '../domain/ports.ts'
import type { Api, Ctx } from './context.ts'
import { internal, type Refusal } from './refusal.ts'

export type Answer = {
  readonly status: number
  readonly body: object | string
  readonly headers?: Readonly<Record<string, string>>
}
export type Handle = (ctx: Ctx) => Promise<E.Either<Refusal, Answer>>

export const ok = (body: object): E.Either<never, Answer> => E.right({ status: 200, body })

/** A refusal's body: Interface A's has `result` as well (protocol, Errors), OAuth's is flat (RFC 6749, section 5.2). */
export const refusalBody = (api: Api | undefined, { code, message }: Refusal): object => {
  if (api === 'oauth') return { error: code, error_description: message }
  return { ...(api === 'webhooks' && { result: 'error' }), error: { code, message } }
}

/** Where an unexpected error came from, without its message: that may hold what was sent. */
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

/** A text that is JSON already and says so: Koa would look its type up, and write it only after that. */
const writeBody = (ctx: Ctx, body: object | string): void => {
  if (typeof body !== 'string') ctx.set('Content-Type', 'application/json; charset=utf-8')
  ctx.body = typeof body === 'string' ? body : JSON.stringify(body)
}

/** The middleware that runs a handler and writes its answer; what it throws is answered 500 and logged. */
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
    writeBody(ctx, body)
  }
