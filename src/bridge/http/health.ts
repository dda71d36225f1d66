import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { CheckHealth, CheckName, Health } from '../domain/checks.ts'
import type { Log } from '../shared/log.ts'
import { within } from '../shared/timeout.ts'
import { type Answer, answering, notAllowed, type State } from './answer.ts'

export type Checks = Readonly<Record<string, CheckHealth>>
export type Readiness = { readonly ready: boolean; readonly checks: Readonly<Record<string, Health>> }

/** The state of every dependency. One that does not respond within `withinMs` is not ready. */
export type ReadReadiness = (withinMs: number) => Promise<Readiness>

const ask = async (check: CheckHealth, withinMs: number): Promise<Health> => {
  try {
    return await within(withinMs, Promise.resolve(check()), () => ({ ok: false, reason: 'no answer in time' }))
  } catch {
    return { ok: false, reason: 'the check itself failed' }
  }
}

/** Checks all dependencies at once. */
export const readinessOf = async (checks: Checks, withinMs: number): Promise<Readiness> => {
  const asked = Object.entries(checks).map(async ([name, check]) => [name, await ask(check, withinMs)] as const)
  const answers = Object.fromEntries(await Promise.all(asked))
  return { ready: Object.values(answers).every(({ ok }) => ok), checks: answers }
}

/** The readiness of a process that is stopping. */
export const stopping: Readiness = {
  ready: false,
  checks: { bridge: { ok: false, reason: 'the process is stopping' } } satisfies Partial<Record<CheckName, Health>>,
}

const pages = (log: Log, routes: Readonly<Record<string, () => Promise<Answer>>>): Router<State> => {
  const router = new Router<State>({ sensitive: true })
  for (const [path, read] of Object.entries(routes))
    router.all(
      path,
      answering('health', path, log, async ({ method }) =>
        method === 'GET' || method === 'HEAD' ? E.right(await read()) : E.left(notAllowed('GET, HEAD')),
      ),
    )
  return router
}

const word = (status: number, body: string): Answer => ({
  status,
  body,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
})

/** The shortest time between two checks that public requests cause, and between two collections of metrics. */
const askEveryMs = 1_000
const gatherEveryMs = 100

/** All callers get the same answer until it is `ms` old. */
const atMostEvery = <A>(ms: number, ask: () => Promise<A>, monotonic: () => number): (() => Promise<A>) => {
  let askedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<A>
  return () => {
    if (monotonic() - askedAt >= ms) {
      askedAt = monotonic()
      answer = ask()
    }
    return answer
  }
}

/** Liveness and readiness in one word, because anybody may send these requests. */
export const publicHealthRouter = (
  {
    readiness,
    isStopping,
    log,
    monotonic,
  }: {
    readonly readiness: ReadReadiness
    readonly isStopping: () => boolean
    readonly log: Log
    /** A monotonic clock, in ms. */
    readonly monotonic: () => number
  },
  healthMs: number,
): Router<State> => {
  const ask = atMostEvery(askEveryMs, () => readiness(healthMs), monotonic)
  const isReady = async () => !isStopping() && (await ask()).ready
  return pages(log, {
    '/livez': async () => word(200, 'alive'),
    '/readyz': async () => ((await isReady()) ? word(200, 'ready') : word(503, 'unready')),
  })
}

/** The operators' port: liveness, readiness with a reason for each dependency, metrics in Prometheus' text format. */
export const operatorsRouter = (
  {
    readiness,
    metrics,
    log,
    monotonic,
  }: {
    readonly readiness: ReadReadiness
    /** Prometheus' text format. */
    readonly metrics: () => Promise<string>
    readonly log: Log
    /** A monotonic clock, in ms. */
    readonly monotonic: () => number
  },
  healthMs: number,
): Router<State> => {
  const read = atMostEvery(gatherEveryMs, metrics, monotonic)
  return pages(log, {
    '/livez': async () => ({ status: 200, body: { alive: true } }),
    '/readyz': async () => {
      const body = await readiness(healthMs)
      return { status: body.ready ? 200 : 503, body }
    },
    '/metrics': async () => ({
      status: 200,
      body: await read(),
      headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    }),
  })
}
