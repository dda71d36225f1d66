import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Append, Log, Now, Publish, VerifyToken } from '../../domain/ports.ts'
import { within } from '../../shared/timeout.ts'
import { type AdmissionDeps, admission, authorizing } from '../admission.ts'
import { answering, type Handle, ok } from '../answering.ts'
import type { Ctx, State } from '../context.ts'
import type { MeasureRequests } from '../measure.ts'
import { quarantining } from '../quarantine.ts'
import { refusalOf, tooSlow, unavailable } from '../refusal.ts'
import { understand } from '../understand.ts'
import { translate } from './translate.ts'

export type BotDeps = AdmissionDeps & {
  readonly publish: Publish
  readonly append: Append
  readonly verify: VerifyToken
  readonly measure: MeasureRequests
  readonly log: Log
  readonly now: Now
  readonly monotonic: () => number
}

const route = '/bot/:token'

/** Interface B: 200 once the event is durable; one budget, from the request's arrival, for all that it takes. */
export const botRouter = (deps: BotDeps) => {
  const { publish, now, monotonic, limits } = deps
  const admit = admission(deps, ({ bot }) => [bot?.token, bot?.secondToken], authorizing(deps.verify))
  const quarantine = quarantining(deps.append, deps.measure, 'bot')
  const left = ({ state }: Ctx) => limits.botMs - (monotonic() - state.arrivedAt)

  const take: Handle = async (ctx) => {
    const admitted = await admit(ctx)
    if (E.isLeft(admitted)) return admitted
    const { account } = admitted.right
    const receivedAt = now()
    const receipt = { accountId: account.id, receivedAt, traceparent: ctx.state.traceparent }
    const event = understand(admitted.right, translate(receipt))
    if (E.isLeft(event)) {
      const kept = await quarantine(admitted.right, event.left, receivedAt, left(ctx))
      return E.left(E.isLeft(kept) ? unavailable : refusalOf(event.left))
    }
    ctx.state.eventId = event.right.id
    const published = await publish(event.right, left(ctx))
    return E.isLeft(published) ? E.left(unavailable) : ok({ result: 'ok' })
  }
  const handle = answering('bot', route, deps.log, (ctx) =>
    within(left(ctx), take(ctx), () => E.left(ctx.req.complete ? unavailable : tooSlow)),
  )
  return new Router<State>({ sensitive: true }).all(route, handle)
}
