import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { CheckHealth, Health, Log } from '../domain/ports.ts'
import { within } from '../shared/timeout.ts'
import { type Answer, answering, notAllowed } from './answer.ts'
import type { State } from './context.ts'

export type Checks = Readonly<Record<string, CheckHealth>>
export type Readiness = { readonly ready: boolean; readonly checks: Readonly<Record<string, Health>> }

/** The state of every dependency; one that does not answer within so many ms is not ready. */
export type ReadReadiness = (withinMs: number) => Promise<Readiness>

const ask = async (check: CheckHealth, withinMs: number): Promise<Health> => {
  try {
    return await within(withinMs, Promise.resolve(check()), () => ({ ok: false, reason: 'no answer in time' }))
  } catch {
    return { ok: false, reason: 'the check itself failed' }
  }
}

/** Asks every dependency at once. */
export const readinessOf = async (checks: Checks, withinMs: number): Promise<Readiness> => {
  const asked = Object.entries(checks).map(async ([name, check]) => [name, await ask(check, withinMs)] as const)
  const answers = Object.fromEntries(await Promise.all(asked))
  return { ready: Object.values(answers).every(({ ok }) => ok), checks: answers }
}

export type HealthDeps = {
  readonly readiness: ReadReadiness
  /** Prometheus' text format. */
  readonly metrics: () => Promise<string>
  readonly log: Log
}

const stopping: Readiness = { ready: false, checks: { bridge: { ok: false, reason: 'it stops' } } }

/** Liveness, readiness with a reason for each dependency, and Prometheus' text format. */
export const healthRouter = (
  { readiness, metrics, log }: HealthDeps,
  healthMs: number,
  isStopping: () => boolean,
): Router<State> => {
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
    const body = isStopping() ? stopping : await readiness(healthMs)
    return { status: body.ready ? 200 : 503, body }
  })
  page('/metrics', async () => ({
    status: 200,
    body: await metrics(),
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
  }))
  return router
}
