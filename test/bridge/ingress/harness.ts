import { type Agent, request } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { AccountId, Id, Instant } from '../../../contracts/primitives.ts'
import type { Account } from '../../../src/bridge/domain/accounts.ts'
import type { OutgoingRecord } from '../../../src/bridge/domain/log/record.ts'
import { unmeasured } from '../../../src/bridge/domain/metrics.ts'
import type { Observer } from '../../../src/bridge/http/access-log.ts'
import { type Checks, operatorsRouter, publicHealthRouter, readinessOf } from '../../../src/bridge/http/health.ts'
import type { Limits } from '../../../src/bridge/http/limits.ts'
import { createHttpServer } from '../../../src/bridge/http/server.ts'
import type { Ingress } from '../../../src/bridge/ingress/admission.ts'
import { ingressRouters } from '../../../src/bridge/ingress/app.ts'
import { sleep } from '../../../src/bridge/shared/time.ts'
import { right } from '../../support/either.ts'
import { silent } from '../../support/silent-log.ts'

export const noon = right(Instant.decode('2026-01-31T12:00:00.000Z'))

const bot = {
  providerId: 'prov1',
  baseUrl: 'https://bot.example.com',
  replyWithin: 10_000,
  attempts: 8,
  timeouts: 8,
  deadlineMs: 300_000,
}

/** acme has both interfaces without authorization, `guarded` requires it, `slow` may send one request a second. */
export const accounts: ReadonlyArray<Account> = [
  {
    id: right(AccountId.decode('acme')),
    webhooks: { token: 'webhooks-token-acme' },
    bot: { ...bot, token: 'bot-token-of-acme', historyToken: 'history-token-of-acme' },
    requestsPerSecond: 100_000,
    timeZone: 'UTC',
  },
  {
    id: right(AccountId.decode('guarded')),
    bot: {
      ...bot,
      token: 'bot-token-guarded',
      historyToken: 'history-token-guarded',
      authorization: { clientId: right(Id.decode('guarded-client')), secretKey: 'guarded secret+key/1' },
    },
    requestsPerSecond: 100_000,
    timeZone: 'UTC',
  },
  {
    id: right(AccountId.decode('slow')),
    webhooks: { token: 'webhooks-token-slow' },
    bot: { ...bot, token: 'bot-token-of-slow', historyToken: 'history-token-of-slow' },
    requestsPerSecond: 1,
    timeZone: 'UTC',
  },
]

export const never = <A>() => new Promise<A>(() => undefined)

type LogLine = { readonly level: string; readonly fields: object; readonly message: string }

type Given = Partial<Ingress & Observer> & { readonly checks?: Checks }

/** An ingress whose ports record their calls. A test may replace ports. */
export const build = ({ checks = {}, ...deps }: Given = {}, limits: Partial<Limits> = {}) => {
  const published: DomainEvent[] = []
  const appended: OutgoingRecord[] = []
  const logged: LogLine[] = []
  const requests: Array<readonly [string, number]> = []
  const quarantined: Array<readonly [string, string]> = []
  const level = (name: string) => (fields: object, message: string) => {
    logged.push({ level: name, fields, message })
  }
  const all: Ingress & Observer = {
    accounts,
    trustedProxies: [],
    publish: async (event) => {
      published.push(event)
      return E.right('kafka')
    },
    append: async (record) => {
      appended.push(record)
      return E.right(undefined)
    },
    findEnrichment: async () => undefined,
    history: { has: async () => true, read: async () => undefined },
    verify: async (account, token) => token === `token of ${account.id}`,
    issue: async (account) => ({ token: `token of ${account.id}`, expiresIn: 5000 }),
    measure: {
      ...unmeasured,
      request: (api, status) => requests.push([api, status]),
      quarantined: (api, reason) => quarantined.push([api, reason]),
    },
    log: { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') },
    now: () => noon,
    sleep,
    monotonic: () => performance.now(),
    ...deps,
  }
  const usual = { leaveMs: 20, closeOnNextResponseMs: 20, graceMs: 2000, drainMs: 200 }
  const readiness = (withinMs: number) => readinessOf(checks, withinMs)
  const ingress = createHttpServer(
    all,
    (bounds, isStopping) => [
      ...ingressRouters(all)(bounds),
      publicHealthRouter({ ...all, readiness, isStopping }, bounds.healthMs),
    ],
    { ...usual, ...limits },
  )
  return { ingress, published, appended, logged, requests, quarantined, stop: ingress.stop }
}

/** The same ingress, listening on a free port. */
export const start = async (deps: Given = {}, limits: Partial<Limits> = {}) => {
  const built = build(deps, limits)
  const { port } = right(await built.ingress.listen('127.0.0.1', 0))
  return { ...built, port }
}

/** An operators' port with these checks, on a free port. */
export const startOperators = async (
  checks: Checks = {},
  limits: Partial<Limits> = {},
  given: Partial<Parameters<typeof operatorsRouter>[0]> = {},
) => {
  const metrics = async () => 'up 1\n'
  const deps = { log: silent, measure: unmeasured, monotonic: () => performance.now(), metrics, ...given }
  const readiness = (withinMs: number) => readinessOf(checks, withinMs)
  const server = createHttpServer(deps, ({ healthMs }) => [operatorsRouter({ ...deps, readiness }, healthMs)], {
    leaveMs: 0,
    closeOnNextResponseMs: 0,
    ...limits,
  })
  const { port } = right(await server.listen('127.0.0.1', 0))
  return { port, stop: server.stop }
}

export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly body: unknown
}
export type Sent = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly agent?: Agent
}

const parsed = (text: string): unknown =>
  E.getOrElse<unknown, unknown>(() => undefined)(
    E.tryCatch(
      () => JSON.parse(text),
      () => undefined,
    ),
  )

/** Sends a request, on its own connection if no agent is given. A body is JSON unless the headers say otherwise. */
export const send = (
  port: number,
  path: string,
  { method = 'POST', headers, body, agent }: Sent = {},
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const req = request({
      port,
      host: '127.0.0.1',
      path,
      method,
      agent: agent ?? false,
      headers: { ...type, ...length, ...headers },
    })
    req.on('error', reject).on('response', (res) => {
      const chunks: Buffer[] = []
      res
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: res.statusCode ?? 0, headers: res.headers, text, body: parsed(text) })
        })
    })
    req.end(body)
  })
