import { hash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Problem } from '../../../contracts/problem.ts'
import type { Account, IssueToken, VerifyToken } from '../domain/accounts.ts'
import type { ChatHistory } from '../domain/chat-history.ts'
import type { Now } from '../domain/clock.ts'
import type { NotUnderstood } from '../domain/decode-request.ts'
import type { DurableIn, Failure, OutgoingRecord } from '../domain/log/record.ts'
import type { Measure } from '../domain/metrics.ts'
import { type JsonProblem, readJson } from '../domain/read-json.ts'
import { type Ctx, notAllowed, type Refusal } from '../http/answer.ts'
import { type BodyBudget, readBody } from '../http/body.ts'
import type { ClientAddress, Network } from '../http/client-address.ts'
import type { FailureDelay } from '../http/failure-delay.ts'
import type { Limits } from '../http/limits.ts'
import type { Log } from '../shared/log.ts'
import type { Sleep } from '../shared/time.ts'
import type { FindEnrichment } from './enrichment.ts'
import { byPathToken, type TokensOf } from './path-token.ts'
import { incomplete, noMemory, refusalOf, tooLarge, tooManyRequests, unauthorized, unknownToken } from './refusal.ts'

/**
 * True if the header names this type, perhaps among others: each proxy may add one. The parameters of a type say nothing:
 * neither JSON (RFC 8259) nor a form has a charset, and the bytes themselves show whether they are UTF-8.
 */
export const isType = (contentType: string, expected: string): boolean =>
  contentType.split(',').some((each) => each.split(';', 1)[0]?.trim().toLowerCase() === expected)

const encodingProblem = (contentEncoding: string): Problem | undefined =>
  contentEncoding === '' || contentEncoding.toLowerCase() === 'identity'
    ? undefined
    : { path: 'Content-Encoding', expected: 'none' }

const noJson: ReadonlySet<JsonProblem['cause']> = new Set(['not-utf8', 'not-json'])

const digest = (secret: string) => hash('sha256', secret, 'hex')

/** Compares in constant time. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)))

const windowMs = 1_000

/** True if an account may send one more request now. */
export type RateLimit = (account: Account) => boolean

/**
 * Counts an account's requests to this process, for both interfaces together. Refuses those over the limit within a
 * second from the first request on. `monotonic` is in ms.
 */
export const rateLimits = (monotonic: () => number): RateLimit => {
  const windows = new Map<string, { began: number; requests: number }>()
  return ({ id, requestsPerSecond }) => {
    const now = monotonic()
    const window = windows.get(id)
    if (window === undefined || now - window.began >= windowMs) {
      windows.set(id, { began: now, requests: 1 })
      return requestsPerSecond >= 1
    }
    window.requests++
    return window.requests <= requestsPerSecond
  }
}

/** A request of a known and authorized account. Its body is not decoded yet. Missing headers are ''. */
export type Admitted = {
  readonly account: Account
  readonly body: Buffer
  readonly contentType: string
  readonly contentEncoding: string
  /** Set if the body is too large: `body` is its beginning. `size` in bytes if the request states it. */
  readonly tooLarge?: { readonly size: number | undefined }
}

/**
 * Publishes an event: to Kafka or, while Kafka is unavailable, to the journal. Left after at most `withinMs`: the event
 * is not known to be durable. `dataJson` is the JSON of the data, if the caller has it already.
 */
export type PublishWithFallback = (
  event: DomainEvent,
  withinMs: number,
  dataJson?: string,
) => Promise<E.Either<Failure, DurableIn>>

/** What the routes are made from. */
export type Ingress = {
  readonly accounts: ReadonlyArray<Account>
  /** The proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: ReadonlyArray<Network>
  readonly publish: PublishWithFallback
  /** Appends a record as `publish` does. */
  readonly append: (record: OutgoingRecord, withinMs: number) => Promise<E.Either<Failure, unknown>>
  readonly findEnrichment: FindEnrichment
  readonly history: ChatHistory
  readonly verify: VerifyToken
  readonly issue: IssueToken
  readonly measure: Measure
  readonly log: Log
  readonly now: Now
  readonly sleep: Sleep
  /** A monotonic clock, in ms. */
  readonly monotonic: () => number
}

/** What the routes of one server share. */
export type Shared = Ingress & {
  readonly limits: Limits
  /** The memory for bodies. */
  readonly budget: BodyBudget
  readonly addressOf: ClientAddress
  readonly failures: FailureDelay
  readonly rateLimit: RateLimit
}

type Authorize = (account: Account, header: string) => Promise<boolean>

/** Delays the answer to a wrong secret, or refuses it as one too many. With an account if only its second secret is wrong. */
export const refuseSecret = async (
  { addressOf, failures, sleep }: Pick<Shared, 'addressOf' | 'failures' | 'sleep'>,
  { req }: Ctx,
  refusal: Refusal,
  account?: Account,
): Promise<E.Either<Refusal, never>> => {
  const { waitMs, isTooMany } = failures(addressOf(req), account?.id)
  await sleep(waitMs)
  return E.left(isTooMany ? tooManyRequests : refusal)
}

/**
 * Admits a request or says why not. Checks in this order: method, token, authorization, rate limit, body. So what is
 * valid never pays for what others send: not for their failures from the same address, and the account's rate is not
 * used up by whoever knows only its path.
 */
export const admission = (shared: Shared, tokensOf: TokensOf, authorize: Authorize) => {
  const { accounts, rateLimit, limits, budget } = shared
  const find = byPathToken(accounts, tokensOf, digest)
  return async (ctx: Ctx): Promise<E.Either<Refusal, Admitted>> => {
    if (ctx.method !== 'POST') return E.left(notAllowed('POST'))
    // As it was sent: the router has decoded its parameter.
    const account = find(ctx.path.split('/').slice(2).join('/'))
    if (account === undefined) return refuseSecret(shared, ctx, unknownToken)
    ctx.state.accountId = account.id
    if (!(await authorize(account, ctx.get('authorization')))) return refuseSecret(shared, ctx, unauthorized, account)
    ctx.state.isAdmitted = true
    if (!rateLimit(account)) return E.left(tooManyRequests)
    const sent = { account, contentType: ctx.get('content-type'), contentEncoding: ctx.get('content-encoding') }
    const body = await readBody(ctx.req, {
      maxBytes: limits.bodyBytes,
      drainMs: limits.drainMs,
      budget,
      owner: account.id,
    })
    if (E.isRight(body)) {
      ctx.res.once('close', body.right.release)
      return E.right({ ...sent, body: body.right.bytes })
    }
    const { left: reason } = body
    if (reason.kind === 'too-large') return E.right({ ...sent, body: reason.head, tooLarge: { size: reason.size } })
    return E.left(reason.kind === 'incomplete' ? incomplete : noMemory)
  }
}

/** The answer to a request whose body is too large. Pure. */
export const refusalOfSize = ({ contentEncoding }: Admitted, maxBytes: number): Refusal => {
  const problem = encodingProblem(contentEncoding)
  const refusal = tooLarge(maxBytes)
  return problem === undefined
    ? refusal
    : { ...refusal, ...refusalOf({ kind: 'media-type', problem }), headers: refusal.headers ?? {} }
}

/**
 * The payload of an admitted request, or the first problem. A body that is JSON is JSON, whatever its `Content-Type`
 * says: that header is often changed or lost on the way, and the event must not be. Pure.
 */
export const payloadOf = ({ body, contentType, contentEncoding }: Admitted): E.Either<NotUnderstood, unknown> => {
  const encoded = encodingProblem(contentEncoding)
  if (encoded !== undefined) return E.left({ kind: 'media-type', problem: encoded })
  return E.mapLeft(
    (problem: JsonProblem): NotUnderstood =>
      noJson.has(problem.cause) && !isType(contentType, 'application/json')
        ? { kind: 'media-type', problem: { path: 'Content-Type', expected: 'application/json' } }
        : { kind: 'invalid', problems: [problem] },
  )(readJson(body))
}
