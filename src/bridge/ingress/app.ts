import type Router from '@koa/router'
import type { State } from '../http/answer.ts'
import { bodyBudget } from '../http/body.ts'
import { clientAddresses } from '../http/client-address.ts'
import { failureDelay } from '../http/failure-delay.ts'
import type { Limits } from '../http/limits.ts'
import { type Ingress, rateLimits, type Shared } from './admission.ts'
import { botRouter } from './bot.ts'
import { historyRouter } from './history.ts'
import { oauthRouter } from './oauth.ts'
import { webhooksRouter } from './webhooks.ts'

/** The routes of both interfaces, of the token exchange, and of the history that bots read. */
export const ingressRouters =
  (ingress: Ingress) =>
  (limits: Limits): ReadonlyArray<Router<State>> => {
    const shared: Shared = {
      ...ingress,
      limits,
      budget: bodyBudget(limits.allBodiesBytes),
      addressOf: clientAddresses(ingress.trustedProxies, ingress.log),
      failures: failureDelay(ingress.monotonic),
      rateLimit: rateLimits(ingress.monotonic),
    }
    const forTokens = { ...shared, budget: bodyBudget(limits.allTokenBodiesBytes) }
    return [webhooksRouter(shared), botRouter(shared), oauthRouter(forTokens), historyRouter(shared)]
  }
