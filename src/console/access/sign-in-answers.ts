import * as E from 'fp-ts/lib/Either.js'
import type { Ctx } from '../../bridge/http/answer.ts'
import type { ClientAddress } from '../../bridge/http/client-address.ts'
import type { FailureDelay } from '../../bridge/http/failure-delay.ts'
import type { Log } from '../../bridge/shared/log.ts'
import type { Sleep } from '../../bridge/shared/time.ts'
import type { RecordActionOf } from '../page.ts'
import { goTo } from '../respond.ts'
import { type Page, pagesAt } from './pages.ts'

export type AnswerDeps = {
  readonly basePath: string
  readonly styleSheet: string
  readonly addressOf: ClientAddress
  readonly failures: FailureDelay
  readonly sleep: Sleep
  readonly log: Log
  readonly recordActionOf: RecordActionOf
}

export const show = (ctx: Ctx, { status, html, headers }: Page): void => {
  ctx.status = status
  ctx.set({ ...headers })
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = html
}

export type SignInAnswers = ReturnType<typeof signInAnswers>

/** How a sign-in ends, with a link or with OpenID Connect. */
export const signInAnswers = (deps: AnswerDeps) => {
  const { basePath, styleSheet, addressOf, failures, sleep, log, recordActionOf } = deps
  const pages = pagesAt(basePath, styleSheet)
  /** Nobody waits for the record: the console must open while Kafka is down, because it shows what is wrong. */
  const recordSignIn = async (who: string, by: 'link' | 'oidc') => {
    const command = by === 'link' ? 'with a sign-in link' : 'with OpenID Connect'
    const recorded = await recordActionOf(who)({ action: 'sign-in', command })
    if (E.isLeft(recorded)) log.error({ by, reason: recorded.left.reason }, 'a sign-in to the console was not recorded')
  }
  return {
    pages,
    /** Delays the page about a failed sign-in, or says that there were too many from this address. */
    fail: async (ctx: Ctx, page: Page): Promise<void> => {
      const { waitMs, isTooMany } = failures(addressOf(ctx.req))
      await sleep(waitMs)
      show(ctx, isTooMany ? pages.tooMany : page)
    },
    started: (ctx: Ctx, result: E.Either<'unavailable', void>, who: string, by: 'link' | 'oidc', next: string) => {
      if (E.isLeft(result)) return show(ctx, pages.databaseUnavailable)
      log.info({ by }, 'somebody signed in to the console')
      void recordSignIn(who, by)
      goTo(ctx, next)
    },
  }
}
