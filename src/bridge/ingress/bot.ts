import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Account } from '../domain/accounts.ts'
import { decodeBotEvent } from '../domain/requests.ts'
import { answering, type Ctx, ok, type State } from '../http/answer.ts'
import { within } from '../shared/timeout.ts'
import { admission, type Shared } from './admission.ts'
import { deduplicate } from './deduplicate.ts'
import { receiving } from './receive.ts'
import { refusalOf, tooSlow, unavailable } from './refusal.ts'

const route = '/bot/:token'

/** Interface B: answers 200 once the event is durable. One time budget covers everything from the arrival on. */
export const botRouter = (shared: Shared) => {
  const { verify, monotonic, limits, measure, log } = shared
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
  const leftMs = ({ state }: Ctx) => limits.botMs - (monotonic() - state.arrivedAt)

  const receive = receiving(shared, {
    api: 'bot',
    admit: admission(shared, ({ bot }) => [bot?.token, bot?.secondToken], authorize),
    decode: (payload, { account }, receivedAt, ctx) =>
      decodeBotEvent(payload, { accountId: account.id, receivedAt, traceparent: ctx.state.traceparent }),
    answerTo: (reason) => E.left(refusalOf(reason)),
    // As for an event that only the journal has.
    answerToRefused: async () => E.left(unavailable),
    // The client waits. An event only in the journal has not reached the bot, so the service continues without it.
    publish: async (event, withinMs) =>
      E.map((durableIn) => (durableIn === 'kafka' ? ok({ result: 'ok' }) : E.left(unavailable)))(
        await publish(event, withinMs),
      ),
    leftMs,
  })
  const handle = answering('bot', route, log, (ctx) =>
    within(leftMs(ctx), receive(ctx), () => E.left(ctx.req.complete ? unavailable : tooSlow)),
  )
  return new Router<State>({ sensitive: true }).all(`/bot/*token`, handle)
}
