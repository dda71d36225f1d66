import * as E from 'fp-ts/lib/Either.js'
import type { GrantEntry } from '../../bridge/domain/accounts.ts'
import type { Ctx } from '../../bridge/http/answer.ts'
import type { Log } from '../../bridge/shared/log.ts'
import { grantsOf } from './grants.ts'
import { type NotSignedIn, type Oidc, transactionLastsMs } from './oidc.ts'
import { cookie, type Sessions } from './sessions.ts'
import { goTo, type SignInAnswers, show } from './sign-in-answers.ts'
import { pageAfterSignIn, surplusIn, transactionCookieName, transactionsIn } from './sign-in-transactions.ts'

export type OidcDeps = {
  readonly sessions: Sessions
  readonly basePath: string
  readonly grants: ReadonlyArray<GrantEntry>
  readonly log: Log
}

/** How many groups a refusal names. */
const maxGroups = 20

/** Sends the browser to the provider, and takes what the provider says of the user. */
export const signInWithOidc = (deps: OidcDeps, flow: Oidc, { pages, fail, started }: SignInAnswers) => {
  const { sessions, basePath, grants, log } = deps
  const path = `${basePath}/sign-in`
  const notSignedIn = (ctx: Ctx, reason: NotSignedIn) => {
    log.warn(reason, 'a sign-in to the console failed')
    if (reason.kind === 'unavailable') return show(ctx, pages.unavailable)
    return fail(ctx, pages[reason.kind])
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
      const { who, groups, next } = finished.right
      if (who === '') return notSignedIn(ctx, { kind: 'refused', code: 'no_name' })
      if (grantsOf(groups, grants).length === 0) {
        const some = groups.slice(0, maxGroups)
        log.warn({ groups: some }, 'a sign-in to the console failed: none of the groups has a role')
        return show(ctx, pages.noGrant(some))
      }
      started(ctx, await sessions.start(ctx, who, groups), who, 'oidc', pageAfterSignIn(basePath, next))
    },
  }
}
