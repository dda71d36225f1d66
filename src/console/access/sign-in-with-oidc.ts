import * as E from 'fp-ts/lib/Either.js'
import type { GrantEntry } from '../../bridge/domain/accounts.ts'
import type { Ctx } from '../../bridge/http/answer.ts'
import type { Log } from '../../bridge/shared/log.ts'
import { goTo } from '../respond.ts'
import { grantsOf } from './grants.ts'
import { type NotSignedIn, type Oidc, transactionLastsMs } from './oidc.ts'
import { cookie, type Sessions } from './sessions.ts'
import { type SignInAnswers, show } from './sign-in-answers.ts'
import { pageAfterSignIn, surplusIn, transactionCookieName, transactionsIn } from './sign-in-transactions.ts'

export type OidcDeps = {
  readonly sessions: Sessions
  readonly basePath: string
  readonly grants: ReadonlyArray<GrantEntry>
  readonly log: Log
}

/** The provider's flow, and the claim that names a person's groups. */
export type OidcFlow = { readonly flow: Oidc; readonly groupsClaim: string }

/** How many groups a refusal names. */
const maxGroups = 20

/** Sends the browser to the provider, and takes what the provider says of the user. */
export const signInWithOidc = (
  deps: OidcDeps,
  { flow, groupsClaim }: OidcFlow,
  { pages, fail, started }: SignInAnswers,
) => {
  const { sessions, basePath, grants, log } = deps
  const path = `${basePath}/sign-in`
  const notSignedIn = (ctx: Ctx, reason: NotSignedIn) => {
    log.warn(reason, 'a sign-in to the console failed')
    if (reason.kind === 'expired') return fail(ctx, pages.expired)
    const why = reason.reason === undefined ? reason.code : `${reason.reason}; ${reason.code}`
    return reason.kind === 'unavailable' ? show(ctx, pages.unavailable(why)) : fail(ctx, pages.refused(why))
  }
  return {
    begin: async (ctx: Ctx): Promise<void> => {
      const begun = await flow.begin(pageAfterSignIn(basePath, ctx.query.next))
      if (E.isLeft(begun)) return notSignedIn(ctx, begun.left)
      const { location, state, transaction } = begun.right
      for (const name of surplusIn(ctx.get('cookie'))) ctx.append('Set-Cookie', cookie(name, '', path, 0))
      ctx.append('Set-Cookie', cookie(transactionCookieName(state), transaction, path, transactionLastsMs))
      goTo(ctx, location)
    },
    finish: async (ctx: Ctx): Promise<void> => {
      const name = transactionCookieName(String(ctx.query.state ?? ''))
      // With the sign-in of another tab alone, the state does not fit, and the answer says so.
      const [other = ''] = transactionsIn(ctx.get('cookie'))
      const finished = await flow.finish(ctx.search, ctx.cookies.get(name) ?? ctx.cookies.get(other))
      ctx.append('Set-Cookie', cookie(name, '', path, 0))
      if (E.isLeft(finished)) return notSignedIn(ctx, finished.left)
      const { who, groups, hasTooManyGroups, next } = finished.right
      if (who === '') return notSignedIn(ctx, { kind: 'refused', code: 'no_name' })
      if (grantsOf(groups, grants).length === 0) {
        const some = groups.slice(0, maxGroups)
        const why = hasTooManyGroups ? 'too many groups for a token' : 'none of the groups has a role'
        log.warn({ groups: some, claim: groupsClaim }, `a sign-in to the console failed: ${why}`)
        return show(ctx, hasTooManyGroups ? pages.tooManyGroups(groupsClaim) : pages.noGrant(some, groupsClaim))
      }
      started(ctx, await sessions.start(ctx, who, groups), who, 'oidc', pageAfterSignIn(basePath, next))
    },
  }
}
