import { randomUUID } from 'node:crypto'
import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { Instant } from '../../contracts/primitives.ts'
import { contentHashes } from '../domain/content-hash.ts'
import type { NotUnderstood } from '../domain/decode-request.ts'
import type { Append, Log, Measure, Now, PublishWithFallback } from '../domain/ports.ts'
import { decodeWebhook } from '../domain/requests.ts'
import { answering, ok } from '../http/answer.ts'
import type { Ctx, State } from '../http/context.ts'
import { type AdmissionDeps, type Admitted, admission, payloadOf, refusalOfSize } from './admission.ts'
import { type FindEnrichment, replying } from './enrichment.ts'
import { type Quarantined, quarantining } from './quarantine.ts'
import { eventTooLarge, refusalOf, unavailable } from './refusal.ts'

export type WebhooksDeps = AdmissionDeps & {
  readonly publish: PublishWithFallback
  readonly append: Append
  readonly findEnrichment: FindEnrichment
  readonly measure: Pick<Measure, 'quarantined'>
  readonly log: Log
  readonly now: Now
}

const route = '/webhooks/:token'

/** The event without the texts that only repeat its messages; undefined if it has none. Pure. */
export const withoutRepeatedTexts = (event: DomainEvent): DomainEvent | undefined => {
  if (event.type !== 'ChatFinished') return undefined
  const { plainMessages, htmlMessages, ...data } = event.data
  const omitted = [
    ...(plainMessages === undefined ? [] : ['plainMessages' as const]),
    ...(htmlMessages === undefined ? [] : ['htmlMessages' as const]),
  ]
  return omitted.length === 0 ? undefined : { ...event, data: { ...data, omitted } }
}

/** Interface A: 200 once the event is durable, with what the enrichments hold if the service shows it to agents. */
export const webhooksRouter = (deps: WebhooksDeps) => {
  const { publish, now, limits, log } = deps
  const contentHash = contentHashes(deps.accounts)
  const admit = admission(
    deps,
    ({ webhooks }) => [webhooks?.token, webhooks?.secondToken],
    async () => true,
  )
  const quarantine = quarantining(deps.append, deps.measure, 'webhooks')
  const reply = replying(deps.findEnrichment, limits.enrichmentMs)

  const decode = (admitted: Admitted, receivedAt: Instant, ctx: Ctx): E.Either<NotUnderstood, DomainEvent> => {
    const payload = payloadOf(admitted)
    if (E.isLeft(payload)) return payload
    const { account, body } = admitted
    return decodeWebhook(payload.right, {
      accountId: account.id,
      receivedAt,
      traceparent: ctx.state.traceparent,
      // Interface A has no ids of its own, and people undo changes: each request is an event, also with a body that came before.
      id: randomUUID(),
      contentHash: contentHash(account, body),
    })
  }
  /** Publishes an event; if it is too large for a record, without the texts that repeat its messages. */
  const publishSmaller = async (event: DomainEvent): ReturnType<PublishWithFallback> => {
    const published = await publish(event, limits.webhooksMs)
    if (E.isRight(published) || published.left.kind !== 'too-large') return published
    const smaller = withoutRepeatedTexts(event)
    return smaller === undefined ? published : publish(smaller, limits.webhooksMs)
  }
  const keep = (admitted: Admitted, reason: Quarantined, receivedAt: Instant) =>
    quarantine(admitted, reason, receivedAt, limits.webhooksMs)

  const handle = answering('webhooks', route, log, async (ctx) => {
    const admitted = await admit(ctx)
    if (E.isLeft(admitted)) return admitted
    const { account, body, tooLarge: beyond } = admitted.right
    const receivedAt = now()
    if (beyond !== undefined) {
      log.warn({ accountId: account.id, bytes: beyond.size }, 'a webhook is too large: its beginning is in quarantine')
      const kept = await keep(admitted.right, { kind: 'too-large', size: beyond.size }, receivedAt)
      return E.left(E.isLeft(kept) ? unavailable : refusalOfSize(admitted.right, limits.bodyBytes))
    }
    const event = decode(admitted.right, receivedAt, ctx)
    if (E.isLeft(event)) {
      const kept = await keep(admitted.right, event.left, receivedAt)
      if (E.isLeft(kept)) return E.left(unavailable)
      return event.left.kind === 'unknown-event' ? ok({ result: 'ok' }) : E.left(refusalOf(event.left))
    }
    const { id, subject, type } = event.right
    ctx.state.eventId = id
    const publishing = publishSmaller(event.right)
    const replied = reply(event.right, publishing)
    const published = await publishing
    if (E.isRight(published)) return ok(await replied)
    if (published.left.kind !== 'too-large') return E.left(unavailable)
    const fields = { accountId: account.id, subject, type, bytes: body.length }
    log.warn(fields, 'an event is too large for Kafka: the beginning of its request is in quarantine')
    const kept = await keep(admitted.right, { kind: 'too-large', size: body.length }, receivedAt)
    return E.left(E.isLeft(kept) ? unavailable : eventTooLarge)
  })
  return new Router<State>({ sensitive: true }).all(route, handle)
}
