import type Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Account, IssueToken, VerifyToken } from '../domain/accounts.ts'
import type { ChatHistory } from '../domain/chat-history.ts'
import type { Now } from '../domain/clock.ts'
import type { Append, Failure, PublishWithFallback } from '../domain/log/record.ts'
import type { Measure } from '../domain/metrics.ts'
import { bodyBudget } from '../http/body.ts'
import { clientAddresses, type Network } from '../http/client-address.ts'
import type { State } from '../http/context.ts'
import { failureDelay } from '../http/failure-delay.ts'
import type { Limits } from '../http/limits.ts'
import type { Log } from '../shared/log.ts'
import type { Sleep } from '../shared/time.ts'
import { within } from '../shared/timeout.ts'
import { rateLimits } from './admission.ts'
import { botRouter } from './bot.ts'
import type { FindEnrichment } from './enrichment.ts'
import { historyRouter } from './history.ts'
import { oauthRouter } from './oauth.ts'
import { webhooksRouter } from './webhooks.ts'

export type IngressDeps = {
  readonly accounts: ReadonlyArray<Account>
  /** The proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: ReadonlyArray<Network>
  readonly publish: PublishWithFallback
  readonly append: Append
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

const late = (): E.Either<Failure, never> => E.left({ kind: 'transient', reason: 'no acknowledgement in time' })

/** The same function, but it settles within the given time, even if `port` settles later or never. */
export const bounded =
  <A, B>(port: (subject: A, withinMs: number) => Promise<E.Either<Failure, B>>) =>
  (subject: A, withinMs: number): Promise<E.Either<Failure, B>> =>
    withinMs > 0 ? within(withinMs, port(subject, withinMs), late) : Promise.resolve(late())

/** The routes of both interfaces, of the token exchange, and of the history that bots read. */
export const ingressRouters =
  (deps: IngressDeps) =>
  (limits: Limits): ReadonlyArray<Router<State>> => {
    const shared = {
      ...deps,
      limits,
      budget: bodyBudget(limits.allBodiesBytes),
      addressOf: clientAddresses(deps.trustedProxies, deps.log),
      failures: failureDelay(deps.monotonic),
      rateLimit: rateLimits(deps.monotonic),
      publish: bounded(deps.publish),
      append: bounded(deps.append),
    }
    const tokenRouteDeps = { ...shared, budget: bodyBudget(limits.allTokenBodiesBytes) }
    return [webhooksRouter(shared), botRouter(shared), oauthRouter(tokenRouteDeps), historyRouter(shared)]
  }
