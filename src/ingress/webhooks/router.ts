import { randomUUID } from 'node:crypto'
import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { contentHashes } from '../../domain/content-hash.ts'
import type { Append, Log, Now, Publish } from '../../domain/ports.ts'
import { type AdmissionDeps, admission } from '../admission.ts'
import { answering, ok } from '../answering.ts'
import type { State } from '../context.ts'
import type { MeasureRequests } from '../measure.ts'
import { quarantining } from '../quarantine.ts'
import { refusalOf, unavailable } from '../refusal.ts'
import { understand } from '../understand.ts'
import { type FindEnrichment, replying } from './enrichment.ts'
import { translate } from './translate.ts'

export type WebhooksDeps = AdmissionDeps & {
  readonly publish: Publish
  readonly append: Append
  readonly findEnrichment: FindEnrichment
  readonly measure: MeasureRequests
  readonly log: Log
  readonly now: Now
}

const route = '/webhooks/:token'

/** Interface A: 200 once the event is durable, with what the enrichments hold where the service shows it to agents. */
export const webhooksRouter = (deps: WebhooksDeps) => {
  const { publish, now, limits } = deps
  const contentHash = contentHashes(deps.accounts)
  const admit = admission(
    deps,
    ({ webhooks }) => [webhooks?.token, webhooks?.secondToken],
    async () => true,
  )
  const quarantine = quarantining(deps.append, deps.measure, 'webhooks')
  const reply = replying(deps.findEnrichment, limits.enrichmentMs)

  const handle = answering('webhooks', route, deps.log, async (ctx) => {
    const admitted = await admit(ctx)
    if (E.isLeft(admitted)) return admitted
    const { account, body } = admitted.right
    const receivedAt = now()
    // Interface A has no ids of its own, and people undo changes: each request is an event, also with a body that came before.
    const [id, hash] = [randomUUID(), contentHash(account, body)]
    const receipt = { accountId: account.id, receivedAt, traceparent: ctx.state.traceparent, id, contentHash: hash }
    const event = understand(admitted.right, translate(receipt))
    if (E.isLeft(event)) {
      const kept = await quarantine(admitted.right, event.left, receivedAt, limits.webhooksMs)
      if (E.isLeft(kept)) return E.left(unavailable)
      return event.left.kind === 'unknown-event' ? ok({ result: 'ok' }) : E.left(refusalOf(event.left))
    }
    ctx.state.eventId = id
    const publishing = publish(event.right, limits.webhooksMs)
    const replied = reply(event.right, publishing)
    return E.isLeft(await publishing) ? E.left(unavailable) : ok(await replied)
  })
  return new Router<State>({ sensitive: true }).all(route, handle)
}
