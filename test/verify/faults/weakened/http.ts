import * as E from 'fp-ts/lib/Either.js'
import { instead } from './instead.ts'

const limits = () => import('../../../../src/bridge/http/limits.ts')
const mebibyte = 1024 ** 2

export const http = {
  'deadlines of requests': [
    instead(limits, ({ limits: usual }) => ({
      limits: { ...usual, webhooksMs: usual.webhooksMs * 1000, botMs: usual.botMs * 1000 },
    })),
    instead(
      () => import('../../../../src/bridge/journal/fallback.ts'),
      ({ publishWithFallback }) => ({
        publishWithFallback: (journals, deps) => publishWithFallback(journals, { ...deps, budgetMs: 1_000_000 }),
      }),
    ),
  ],
  'what is in flight is finished': [
    instead(
      () => import('../../../../src/bridge/http/server.ts'),
      ({ createHttpServer }) => ({
        createHttpServer: (deps, routers, overrides) =>
          createHttpServer(deps, routers, { ...overrides, leaveMs: 0, closeOnNextResponseMs: 0, graceMs: 0 }),
      }),
    ),
  ],
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
  'limits of time for a request': [
    instead(limits, ({ limits: usual }) => ({
      limits: { ...usual, headersMs: 500_000, requestMs: 600_000, botMs: 250_000 },
    })),
  ],
  'an id for each webhook': [
    instead(
      () => import('../../../../src/bridge/domain/requests.ts'),
      ({ decodeWebhook }) => ({
        decodeWebhook: (payload, receipt) => decodeWebhook(payload, { ...receipt, id: receipt.contentHash ?? '' }),
      }),
    ),
  ],
  'bounds of bodies without credentials': [
    instead(limits, ({ limits: usual }) => ({
      limits: { ...usual, tokenBodyBytes: 8 * mebibyte, allTokenBodiesBytes: 4000 * mebibyte },
    })),
  ],
  'the delay after failures': [
    instead(
      () => import('../../../../src/bridge/http/failure-delay.ts'),
      () => ({ failureDelay: () => () => ({ waitMs: 0, isTooMany: false }) }),
    ),
  ],
}
