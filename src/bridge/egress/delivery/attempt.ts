import * as E from 'fp-ts/lib/Either.js'
import type { BotRequest } from '../../../../contracts/bot-api/outbound.ts'
import type { Attempt } from '../../../../contracts/events/reply.ts'
import { clientSpan, endSpan } from '../../adapters/tracing.ts'
import type { IssueToken } from '../../domain/accounts.ts'
import type { EgressPorts } from '../ports.ts'
import type { BotOwner } from './check-command.ts'
import { classify, type Verdict, wordsOf } from './classify.ts'
import type { HttpResult } from './post.ts'
import { createRequest } from './post.ts'

/** An access token. `number` is another one for each token of the account. */
type AccessToken = { readonly token: string; readonly number: number }

/** An account's access token, or undefined without authorization. After `forget` the next token is a new one. */
type TokenCache = {
  readonly tokenOf: (account: BotOwner) => Promise<AccessToken | undefined>
  readonly forget: (account: BotOwner) => void
}

/** Keeps each account's token for half of its lifetime. `monotonic` is in ms. */
const tokenCache = (issueToken: IssueToken, monotonic: () => number): TokenCache => {
  const kept = new Map<string, AccessToken & { readonly until: number }>()
  let issued = 0
  return {
    tokenOf: async (account) => {
      if (account.bot.authorization === undefined) return undefined
      const known = kept.get(account.id)
      if (known !== undefined && monotonic() < known.until) return known
      const { token, expiresIn } = await issueToken(account)
      issued += 1
      const fresh = { token, number: issued, until: monotonic() + expiresIn * 500 }
      kept.set(account.id, fresh)
      return fresh
    },
    forget: ({ id }) => {
      kept.delete(id)
    },
  }
}

/**
 * The record of one request to the service, its verdict, and the service's words without the account's secrets. `token`
 * is the number of its access token, 0 without one. `answer` is the status, or the network's error.
 */
export type Tried = {
  readonly attempt: Attempt
  readonly verdict: Verdict
  readonly token: number
  readonly answer: string
  readonly words?: string
}
export type TryOnce = (account: BotOwner, body: BotRequest, traceparent?: string) => Promise<Tried>

/**
 * Whether 403 or 404 was about the client (blocked, gone) and not about the account: the service has taken another chat
 * since then, with the same token. 401 is always about the account.
 */
export const wasAboutClient = (
  { attempt: { status }, number, token }: Pick<Tried, 'attempt' | 'token'> & { readonly number: number },
  isOthersTaken: (number: number, token: number) => boolean,
): boolean => (status === 403 || status === 404) && isOthersTaken(number, token)

/** The protocol's response timeout (Limits). */
export const requestTimeoutMs = 3000

const resultLabel = (result: HttpResult, { kind }: Verdict): string => {
  if (E.isLeft(result)) return result.left.code
  return result.right.status < 300 && kind !== 'delivered' ? 'error' : String(result.right.status)
}

const secretsOf = ({ bot }: BotOwner, accessToken: string | undefined): ReadonlyArray<string> => {
  const { secretKey, secondSecretKey } = bot.authorization ?? {}
  return [bot.token, bot.secondToken, secretKey, secondSecretKey, accessToken].filter((secret) => secret !== undefined)
}

/** Posts once and never rejects. Forgets an access token that the service refuses. */
export const attempter = ({
  issueToken,
  post,
  measure,
  now,
  monotonic,
}: Pick<EgressPorts, 'issueToken' | 'post' | 'measure' | 'now' | 'monotonic'>): TryOnce => {
  const tokens = tokenCache(issueToken, monotonic)
  return async (account, body, traceparent) => {
    const span = clientSpan(traceparent, account.bot.baseUrl)
    const at = now()
    const began = monotonic()
    let token: AccessToken | undefined
    const send = async () => {
      token = await tokens.tokenOf(account)
      return post(createRequest(account.bot, body, token?.token), requestTimeoutMs)
    }
    const result = await send().catch((): HttpResult => E.left({ code: 'unsent' }))
    const durationMs = Math.max(0, Math.round(monotonic() - began))
    const verdict = classify(result, account.bot.authorization !== undefined, Date.parse(at) + durationMs)
    const answer = resultLabel(result, verdict)
    if (verdict.kind === 'unauthorized') tokens.forget(account)
    if (E.isRight(result)) span?.setAttribute('http.response.status_code', result.right.status)
    endSpan(span, verdict.kind === 'delivered' ? undefined : answer)
    measure.attempt(account.id, answer, durationMs / 1000)
    const mayBeFinal = verdict.kind === 'rejected' || (verdict.kind === 'retry' && verdict.isOfAccount)
    return {
      verdict,
      token: token?.number ?? 0,
      answer,
      ...(mayBeFinal && E.isRight(result) && { words: wordsOf(result.right.body, secretsOf(account, token?.token)) }),
      attempt: {
        at,
        durationMs,
        ...(E.isRight(result) && { status: result.right.status }),
        ...(verdict.code !== undefined && { code: verdict.code }),
      },
    }
  }
}
