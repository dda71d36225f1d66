import * as E from 'fp-ts/lib/Either.js'
import type { Account } from '../domain/accounts.ts'
import type { VerifyToken } from '../domain/ports.ts'
import { readBody } from './body.ts'
import type { Ctx } from './context.ts'
import type { Limits } from './limits.ts'
import { mediaTypeProblem } from './media-type.ts'
import type { RateLimit } from './rate-limit.ts'
import { notAllowed, type Refusal, refusalOf, unauthorized, unknownToken } from './refusal.ts'
import { byToken, type TokensOf } from './tokens.ts'

/** A request of a known and authorized account, its body not yet understood; headers are '' where they are missing. */
export type Admitted = {
  readonly account: Account
  readonly body: Buffer
  readonly contentType: string
  readonly contentEncoding: string
}

export type AdmissionDeps = {
  readonly accounts: ReadonlyArray<Account>
  readonly rateLimit: RateLimit
  readonly limits: Limits
}

type Authorize = (account: Account, header: string) => Promise<boolean>

/** `Authorization: TOKEN` and `Authorization: Bearer TOKEN`, where the account wants it (protocol, Authentication). */
export const authorizing =
  (verify: VerifyToken): Authorize =>
  async (account, header) =>
    account.bot?.authorization === undefined ||
    (header !== '' && (await verify(account, header.replace(/^Bearer +/i, '').trim())))

const headersOf = ({ headers = {} }: Refusal) => ({ headers })

/** Lets a request in, or says why not, in the order: method, token, rate limit, authorization, content type, body. */
export const admission = ({ accounts, rateLimit, limits }: AdmissionDeps, tokensOf: TokensOf, authorize: Authorize) => {
  const find = byToken(accounts, tokensOf)
  return async (ctx: Ctx): Promise<E.Either<Refusal, Admitted>> => {
    if (ctx.method !== 'POST') return E.left(notAllowed('POST'))
    const account = find(ctx.params.token ?? '')
    if (account === undefined) return E.left(unknownToken)
    ctx.state.accountId = account.id
    const allowed = rateLimit(account)
    if (E.isLeft(allowed)) return allowed
    if (!(await authorize(account, ctx.get('authorization')))) return E.left(unauthorized)
    const contentType = ctx.get('content-type')
    const contentEncoding = ctx.get('content-encoding')
    const body = await readBody(ctx.req, limits)
    if (E.isRight(body)) return E.right({ account, body: body.right, contentType, contentEncoding })
    const problem = mediaTypeProblem(contentType, contentEncoding)
    return problem === undefined
      ? body
      : E.left({ ...refusalOf({ kind: 'media-type', problem }), ...headersOf(body.left) })
  }
}
