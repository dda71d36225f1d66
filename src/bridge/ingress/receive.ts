import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import type { Decoded, NotUnderstood } from '../domain/decode-request.ts'
import type { Failure } from '../domain/log/record.ts'
import type { Answer, Ctx, Handle, Refusal } from '../http/answer.ts'
import { type Admitted, type admission, payloadOf, refusalOfSize, type Shared } from './admission.ts'
import { type Quarantined, quarantining } from './quarantine.ts'
import { eventTooLarge, unavailable } from './refusal.ts'

/** What the two interfaces do in different ways. */
type Interface = {
  readonly api: 'webhooks' | 'bot'
  readonly admit: ReturnType<typeof admission>
  readonly decode: (
    payload: unknown,
    admitted: Admitted,
    receivedAt: Instant,
    ctx: Ctx,
  ) => E.Either<NotUnderstood, Decoded>
  /** The answer to a request that is not understood, once it is in quarantine. */
  readonly answerTo: (reason: NotUnderstood) => E.Either<Refusal, Answer>
  /** The answer to a request whose event Kafka will never accept, once the request is in quarantine. */
  readonly answerToRefused: (event: DomainEvent) => Promise<E.Either<Refusal, Answer>>
  /** Publishes the event. Right: the answer. Left: the event is not known to be durable. */
  readonly publish: (event: DomainEvent, withinMs: number) => Promise<E.Either<Failure, E.Either<Refusal, Answer>>>
  /** The time that is left for a request, in ms. */
  readonly leftMs: (ctx: Ctx) => number
}

/** Each admitted request becomes an event in the log, or is kept in quarantine. */
export const receiving = (
  shared: Shared,
  { api, admit, decode, answerTo, answerToRefused, publish, leftMs }: Interface,
): Handle => {
  const { now, limits, measure } = shared
  const quarantine = quarantining(shared, api)

  return async (ctx) => {
    const result = await admit(ctx)
    if (E.isLeft(result)) return result
    const admitted = result.right
    const receivedAt = now()
    const keep = (reason: Quarantined, answer: E.Either<Refusal, Answer>, event?: DomainEvent) =>
      quarantine({ admitted, reason, receivedAt, withinMs: leftMs(ctx), answer, event })

    if (admitted.tooLarge !== undefined)
      return keep({ kind: 'too-large', ...admitted.tooLarge }, E.left(refusalOfSize(admitted, limits.bodyBytes)))
    const payload = payloadOf(admitted)
    const decoded = E.isLeft(payload) ? payload : decode(payload.right, admitted, receivedAt, ctx)
    if (E.isLeft(decoded)) return keep(decoded.left, answerTo(decoded.left))
    const { event, misfits } = decoded.right
    if (misfits > 0) measure.misfit(api)
    ctx.state.eventId = event.id
    const published = await publish(event, leftMs(ctx))
    if (E.isRight(published)) return published.right
    const { kind, reason } = published.left
    switch (kind) {
      case 'transient':
        return E.left(unavailable)
      case 'too-large':
        return keep({ kind, size: admitted.body.length }, E.left(eventTooLarge), event)
      case 'permanent':
        return keep({ kind: 'refused-by-kafka', reason }, await answerToRefused(event), event)
    }
  }
}
