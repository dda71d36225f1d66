import { Readable } from 'node:stream'
import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { didYouMean } from '../bridge/domain/accounts.ts'
import { readJson } from '../bridge/domain/read-json.ts'
import { type Ctx, internal, invalid, notAllowed, originOf, type Refusal, type State } from '../bridge/http/answer.ts'
import { type BodyBudget, readBody } from '../bridge/http/body.ts'
import { classify, mongoReasonOf } from '../bridge/mongo/classify.ts'
import type { Log } from '../bridge/shared/log.ts'
import { fairSemaphore } from '../bridge/shared/semaphore.ts'
import { decideAccess, rolesFor } from './access/grants.ts'
import { isLocal, isOfOtherSite } from './access/guard.ts'
import { isSame } from './access/keys.ts'
import type { Sessions } from './access/sessions.ts'
import { type Answer, forbidden, type Session, unavailable } from './page.ts'
import { refuse } from './respond.ts'
import { type ConsoleHandlers, type ConsoleRoute, isWithoutMongo, rolesOf, routeNames } from './routes.ts'

export type ApiDeps = {
  readonly handlers: ConsoleHandlers
  readonly sessions: Sessions
  readonly accountIds: ReadonlyArray<string>
  readonly basePath: string
  readonly budget: BodyBudget
  readonly log: Log
  /** How often the session and role of a stream are checked again, in ms. */
  readonly checkMs: number
  /** Aborts when the bridge stops. */
  readonly stopping: AbortSignal
}

const maxBytes = 64 * 1024
const leaveMs = 1_000
/** Limits for all persons and for one person, so that one person cannot use all streams. */
const maxStreams = 200
const streamsOfOne = 40
/** Of one person as many as a browser sends to one host at a time. Further requests wait. */
const requestsAtOnce = { inAll: 200, ofOne: 6 }

const away = unavailable('The database does not answer.')
const signedOut: Refusal = {
  status: 401,
  code: 'unauthorized_client',
  message: 'session: expected a signed-in user',
}
const wrongRole = forbidden('role: your roles do not allow this')
/** An account that a session may not see does not exist for it. */
const unknownTo = (seen: ReadonlyArray<string>, accountId: string): Refusal =>
  invalid(404, `account: expected one that you may see.${didYouMean(seen, accountId)}`)
/** Describes the failure of a server to the caller, but not an error of the bridge itself. */
const failed = (thrown: unknown): Refusal =>
  classify(thrown).kind === 'permanent'
    ? internal
    : { ...away, message: `the request failed: ${mongoReasonOf(thrown)}` }

const busy: Refusal = {
  ...away,
  message: `streams: expected at most ${maxStreams} at a time, and ${streamsOfOne} of one person`,
}

const bodyOf = async (ctx: Ctx, budget: BodyBudget, owner: string): Promise<E.Either<Refusal, unknown>> => {
  if (!/^application\/json\s*(;|$)/i.test(ctx.get('content-type')))
    return E.left(invalid(415, 'Content-Type: expected application/json'))
  const body = await readBody(ctx.req, { maxBytes, drainMs: 0, budget, owner })
  if (E.isLeft(body)) return E.left(invalid(413, `body: expected all of it, and at most ${maxBytes} bytes`))
  const value = readJson(body.right.bytes)
  body.right.release()
  return E.mapLeft(({ path, expected }: { path: string; expected: string }) =>
    invalid(400, `${path || 'body'}: expected ${expected}`),
  )(value)
}

/** Yields the items of the iterable until the signal aborts. It does not wait for a next item, which may never come. */
const until = async function* (given: AsyncIterable<string>, signal: AbortSignal, first: string) {
  if (first !== '') yield first
  const { promise: ended, resolve } = Promise.withResolvers<{ done: true; value: undefined }>()
  signal.addEventListener('abort', () => resolve({ done: true, value: undefined }))
  const iterator = given[Symbol.asyncIterator]()
  try {
    while (!signal.aborted) {
      const { done, value } = await Promise.race([iterator.next(), ended])
      if (done) return
      yield value
    }
  } finally {
    void iterator.return?.()?.catch(() => undefined)
  }
}

/** The routes of routes.ts. The router checks the session and role of each request, then calls its handler. */
export const apiRouter = (deps: ApiDeps): Router<State> => {
  const { handlers, sessions, accountIds, basePath, budget, log, checkMs, stopping } = deps

  const streams = new Set<{ readonly who: string }>()
  const mayStream = (who: string) =>
    streams.size < maxStreams && [...streams].filter((stream) => stream.who === who).length < streamsOfOne
  // By person and not by session, so that a second sign-in gets no further permits.
  const acquire = fairSemaphore(requestsAtOnce)

  /** The session of a request, if it may use the route. */
  const admit = async (ctx: Ctx, route: ConsoleRoute, accountId: string | undefined) => {
    const read = await sessions.read(ctx, isLocal(ctx))
    const lately = E.isLeft(read) && isWithoutMongo(route) ? sessions.lately(ctx, isLocal(ctx)) : undefined
    const found = lately === undefined ? read : E.right(lately)
    if (E.isLeft(found)) return E.left(away)
    if (found.right === undefined) return E.left(signedOut)
    if (ctx.method !== 'GET' && !isSame(ctx.get('x-csrf-token'), found.right.csrf))
      return E.left(forbidden('X-CSRF-Token: expected that of the session'))
    const decision = decideAccess(rolesOf(route), found.right.grants, accountIds, accountId)
    if (decision === 'allowed') return E.right<Refusal, Session>(found.right)
    if (decision === 'wrong-role' || accountId === undefined) return E.left(wrongRole)
    const { grants } = found.right
    const seen = accountIds.filter((id) => rolesFor(grants, id).length > 0)
    return E.left(unknownTo(seen, accountId))
  }

  /** Ends a stream when its session or role has ended. */
  const watch = (
    ctx: Ctx,
    route: ConsoleRoute,
    accountId: string | undefined,
    { who }: Session,
    gone: AbortController,
  ) => {
    if (gone.signal.aborted) return
    const stream = { who }
    streams.add(stream)
    const timer = setInterval(async () => {
      if (E.isLeft(await admit(ctx, route, accountId))) gone.abort()
    }, checkMs)
    gone.signal.addEventListener('abort', () => {
      clearInterval(timer)
      streams.delete(stream)
      // Disconnect a client that does not read the rest.
      setTimeout(() => ctx.res.destroy(), leaveMs).unref()
    })
  }

  const write = (ctx: Ctx, answer: Answer, signal: AbortSignal) => {
    ctx.status = answer.status
    if (!('stream' in answer)) {
      ctx.set({ ...answer.headers })
      ctx.body = answer.body
      return
    }
    const isEvents = answer.type === 'text/event-stream'
    ctx.set({ 'Content-Type': answer.type, 'X-Accel-Buffering': 'no' })
    // The first item is a comment of the stream: it shows the page at once that it is connected.
    ctx.body = Readable.from(until(answer.stream, signal, isEvents ? ':\n\n' : ''))
  }

  const answer = async (ctx: Ctx, route: ConsoleRoute, gone: AbortController): Promise<E.Either<Refusal, void>> => {
    const [method = ''] = route.split(' ')
    if (ctx.method !== method) return E.left(notAllowed(method))
    if (isOfOtherSite(ctx)) return E.left(forbidden('Sec-Fetch-Site: expected same-origin'))
    const { account, chat = '' } = ctx.params
    const session = await admit(ctx, route, account)
    if (E.isLeft(session)) return session
    if (account !== undefined) ctx.state.accountId = account
    const body = method === 'GET' ? E.right(undefined) : await bodyOf(ctx, budget, session.right.who)
    if (E.isLeft(body)) return body
    const signal = AbortSignal.any([gone.signal, stopping])
    const request = { accountId: account ?? '', chatId: chat, query: new URLSearchParams(ctx.querystring) }
    using _permit = await acquire(session.right.who, signal)
    if (signal.aborted) return E.left(away)
    const answered = await handlers[route]({ ...request, session: session.right, body: body.right, signal })
    if (E.isLeft(answered)) return answered
    if ('stream' in answered.right) {
      if (!mayStream(session.right.who)) return E.left(busy)
      watch(ctx, route, account, session.right, gone)
    }
    return E.right(write(ctx, answered.right, signal))
  }

  const handle = (route: ConsoleRoute, path: string) => async (ctx: Ctx) => {
    ctx.state.route = path
    const gone = new AbortController()
    ctx.res.once('close', () => gone.abort())
    const answered = await answer(ctx, route, gone).catch((thrown: unknown) => {
      log.error({ route, reason: mongoReasonOf(thrown), ...originOf(thrown) }, 'a request of the console failed')
      return E.left(failed(thrown))
    })
    if (E.isLeft(answered)) refuse(ctx, answered.left)
  }

  const router = new Router<State>({ sensitive: true })
  for (const route of routeNames) {
    const path = `${basePath}${route.slice(route.indexOf(' ') + 1)}`
    router.all(path, handle(route, path))
  }
  return router
}
