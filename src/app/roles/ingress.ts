import * as E from 'fp-ts/lib/Either.js'
import { now } from '../../domain/clock.ts'
import type { Health } from '../../domain/ports.ts'
import { ingressRouters } from '../../ingress/app.ts'
import { enrichedKeys, findingEnrichments } from '../../ingress/enriched-keys.ts'
import { monotonic, sleep } from '../../shared/time.ts'
import type { Part, Ports } from '../ports.ts'
import { followEnrichedKeys } from './enriched-keys.ts'
import { openIntake } from './intake.ts'

export type Ingress = {
  readonly routers: ReturnType<typeof ingressRouters>
  readonly checks: { readonly journal: () => Health }
  /** Follows the enrichments, once their topic exists. */
  readonly start: () => Part
  /** Ends the intake. The routes must have stopped. */
  readonly stop: () => Promise<void>
}

/** Takes in webhooks and the bot API from the start, before topics exist. Left: what the operator must do. */
export const openIngress = async (ports: Ports): Promise<E.Either<string, Ingress>> => {
  const { settings, kafka, mongo, tokens, metrics, log } = ports
  const { measure, watch } = metrics
  const { dataDir, journalMaxBytes } = settings
  const opened = await openIntake({ kafka, dataDir, maxBytes: journalMaxBytes, measure, log })
  if (E.isLeft(opened)) return opened
  const intake = opened.right
  watch('journal', () => ({ ...intake.state(), now: Date.now() }))
  watch('journalDisk', async () => ({ freeBytes: await intake.freeBytes() }))
  const filter = enrichedKeys()
  return E.right({
    routers: ingressRouters({
      accounts: settings.accounts,
      trustedProxies: settings.http.trustedProxies,
      publish: intake.publish,
      append: intake.append,
      findEnrichment: findingEnrichments(mongo.findEnrichments, filter),
      history: mongo.chatHistory,
      verify: tokens.verify,
      issue: tokens.issue,
      measure,
      log,
      now,
      sleep,
      monotonic,
    }),
    checks: { journal: intake.health },
    start: () => followEnrichedKeys({ kafka, mongo, filter, log, sleep }),
    stop: intake.stop,
  })
}
