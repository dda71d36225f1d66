import Koa from 'koa'
import type { Account } from '../domain/accounts.ts'
import type { Append, IssueToken, Log, Now, Publish, VerifyToken } from '../domain/ports.ts'
import { accessLog } from './access-log.ts'
import { originOf, refusalBody } from './answering.ts'
import { botRouter } from './bot-api/router.ts'
import type { State } from './context.ts'
import type { ReadReadiness } from './health/readiness.ts'
import { healthRouter } from './health/router.ts'
import type { Limits } from './limits.ts'
import type { MeasureRequests } from './measure.ts'
import type { IngressMemory } from './memory.ts'
import { oauthRouter } from './oauth/router.ts'
import { bounded, once } from './once.ts'
import { rateLimits } from './rate-limit.ts'
import { unknownPath } from './refusal.ts'
import type { FindEnrichment } from './webhooks/enrichment.ts'
import { webhooksRouter } from './webhooks/router.ts'

export type IngressDeps = {
  readonly accounts: ReadonlyArray<Account>
  readonly memory: IngressMemory
  readonly publish: Publish
  readonly append: Append
  readonly findEnrichment: FindEnrichment
  readonly verify: VerifyToken
  readonly issue: IssueToken
  readonly readiness: ReadReadiness
  /** Resolves as long as the process goes on. */
  readonly pulse: () => Promise<void>
  /** Prometheus' text format. */
  readonly metrics: () => Promise<string>
  readonly measure: MeasureRequests
  readonly log: Log
  readonly now: Now
  /** A clock that never goes back, in ms, the same for all threads. */
  readonly monotonic: () => number
}

/** How far its server is on its way to an end: callers are to be led elsewhere, and then their connections closed. */
type Ending = { readonly isStopping: () => boolean; readonly isClosing: () => boolean }

/** The application without its server. Interface B repeats its events' ids: those go through a memory of what was published. */
export const createApp = (deps: IngressDeps, limits: Limits, ending: Ending): Koa<State> => {
  const app = new Koa<State>()
  app.on('error', (thrown: unknown) => deps.log.debug(originOf(thrown), 'an answer could not be written'))
  const shared = {
    ...deps,
    limits,
    ...ending,
    rateLimit: rateLimits(deps.accounts, deps.memory.rates, deps.monotonic),
    publish: bounded(deps.publish),
    append: bounded(deps.append),
  }
  app.use(accessLog(shared))
  const publishOnce = once(shared.publish, deps.memory.published)
  for (const router of [
    webhooksRouter(shared),
    botRouter({ ...shared, publish: publishOnce }),
    oauthRouter(shared),
    healthRouter(shared),
  ])
    app.use(router.routes())
  app.use((ctx) => {
    ctx.status = unknownPath.status
    ctx.body = refusalBody(undefined, unknownPath)
  })
  return app
}
