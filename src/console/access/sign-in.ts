import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { GrantEntry } from '../../domain/accounts.ts'
import type { Log, Sleep } from '../../domain/ports.ts'
import { notAllowed, type Refusal, refusalBody } from '../../http/answer.ts'
import { type BodyBudget, readBody } from '../../http/body.ts'
import type { ClientAddress } from '../../http/client-address.ts'
import type { Ctx, State } from '../../http/context.ts'
import type { FailureDelay } from '../../http/failure-delay.ts'
import type { ConsoleSessions } from '../../mongo/console-sessions.ts'
import type { RecordActionOf } from '../handler.ts'
import { grantsOf } from './grants.ts'
import { isLocal } from './guard.ts'
import { hashOf, isSame } from './keys.ts'
import type { NotSignedIn, Oidc } from './oidc.ts'
import { transactionLastsMs } from './oidc.ts'
import { type Page, pagesAt } from './pages.ts'
import { cookie, type Sessions } from './sessions.ts'

export type SignInDeps = {
  readonly sessions: Sessions
  readonly store: Pick<ConsoleSessions, 'takeLink'>
  readonly basePath: string
  readonly styleSheet: string
  /** Undefined if people sign in only with links. */
  readonly oidc?: { readonly flow: Oidc; readonly issuer: string }
  readonly grants: ReadonlyArray<GrantEntry>
  readonly budget: BodyBudget
  readonly addressOf: ClientAddress
  readonly failures: FailureDelay
  readonly clock: () => Date
  readonly sleep: Sleep
  readonly log: Log
  readonly recordActionOf: RecordActionOf
}

const transactionPrefix = 'livechat_console_sign_in'
/** Each tab has its own sign-in, with its own cookie. More would exceed the limit of a request's headers. */
const maxTransactions = 5

const transactionName = (state: string): string => `${transactionPrefix}_${hashOf(state).slice(0, 16)}`

const transactionsOf = (ctx: Ctx): ReadonlyArray<string> =>
  [...ctx.get('cookie').matchAll(/(?:^|;\s*)(livechat_console_sign_in_[\w-]{16})=/g)].flatMap(([, name]) => name ?? [])

const maxBytes = 4096
/** How many groups a refusal names. */
const maxGroups = 20

const refuse = (ctx: Ctx, refusal: Refusal) => {
  ctx.status = refusal.status
  ctx.set({ ...refusal.headers })
  ctx.body = refusalBody('console', refusal)
}

/** Sign-in by a link or by OpenID Connect, and sign-out. */
export const signInRouter = (deps: SignInDeps): Router<State> => {
  const { sessions, store, basePath, oidc, grants, budget, addressOf, failures, clock, sleep, log, recordActionOf } =
    deps
  const pages = pagesAt(basePath, deps.styleSheet)
  const show = (ctx: Ctx, { status, html, headers }: Page) => {
    ctx.status = status
    ctx.set({ ...headers })
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = html
  }
  const goTo = (ctx: Ctx, place: string) => {
    ctx.redirect(place)
    ctx.status = 303
  }
  /** The path if it is a page of the console, otherwise the first page. So sign-in never redirects to another site. */
  const pageOf = (next: unknown): string => {
    const url = URL.parse(String(next), 'http://console.invalid')
    const isHere = url?.host === 'console.invalid' && url.pathname.startsWith(`${basePath}/`)
    return isHere ? `${url.pathname}${url.search}` : `${basePath}/`
  }
  const fail = async (ctx: Ctx, page: Page) => {
    await sleep(failures.afterFailure(addressOf(ctx.req)))
    show(ctx, page)
  }
  /** True if the address has had too many failed sign-ins lately. Then this function sends the response. */
  const isHeld = async (ctx: Ctx): Promise<boolean> => {
    const ms = failures.refusedAfter(addressOf(ctx.req))
    if (ms === undefined) return false
    await sleep(ms)
    show(ctx, pages.tooMany)
    return true
  }
  const tokenOf = async (ctx: Ctx): Promise<string> => {
    const body = await readBody(ctx.req, { maxBytes, drainMs: 0, budget })
    if (E.isLeft(body)) return ''
    const token = new URLSearchParams(body.right.bytes.toString()).get('token') ?? ''
    body.right.release()
    return token
  }
  /** Nobody waits for the record: the console must open while Kafka is down, because it shows what is wrong. */
  const recordSignIn = async (who: string, by: 'link' | 'oidc') => {
    const detail = by === 'link' ? 'with a sign-in link' : 'with OpenID Connect'
    const recorded = await recordActionOf(who)({ action: 'sign-in', detail })
    if (E.isLeft(recorded)) log.error({ by, reason: recorded.left.reason }, 'a sign-in to the console was not recorded')
  }
  const started = (ctx: Ctx, result: E.Either<'unavailable', void>, who: string, by: 'link' | 'oidc', next: string) => {
    if (E.isLeft(result)) return show(ctx, pages.databaseUnavailable)
    log.info({ by }, 'somebody signed in to the console')
    void recordSignIn(who, by)
    goTo(ctx, next)
  }
  const useLink = async (ctx: Ctx) => {
    if (await isHeld(ctx)) return
    // Before it reads the body, so that remote clients cannot fill the memory for bodies.
    if (!isLocal(ctx)) return fail(ctx, pages.linkUsedUp)
    const token = await tokenOf(ctx)
    const taken = await store.takeLink(hashOf(token), clock()).then(
      (who) => E.right(who),
      () => E.left('unavailable'),
    )
    if (E.isLeft(taken)) return show(ctx, pages.databaseUnavailable)
    if (taken.right === undefined) return fail(ctx, pages.linkUsedUp)
    started(ctx, await sessions.start(ctx, taken.right, 'link'), taken.right, 'link', `${basePath}/`)
  }
  const notSignedIn = (ctx: Ctx, reason: NotSignedIn) => {
    log.warn(reason, 'a sign-in to the console failed')
    if (reason.kind === 'unavailable') return show(ctx, pages.unavailable)
    return fail(ctx, pages[reason.kind])
  }
  const placeOfTransaction = `${basePath}/sign-in`
  const begin = async (ctx: Ctx, { flow }: NonNullable<SignInDeps['oidc']>) => {
    const begun = await flow.begin(pageOf(ctx.query.next))
    if (E.isLeft(begun)) return notSignedIn(ctx, begun.left)
    const { location, state, transaction } = begun.right
    for (const name of transactionsOf(ctx).slice(0, 1 - maxTransactions))
      ctx.append('Set-Cookie', cookie(name, '', placeOfTransaction, 0))
    ctx.append('Set-Cookie', cookie(transactionName(state), transaction, placeOfTransaction, transactionLastsMs))
    goTo(ctx, location)
  }
  const finish = async (ctx: Ctx, { flow }: NonNullable<SignInDeps['oidc']>) => {
    if (await isHeld(ctx)) return
    const name = transactionName(String(ctx.query.state ?? ''))
    // With the sign-in of another tab alone, the state does not fit, and the answer says so.
    const [other = ''] = transactionsOf(ctx)
    const finished = await flow.finish(ctx.search, ctx.cookies.get(name) ?? ctx.cookies.get(other))
    ctx.append('Set-Cookie', cookie(name, '', placeOfTransaction, 0))
    if (E.isLeft(finished)) return notSignedIn(ctx, finished.left)
    const { who, groups, next } = finished.right
    if (who === '') return notSignedIn(ctx, { kind: 'refused', code: 'no_name' })
    if (grantsOf(groups, grants).length === 0) {
      log.warn({ groups: groups.slice(0, maxGroups) }, 'a sign-in to the console failed: none of the groups has a role')
      return show(ctx, pages.noGrant(groups.slice(0, maxGroups)))
    }
    started(ctx, await sessions.start(ctx, who, groups), who, 'oidc', pageOf(next))
  }
  const signIn = async (ctx: Ctx) => {
    if (ctx.method === 'POST') return useLink(ctx)
    if (ctx.method !== 'GET') return refuse(ctx, notAllowed('GET, POST'))
    const { token } = ctx.query
    if (typeof token === 'string') return show(ctx, isLocal(ctx) ? pages.confirmLink(token) : pages.linkUsedUp)
    show(ctx, pages.choose(oidc?.issuer, pageOf(ctx.query.next)))
  }
  const signOut = async (ctx: Ctx) => {
    if (ctx.method !== 'POST') return refuse(ctx, notAllowed('POST'))
    const found = await sessions.read(ctx, isLocal(ctx))
    if (E.isRight(found) && found.right !== undefined && !isSame(ctx.get('x-csrf-token'), found.right.csrf))
      return refuse(ctx, { status: 403, code: 'invalid_client', message: 'X-CSRF-Token: expected that of the session' })
    const ended = E.isLeft(found) ? found : await sessions.end(ctx)
    if (E.isLeft(ended))
      return refuse(ctx, { status: 503, code: 'temporarily_unavailable', message: 'MongoDB does not answer' })
    ctx.status = 204
  }
  const ofOidc = (handle: (ctx: Ctx, given: NonNullable<SignInDeps['oidc']>) => Promise<void>) => (ctx: Ctx) => {
    if (ctx.method !== 'GET') return refuse(ctx, notAllowed('GET'))
    return oidc === undefined ? show(ctx, pages.choose(undefined, '')) : handle(ctx, oidc)
  }
  return new Router<State>({ sensitive: true })
    .all(`${basePath}/sign-in`, signIn)
    .all(`${basePath}/sign-in/start`, ofOidc(begin))
    .all(`${basePath}/sign-in/done`, ofOidc(finish))
    .all(`${basePath}/sign-out`, signOut)
}
