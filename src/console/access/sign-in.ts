import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { type Ctx, notAllowed, type State } from '../../bridge/http/answer.ts'
import { forbidden } from '../page.ts'
import { refuse } from '../respond.ts'
import { isLocal } from './guard.ts'
import { isSame } from './keys.ts'
import { type AnswerDeps, show, signInAnswers } from './sign-in-answers.ts'
import { pageAfterSignIn } from './sign-in-transactions.ts'
import { type LinkDeps, signInWithLink } from './sign-in-with-link.ts'
import { type OidcDeps, type OidcFlow, signInWithOidc } from './sign-in-with-oidc.ts'

export type SignInDeps = AnswerDeps &
  LinkDeps &
  OidcDeps & {
    /** Undefined if people sign in only with links. */
    readonly oidc?: OidcFlow & { readonly issuer: string }
  }

/** Sign-in by a link or by OpenID Connect, and sign-out. */
export const signInRouter = (deps: SignInDeps): Router<State> => {
  const { sessions, basePath, oidc } = deps
  const answers = signInAnswers(deps)
  const { pages } = answers
  const withLink = signInWithLink(deps, answers)
  const withOidc = oidc && signInWithOidc(deps, oidc, answers)

  const signIn = async (ctx: Ctx) => {
    if (ctx.method === 'POST') return withLink(ctx)
    if (ctx.method !== 'GET') return refuse(ctx, notAllowed('GET, POST'))
    const { token } = ctx.query
    if (typeof token === 'string') return show(ctx, isLocal(ctx) ? pages.confirmLink(token) : pages.linkUsedUp)
    show(ctx, pages.choose(oidc?.issuer, pageAfterSignIn(basePath, ctx.query.next)))
  }
  const signOut = async (ctx: Ctx) => {
    if (ctx.method !== 'POST') return refuse(ctx, notAllowed('POST'))
    const found = await sessions.read(ctx, isLocal(ctx))
    if (E.isRight(found) && found.right !== undefined && !isSame(ctx.get('x-csrf-token'), found.right.csrf))
      return refuse(ctx, forbidden('X-CSRF-Token: expected that of the session'))
    const ended = E.isLeft(found) ? found : await sessions.end(ctx)
    if (E.isLeft(ended))
      return refuse(ctx, { status: 503, code: 'temporarily_unavailable', message: 'MongoDB does not answer' })
    ctx.status = 204
  }
  const ofOidc = (handle: ((ctx: Ctx) => Promise<void>) | undefined) => (ctx: Ctx) => {
    if (ctx.method !== 'GET') return refuse(ctx, notAllowed('GET'))
    return handle === undefined ? show(ctx, pages.choose(undefined, '')) : handle(ctx)
  }
  return new Router<State>({ sensitive: true })
    .all(`${basePath}/sign-in`, signIn)
    .all(`${basePath}/sign-in/start`, ofOidc(withOidc?.begin))
    .all(`${basePath}/sign-in/done`, ofOidc(withOidc?.finish))
    .all(`${basePath}/sign-out`, signOut)
}
