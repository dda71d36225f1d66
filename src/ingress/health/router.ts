import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Log } from '../../ports.ts'
import { type Answer, answering } from '../answering.ts'
import type { State } from '../context.ts'
import type { Limits } from '../limits.ts'
import { notAllowed } from '../refusal.ts'
import { type Checks, readiness } from './readiness.ts'

export type HealthDeps = {
  readonly checks: Checks
  readonly metrics: () => Promise<string>
  readonly limits: Limits
  readonly log: Log
}

/** Liveness, readiness with a reason for each dependency, and Prometheus' text format. */
export const healthRouter = ({ checks, metrics, limits, log }: HealthDeps) => {
  const router = new Router<State>({ sensitive: true })
  const page = (path: string, read: () => Promise<Answer>) =>
    router.all(
      path,
      answering('health', path, log, async ({ method }) =>
        method === 'GET' || method === 'HEAD' ? E.right(await read()) : E.left(notAllowed('GET, HEAD')),
      ),
    )
  page('/livez', async () => ({ status: 200, body: { alive: true } }))
  page('/readyz', async () => {
    const body = await readiness(checks, limits.healthMs)
    return { status: body.ready ? 200 : 503, body }
  })
  page('/metrics', async () => ({
    status: 200,
    body: await metrics(),
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
  }))
  return router
}
