import * as E from 'fp-ts/lib/Either.js'
import type { Ctx } from '../../bridge/http/answer.ts'
import { type BodyBudget, readBody } from '../../bridge/http/body.ts'
import type { ConsoleSessions } from '../../bridge/mongo/sign-in-sessions.ts'
import { isLocal } from './guard.ts'
import { hashOf } from './keys.ts'
import { known, type Sessions } from './sessions.ts'
import { type SignInAnswers, show } from './sign-in-answers.ts'

export type LinkDeps = {
  readonly sessions: Sessions
  readonly store: Pick<ConsoleSessions, 'takeLink'>
  readonly basePath: string
  readonly budget: BodyBudget
  readonly clock: () => Date
}

const maxBytes = 4096

const tokenOf = async (ctx: Ctx, budget: BodyBudget): Promise<string> => {
  const body = await readBody(ctx.req, { maxBytes, drainMs: 0, budget, owner: 'sign-in' })
  if (E.isLeft(body)) return ''
  const token = new URLSearchParams(body.right.bytes.toString()).get('token') ?? ''
  body.right.release()
  return token
}

/** The form of the page that a sign-in link opens. */
export const signInWithLink =
  ({ sessions, store, basePath, budget, clock }: LinkDeps, { pages, fail, started }: SignInAnswers) =>
  async (ctx: Ctx): Promise<void> => {
    // Before it reads the body, so that remote clients cannot fill the memory for bodies.
    if (!isLocal(ctx)) return fail(ctx, pages.linkUsedUp)
    const token = await tokenOf(ctx, budget)
    const taken = await known(store.takeLink(hashOf(token), clock()))
    if (E.isLeft(taken)) return show(ctx, pages.databaseUnavailable)
    if (taken.right === undefined) return fail(ctx, pages.linkUsedUp)
    started(ctx, await sessions.start(ctx, taken.right, 'link'), taken.right, 'link', `${basePath}/`)
  }
