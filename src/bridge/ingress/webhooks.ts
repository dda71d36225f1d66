import { randomUUID } from 'node:crypto'
import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import { contentHashes } from '../domain/content-hash.ts'
import type { Decoded, NotUnderstood } from '../domain/decode-request.ts'
import { decodeWebhook } from '../domain/requests.ts'
import { type Answer, answering, ok, type Refusal } from '../http/answer.ts'
import type { Ctx, State } from '../http/context.ts'
import {
  type Admitted,
  admission,
  type PublishWithFallback,
  payloadOf,
  refusalOfSize,
  type Shared,
} from './admission.ts'
import { replying } from './enrichment.ts'
import { type Quarantined, quarantining } from './quarantine.ts'
import { eventTooLarge, refusalOf, unavailable } from './refusal.ts'

const route = '/webhooks/:token'

/** The event without the texts that only repeat its messages; undefined if it has none. Pure. */
const withoutRepeatedTexts = (event: DomainEvent): DomainEvent | undefined => {
  if (event.type !== 'ChatFinished') return undefined
  const { plainMessages, htmlMessages, ...data } = event.data
  const omitted = [
    ...(plainMessages === undefined ? [] : ['plainMessages' as const]),
    ...(htmlMessages === undefined ? [] : ['htmlMessages' as const]),
  ]
  return omitted.length === 0 ? undefined : { ...event, data: { ...data, omitted } }
}

/** Interface A: answers 200 once the event is durable, with enrichments if the service shows them to agents. */
export const webhooksRouter = (shared: Shared) => {
  const { accounts, publish, findEnrichment, now, limits, measure, log } = shared
  const contentHash = contentHashes(accounts)
  const admit = admission(
    shared,
    ({ webhooks }) => [webhooks?.token, webhooks?.secondToken],
    async () => true,
  )
  const quarantine = quarantining(shared, 'webhooks')
  const reply = replying(findEnrichment, limits.enrichmentMs)

  const decode = (admitted: Admitted, receivedAt: Instant, ctx: Ctx): E.Either<NotUnderstood, Decoded> => {
    const payload = payloadOf(admitted)
    if (E.isLeft(payload)) return payload
    const { account, body } = admitted
    return decodeWebhook(payload.right, {
      accountId: account.id,
      receivedAt,
      traceparent: ctx.state.traceparent,
      // Interface A has no ids, and a value may change from A to B and back to A: three events, two with equal bodies.
      // So each request is a new event, even with a repeated body.
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

  const handle = answering('webhooks', route, log, async (ctx) => {
    const result = await admit(ctx)
    if (E.isLeft(result)) return result
    const { right: admitted } = result
    const receivedAt = now()
    const keep = (reason: Quarantined, answer: E.Either<Refusal, Answer>, known?: DomainEvent) =>
      quarantine({ admitted, reason, receivedAt, withinMs: limits.webhooksMs, answer, ...(known && { event: known }) })

    if (admitted.tooLarge !== undefined)
      return keep({ kind: 'too-large', ...admitted.tooLarge }, E.left(refusalOfSize(admitted, limits.bodyBytes)))
    const decoded = decode(admitted, receivedAt, ctx)
    if (E.isLeft(decoded))
      return keep(
        decoded.left,
        decoded.left.kind === 'unknown-event' ? ok({ result: 'ok' }) : E.left(refusalOf(decoded.left)),
      )
    const { event, misfits } = decoded.right
    if (misfits > 0) measure.misfit('webhooks')
    ctx.state.eventId = event.id
    const publishing = publishSmaller(event)
    const replied = reply(event, publishing)
    const published = await publishing
    if (E.isRight(published)) return ok(await replied)
    if (published.left.kind !== 'too-large') return E.left(unavailable)
    return keep({ kind: 'too-large', size: admitted.body.length }, E.left(eventTooLarge), event)
  })
  return new Router<State>({ sensitive: true }).all(`/webhooks/*token`, handle)
}
