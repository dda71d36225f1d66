import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Append, Log, Measure, Now, PublishWithFallback, VerifyToken } from '../domain/ports.ts'
import { decodeBotEvent } from '../domain/requests.ts'
import { answering, type Handle, ok } from '../http/answer.ts'
import type { Ctx, State } from '../http/context.ts'
import { within } from '../shared/timeout.ts'
import { type AdmissionDeps, admission, authorizing, payloadOf, refusalOfSize } from './admission.ts'
import { deduplicate } from './deduplicate.ts'
import { quarantining } from './quarantine.ts'
import { eventTooLarge, refusalOf, tooSlow, unavailable } from './refusal.ts'

export type BotDeps = AdmissionDeps & {
  readonly publish: PublishWithFallback
  readonly append: Append
  readonly verify: VerifyToken
  readonly measure: Pick<Measure, 'quarantined'>
  readonly log: Log
  readonly now: Now
  readonly monotonic: () => number
}

const route = '/bot/:token'

/** Interface B: 200 once the event is durable; one budget, from the request's arrival, for all that it takes. */
export const botRouter = (deps: BotDeps) => {
  const { now, monotonic, limits, log } = deps
  const publish = deduplicate(deps.publish)
  const admit = admission(deps, ({ bot }) => [bot?.token, bot?.secondToken], authorizing(deps.verify))
  const quarantine = quarantining(deps.append, deps.measure, 'bot')
  const left = ({ state }: Ctx) => limits.botMs - (monotonic() - state.arrivedAt)

  const take: Handle = async (ctx) => {
    const admitted = await admit(ctx)
    if (E.isLeft(admitted)) return admitted
    const { account, body, tooLarge: beyond } = admitted.right
    const receivedAt = now()
    const keepBeginning = async (size: number | undefined, fields: object) => {
      log.warn(
        { accountId: account.id, bytes: size, ...fields },
        'a bot event is too large: its beginning is in quarantine',
      )
      return quarantine(admitted.right, { kind: 'too-large', size }, receivedAt, left(ctx))
    }
    if (beyond !== undefined) {
      const kept = await keepBeginning(beyond.size, {})
      return E.left(E.isLeft(kept) ? unavailable : refusalOfSize(admitted.right, limits.bodyBytes))
    }
    const receipt = { accountId: account.id, receivedAt, traceparent: ctx.state.traceparent }
    const payload = payloadOf(admitted.right)
    const event = E.isLeft(payload) ? payload : decodeBotEvent(payload.right, receipt)
    if (E.isLeft(event)) {
      const kept = await quarantine(admitted.right, event.left, receivedAt, left(ctx))
      return E.left(E.isLeft(kept) ? unavailable : refusalOf(event.left))
    }
    ctx.state.eventId = event.right.id
    const published = await publish(event.right, left(ctx))
    // The client waits: an event that is in the journal alone is not on its way, so the service does without the bot.
    if (E.isRight(published)) return published.right === 'kafka' ? ok({ result: 'ok' }) : E.left(unavailable)
    if (published.left.kind !== 'too-large') return E.left(unavailable)
    const kept = await keepBeginning(body.length, { subject: event.right.subject, type: event.right.type })
    return E.left(E.isLeft(kept) ? unavailable : eventTooLarge)
  }
  const handle = answering('bot', route, log, (ctx) =>
    within(left(ctx), take(ctx), () => E.left(ctx.req.complete ? unavailable : tooSlow)),
  )
  return new Router<State>({ sensitive: true }).all(route, handle)
}
