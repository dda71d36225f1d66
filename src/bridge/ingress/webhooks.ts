import { randomUUID } from 'node:crypto'
import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { contentHashes } from '../domain/content-hash.ts'
import { decodeWebhook } from '../domain/requests.ts'
import { answering, ok, type State } from '../http/answer.ts'
import { admission, type PublishWithFallback, type Shared } from './admission.ts'
import { replying } from './enrichment.ts'
import { receiving } from './receive.ts'
import { refusalOf } from './refusal.ts'

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

/** Publishes an event; if it is too large for a record, without the texts that repeat its messages. */
const publishingSmaller =
  (publish: PublishWithFallback): PublishWithFallback =>
  async (event, withinMs) => {
    const published = await publish(event, withinMs)
    if (E.isRight(published) || published.left.kind !== 'too-large') return published
    const smaller = withoutRepeatedTexts(event)
    return smaller === undefined ? published : publish(smaller, withinMs)
  }

/** Interface A: answers 200 once the event is durable, with enrichments if the service shows them to agents. */
export const webhooksRouter = (shared: Shared) => {
  const { accounts, findEnrichment, limits, log } = shared
  const publish = publishingSmaller(shared.publish)
  const contentHash = contentHashes(accounts)
  const reply = replying(findEnrichment, limits.enrichmentMs)

  const receive = receiving(shared, {
    api: 'webhooks',
    admit: admission(
      shared,
      ({ webhooks }) => [webhooks?.token, webhooks?.secondToken],
      async () => true,
    ),
    decode: (payload, { account, body }, receivedAt, ctx) =>
      decodeWebhook(payload, {
        accountId: account.id,
        receivedAt,
        traceparent: ctx.state.traceparent,
        // Interface A has no ids, and a value may change from A to B and back to A: three events, two with equal bodies.
        // So each request is a new event, even with a repeated body.
        id: randomUUID(),
        contentHash: contentHash(account, body),
      }),
    answerTo: (reason) => (reason.kind === 'unknown-event' ? ok({ result: 'ok' }) : E.left(refusalOf(reason))),
    answerToRefused: async (event) => ok(await reply(event, Promise.resolve())),
    publish: async (event, withinMs) => {
      const publishing = publish(event, withinMs)
      const replied = reply(event, publishing)
      const published = await publishing
      return E.isLeft(published) ? published : E.right(ok(await replied))
    },
    leftMs: () => limits.webhooksMs,
  })
  return new Router<State>({ sensitive: true }).all(`/webhooks/*token`, answering('webhooks', route, log, receive))
}
