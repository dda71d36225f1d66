import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { State } from '../../../../src/bridge/http/answer.ts'
import { type Limits, limits } from '../../../../src/bridge/http/limits.ts'
import { instead } from './instead.ts'

/** The most failures of an address that may wait: as many as the delay after failures allows. */
const freeMs = 100 * 40

/** Refuses an address that has failed too often lately, whatever it sends. */
const refusingAddresses = (monotonic: () => number) => {
  const due = new Map<string, number>()
  return new Router<State>().all('/{*any}', async (ctx, next) => {
    const { remoteAddress = '' } = ctx.req.socket
    const debt = Math.max(0, (due.get(remoteAddress) ?? 0) - monotonic())
    if (debt > freeMs) {
      ctx.status = 429
      return
    }
    await next()
    if (ctx.status === 401) due.set(remoteAddress, Math.max(due.get(remoteAddress) ?? 0, monotonic()) + 40)
  })
}

/** Every HTTP server, with other limits. */
const serverWith = (overrides: Partial<Limits>) =>
  instead(
    () => import('../../../../src/bridge/http/server.ts'),
    ({ createHttpServer }) => ({
      createHttpServer: (deps, routers, own, admit) => createHttpServer(deps, routers, { ...own, ...overrides }, admit),
    }),
  )

const mebibyte = 1024 ** 2

export const http = {
  'deadlines of requests': [
    serverWith({ webhooksMs: limits.webhooksMs * 1000, botMs: limits.botMs * 1000 }),
    instead(
      () => import('../../../../src/bridge/journal/intake.ts'),
      ({ openIntake }) => ({ openIntake: (options) => openIntake({ ...options, budgetMs: 1_000_000 }) }),
    ),
  ],
  'what is in flight is finished': [serverWith({ leaveMs: 0, closeOnNextResponseMs: 0, graceMs: 0 })],
  'a bound on nesting': [
    instead(
      () => import('../../../../src/bridge/domain/read-json.ts'),
      ({ readJson }) => ({
        readJson: (bytes, rules) => {
          const read = readJson(bytes, rules)
          const isTooDeep = E.isLeft(read) && read.left.cause === 'too-deep'
          return isTooDeep ? E.right(JSON.parse(new TextDecoder().decode(bytes))) : read
        },
      }),
    ),
  ],
  'limits of time for a request': [serverWith({ headersMs: 500_000, requestMs: 600_000, botMs: 250_000 })],
  'an id for each webhook': [
    instead(
      () => import('../../../../src/bridge/domain/requests.ts'),
      ({ decodeWebhook }) => ({
        decodeWebhook: (payload, receipt) => decodeWebhook(payload, { ...receipt, id: receipt.contentHash ?? '' }),
      }),
    ),
  ],
  'bounds of bodies without credentials': [
    serverWith({ tokenBodyBytes: 8 * mebibyte, allTokenBodiesBytes: 4000 * mebibyte }),
  ],
  'what is valid does not pay for its address': [
    instead(
      () => import('../../../../src/bridge/ingress/app.ts'),
      ({ ingressRouters }) => ({
        ingressRouters: (deps) => (given) => [refusingAddresses(deps.monotonic), ...ingressRouters(deps)(given)],
      }),
    ),
  ],
  'the delay after failures': [
    instead(
      () => import('../../../../src/bridge/http/failure-delay.ts'),
      () => ({ failureDelay: () => () => ({ waitMs: 0, isTooMany: false }) }),
    ),
  ],
}
