import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Account } from '../domain/accounts.ts'
import { decodeBotEvent } from '../domain/requests.ts'
import { answering, type Handle, ok, type Refusal } from '../http/answer.ts'
import type { Ctx, State } from '../http/context.ts'
import { within } from '../shared/timeout.ts'
import { admission, payloadOf, refusalOfSize, type Shared } from './admission.ts'
import { deduplicate } from './deduplicate.ts'
import { type Quarantined, quarantining } from './quarantine.ts'
import { eventTooLarge, refusalOf, tooSlow, unavailable } from './refusal.ts'

const route = '/bot/:token'

/** Interface B: answers 200 once the event is durable. One time budget covers everything from the arrival on. */
export const botRouter = (shared: Shared) => {
  const { verify, now, monotonic, limits, measure, log } = shared
  const publish = deduplicate(shared.publish, undefined, ({ id, type, subject, data: { accountId } }) => {
    measure.idReused(accountId)
    log.warn(
      { accountId, chatId: subject, eventId: id, type },
      'an id came again with other content: both are in the log, consumers ignore the second',
    )
  })
  /** Accepts `Authorization: TOKEN` or `Authorization: Bearer TOKEN` if the account needs it. */
  const authorize = async (account: Account, header: string) =>
    account.bot?.authorization === undefined ||
    (header !== '' && (await verify(account, header.replace(/^Bearer /i, '').trim())))
  const admit = admission(shared, ({ bot }) => [bot?.token, bot?.secondToken], authorize)
  const quarantine = quarantining(shared, 'bot')
  const left = ({ state }: Ctx) => limits.botMs - (monotonic() - state.arrivedAt)

  const take: Handle = async (ctx) => {
    const result = await admit(ctx)
    if (E.isLeft(result)) return result
    const { right: admitted } = result
    const receivedAt = now()
    const keep = (reason: Quarantined, refusal: Refusal, known?: DomainEvent) =>
      quarantine({
        admitted,
        reason,
        receivedAt,
        withinMs: left(ctx),
        answer: E.left(refusal),
        ...(known && { event: known }),
      })

    if (admitted.tooLarge !== undefined)
      return keep({ kind: 'too-large', ...admitted.tooLarge }, refusalOfSize(admitted, limits.bodyBytes))
    const receipt = { accountId: admitted.account.id, receivedAt, traceparent: ctx.state.traceparent }
    const payload = payloadOf(admitted)
    const decoded = E.isLeft(payload) ? payload : decodeBotEvent(payload.right, receipt)
    if (E.isLeft(decoded)) return keep(decoded.left, refusalOf(decoded.left))
    const { event, misfits } = decoded.right
    if (misfits > 0) measure.misfit('bot')
    ctx.state.eventId = event.id
    const published = await publish(event, left(ctx))
    // The client waits. An event only in the journal has not reached the bot, so the service continues without it.
    if (E.isRight(published)) return published.right === 'kafka' ? ok({ result: 'ok' }) : E.left(unavailable)
    if (published.left.kind !== 'too-large') return E.left(unavailable)
    return keep({ kind: 'too-large', size: admitted.body.length }, eventTooLarge, event)
  }
  const handle = answering('bot', route, log, (ctx) =>
    within(left(ctx), take(ctx), () => E.left(ctx.req.complete ? unavailable : tooSlow)),
  )
  return new Router<State>({ sensitive: true }).all(`/bot/*token`, handle)
}
