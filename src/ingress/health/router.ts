import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Log } from '../../domain/ports.ts'
import { within } from '../../shared/timeout.ts'
import { type Answer, answering } from '../answering.ts'
import type { State } from '../context.ts'
import type { Limits } from '../limits.ts'
import { notAllowed } from '../refusal.ts'
import { type Readiness, type ReadReadiness, withinTime } from './readiness.ts'

export type HealthDeps = {
  readonly readiness: ReadReadiness
  /** Resolves as long as the process goes on. */
  readonly pulse: () => Promise<void>
  readonly metrics: () => Promise<string>
  readonly limits: Limits
  readonly log: Log
  readonly isStopping: () => boolean
}

const stopping: Readiness = { ready: false, checks: { bridge: { ok: false, reason: 'it stops' } } }

/** Liveness, readiness with a reason for each dependency, and Prometheus' text format. */
export const healthRouter = ({ readiness, pulse, metrics, limits, log, isStopping }: HealthDeps) => {
  const router = new Router<State>({ sensitive: true })
  const page = (path: string, read: () => Promise<Answer>) =>
    router.all(
      path,
      answering('health', path, log, async ({ method }) =>
        method === 'GET' || method === 'HEAD' ? E.right(await read()) : E.left(notAllowed('GET, HEAD')),
      ),
    )
  page('/livez', async () => {
    const beating = pulse().then(() => true)
    const alive = await within(limits.healthMs, beating, () => false)
    return { status: alive ? 200 : 503, body: { alive } }
  })
  page('/readyz', async () => {
    const body = isStopping() ? stopping : await withinTime(readiness, limits.healthMs)
    return { status: body.ready ? 200 : 503, body }
  })
  page('/metrics', async () => ({
    status: 200,
    body: await metrics(),
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
  }))
  return router
}
