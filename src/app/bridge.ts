import * as E from 'fp-ts/lib/Either.js'
import type { Role } from '../bridge/domain/roles.ts'
import { hostInUrl } from '../bridge/http/client-address.ts'
import { publicHealthRouter, readinessOf, stopping } from '../bridge/http/health.ts'
import { createHttpServer, type HttpServer } from '../bridge/http/server.ts'
import { ensureIndexesAt } from '../bridge/mongo/indexes.ts'
import type { Log } from '../bridge/shared/log.ts'
import { monotonic, sleep } from '../bridge/shared/time.ts'
import { checksBeforeStart } from './checks.ts'
import { exitOfWrongConfig, type Settings } from './config.ts'
import { type InPair, type Own, operatorsServer, seenByConsole } from './operators.ts'
import { logOutages } from './outages.ts'
import type { ChildName } from './pair.ts'
import { roleCode, startParts } from './parts.ts'
import { type NotStarted, planOf } from './plan.ts'
import { connectPorts, type Part, scrapeWithinMs, serverReasonOf } from './ports.ts'
import { prepare } from './prepare.ts'
import { useProxy } from './servers.ts'
import type { Servers } from './start-servers.ts'

export type Bridge = {
  /** The URL of the public port: always health in one word, and with the role ingress webhooks and the bot API. */
  readonly url: string
  /** The URL of the operators' port: health with reasons, metrics, and the console if it runs. */
  readonly adminUrl: string
  /** Makes a link that signs `who` in to the console, once. Undefined if the console does not run. */
  readonly signInLink?: ((who: string) => Promise<string | undefined>) | undefined
  /** Resolves when topics and indexes exist and every role runs. */
  readonly ready: Promise<void>
  /** Finishes the requests and records in progress, then closes all connections. */
  readonly stop: () => Promise<void>
}

type Address = { readonly host: string; readonly port: number }
type Addresses = { readonly public: Address; readonly admin: Address }

const anyLocalPort: Address = { host: '127.0.0.1', port: 0 }

/** Where a process listens. Of two processes, front has the configured ports, and only front knows those of back. */
const addressesOf = (
  { http, admin }: Pick<Settings, 'http' | 'admin'>,
  takesIn: boolean,
  child: ChildName | undefined,
): Addresses =>
  child === 'back'
    ? { public: anyLocalPort, admin: anyLocalPort }
    : { public: { host: http.host, port: http.port ?? (takesIn ? 8080 : 0) }, admin }

/** The URL of the server. Left if its port is taken. */
const listenAt = async (
  server: HttpServer,
  { host, port }: Address,
  variable: string,
): Promise<E.Either<NotStarted, string>> => {
  const listening = await server.listen(host, port)
  return E.isRight(listening)
    ? E.right(`http://${hostInUrl(host)}:${listening.right.port}`)
    : E.left({
        reason: `${listening.left.reason}: stop the process that uses it, or set ${variable} to another port (0 takes any free one).`,
        exitCode: 1,
      })
}

/** The URLs of both servers. */
const listen = async (
  server: HttpServer,
  operators: HttpServer,
  addresses: Addresses,
): Promise<E.Either<NotStarted, { readonly url: string; readonly adminUrl: string }>> => {
  const url = await listenAt(server, addresses.public, 'HTTP_PORT')
  if (E.isLeft(url)) return url
  const adminUrl = await listenAt(operators, addresses.admin, 'ADMIN_PORT')
  return E.isLeft(adminUrl) ? adminUrl : E.right({ url: url.right, adminUrl: adminUrl.right })
}

const effectOfLacking = (role: Role) =>
  role === 'archiver'
    ? 'the archiver does not run, so records of event topics are not deleted'
    : `the ${role} does not run`

/** Runs the roles in this process. HTTP is up at once. The other parts start when topics and indexes exist. */
export const startBridge = async (
  settings: Settings,
  servers: Pick<Servers, 'kafka' | 'mongo'>,
  roles: ReadonlyArray<Role>,
  log: Log,
  pair?: InPair,
): Promise<E.Either<NotStarted, Bridge>> => {
  const planned = planOf(settings, roles, pair !== undefined)
  if (E.isLeft(planned)) return planned
  await useProxy(settings.proxy)
  const plan = planned.right
  const { ports, disconnect } = connectPorts(settings, servers, log)
  const { kafka, mongo, metrics } = ports
  const ending = new AbortController()
  const { ensureTopics } = kafka
  const ensureIndexes = () => ensureIndexesAt(servers.mongo)
  const preparation = prepare({ ensureTopics, ensureIndexes, reasonOf: serverReasonOf, sleep, log }, ending.signal)
  const opened = plan.runs('ingress') ? await (await roleCode.ingress()).openIngress(ports) : E.right(undefined)
  if (E.isLeft(opened)) {
    ending.abort()
    await disconnect()
    return E.left({ reason: opened.left, exitCode: exitOfWrongConfig })
  }
  const ingress = opened.right
  for (const [role, reason] of plan.lacking) log.warn({ reason }, effectOfLacking(role))

  const serverChecks = { kafka: kafka.health, mongodb: mongo.health, 'topics and indexes': preparation.health }
  const checks = checksBeforeStart(serverChecks, roles, plan, ingress?.checks)
  const parts: Part[] = []
  const own: Own = {
    readiness: async (withinMs) => (ending.signal.aborted ? stopping : readinessOf(checks, withinMs)),
    gates: () => parts.flatMap(({ gates }) => gates?.() ?? []),
  }
  const readChecks = async () => (await own.readiness(scrapeWithinMs)).checks
  metrics.watch('roles', () => roles.filter(plan.runs))
  metrics.watch('topics', preparation.reports)
  metrics.watch('checks', readChecks)
  if (plan.runs('projector')) (await roleCode.projector()).watchViews(ports)
  if (roles.includes('archiver')) (await roleCode.retainDays()).watchRetainDays(ports)

  const console = plan.runs('console')
    ? (await roleCode.console()).openConsole(ports, plan.archiveKeys, {
        ...seenByConsole(own, pair),
        stopping: ending.signal,
      })
    : undefined
  const server = createHttpServer(
    { measure: metrics.measure, log, monotonic },
    (limits, isStopping) => [
      ...(ingress?.routers(limits) ?? []),
      publicHealthRouter({ readiness: own.readiness, isStopping, log, monotonic }, limits.healthMs),
    ],
    { admittedKeepAliveMs: settings.http.keepAliveMs },
  )
  const operators = operatorsServer(ports, own, console?.routers ?? [], pair)

  const end = async () => {
    ending.abort()
    // In parallel, because the HTTP server gives its clients time to leave.
    await Promise.all([server.stop().then(() => ingress?.stop()), ...parts.map((part) => part.stop())])
    await operators.stop()
    await disconnect()
  }
  let ended: Promise<void> | undefined
  const stop = () => {
    ended ??= end()
    return ended
  }
  const listening = await listen(server, operators, addressesOf(settings, ingress !== undefined, pair?.child))
  if (E.isLeft(listening)) {
    await stop()
    return listening
  }
  const { url, adminUrl } = listening.right

  const run = async () => {
    await preparation.done
    await startParts(ports, plan, ingress, parts, ending.signal)
    for (const part of parts) {
      Object.assign(checks, part.checks)
      if (part.gates) metrics.watch('gates', part.gates)
    }
    void logOutages({ read: readChecks, log, sleep, monotonic }, ending.signal)
  }
  return E.right({
    url,
    adminUrl,
    signInLink: console && ((who) => console.signInLink(pair?.peer.url() ?? adminUrl, who)),
    ready: run(),
    stop,
  })
}
