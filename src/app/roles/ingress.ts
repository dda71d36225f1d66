import * as E from 'fp-ts/lib/Either.js'
import type { Health } from '../../bridge/domain/checks.ts'
import { now } from '../../bridge/domain/clock.ts'
import { ingressRouters } from '../../bridge/ingress/app.ts'
import { enrichmentFilter, findingEnrichments } from '../../bridge/ingress/enrichment-filter.ts'
import { fillEnrichmentFilter } from '../../bridge/ingress/fill-enrichment-filter.ts'
import { openIntake } from '../../bridge/journal/intake.ts'
import { toRecord } from '../../bridge/kafka/records.ts'
import { enrichedKeys, findEnrichments } from '../../bridge/mongo/enrichments.ts'
import { chatHistoryIn } from '../../bridge/mongo/history.ts'
import { monotonic, sleep } from '../../bridge/shared/time.ts'
import { type Part, type Ports, serverReasonOf } from '../ports.ts'
import { historyAfter } from './missed-erasures.ts'

export type Ingress = {
  readonly routers: ReturnType<typeof ingressRouters>
  readonly checks: { readonly journal: () => Health }
  /** Follows the enrichments and applies missed erasures, once the topics exist. */
  readonly start: () => Part
  /** Ends the intake. The routes must have stopped. */
  readonly stop: () => Promise<void>
}

/** Takes in webhooks and the bot API from the start, before topics exist. Left: what the operator must do. */
export const openIngress = async (ports: Ports): Promise<E.Either<string, Ingress>> => {
  const { settings, kafka, mongo, missed, tokens, metrics, log } = ports
  const { measure, watch } = metrics
  const { send, keepRefused: reject } = kafka
  const { dataDir, journalMaxBytes: maxBytes } = settings
  const opened = await openIntake({ dataDir, maxBytes, send, reject, now, sleep, log })
  if (E.isLeft(opened)) return opened
  const intake = opened.right
  watch('journal', () => ({ ...intake.state(), now: Date.now() }))
  watch('journalDisk', async () => ({ freeBytes: await intake.freeBytes() }))
  const filter = enrichmentFilter()
  const hasHistory = settings.accounts.some(({ bot }) => bot?.historyToken !== undefined)
  return E.right({
    routers: ingressRouters({
      accounts: settings.accounts,
      trustedProxies: settings.http.trustedProxies,
      publish: async (event, withinMs, dataJson) => {
        const published = await intake.append(toRecord(event, dataJson), withinMs)
        if (E.isRight(published)) measure.published(event.type)
        return published
      },
      append: intake.append,
      findEnrichment: findingEnrichments(mongo.query(findEnrichments), filter),
      history: historyAfter(
        missed.applyToViews,
        mongo.query((db) => chatHistoryIn(db, now)),
      ),
      verify: tokens.verify,
      issue: tokens.issue,
      measure,
      log,
      now,
      sleep,
      monotonic,
    }),
    checks: { journal: intake.health },
    start: () => {
      // The first history need not wait for it. If it fails, the next history tries again.
      if (hasHistory) missed.applyToViews().catch(() => undefined)
      const keys = mongo.query(enrichedKeys)
      const { stop } = fillEnrichmentFilter({ kafka, enrichedKeys: keys, filter, reasonOf: serverReasonOf, log, sleep })
      // No check: requests work without the filter, and the metrics count restarts of its consumer too.
      return { checks: {}, stop }
    },
    stop: intake.stop,
  })
}
