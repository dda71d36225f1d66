import * as E from 'fp-ts/lib/Either.js'
import { accessTokens } from '../domain/access-token.ts'
import { now } from '../domain/clock.ts'
import type { CheckHealth, Log } from '../domain/ports.ts'
import { type ReadReadiness, readinessOf } from '../http/health.ts'
import { createHttpServer } from '../http/server.ts'
import { ingressRouters } from '../ingress/app.ts'
import { enrichedKeys, findingEnrichments } from '../ingress/enriched-keys.ts'
import { connectKafka } from '../kafka/kafka.ts'
import { classify } from '../mongo/classify.ts'
import { connectMongo } from '../mongo/connect.ts'
import { monotonic, sleep } from '../shared/time.ts'
import { exitOfWrongConfig, type Settings } from './config.ts'
import { followEnrichedKeys, type Part, startEgress, startProjector } from './consumers.ts'
import { openIntake } from './intake.ts'
import { createMetrics } from './metrics.ts'
import { kafkaSettings, type Servers } from './servers.ts'
import { prepare } from './topics.ts'

/** What a process of the bridge may do; each can run in as many processes as there are partitions. */
export const roles = ['ingress', 'projector', 'egress'] as const
export type Role = (typeof roles)[number]

/** A dependency that a process can do without for a while: its trouble is told, but does not make the process unready. */
const spared =
  (check: CheckHealth, instead: string): CheckHealth =>
  async () => {
    const { ok, reason } = await check()
    return ok ? { ok, reason } : { ok: true, reason: `${reason}; ${instead}` }
  }

type ServerHealth = {
  readonly kafka: CheckHealth
  readonly mongodb: CheckHealth
  readonly 'topics and indexes': CheckHealth
}

/** A process that only takes requests in is ready as long as its journal is: the journal is for the time without Kafka. */
export const serverChecks = (
  servers: ServerHealth,
  roles: ReadonlyArray<Role>,
): Readonly<Record<string, CheckHealth>> =>
  roles.some((role) => role !== 'ingress')
    ? servers
    : {
        kafka: spared(servers.kafka, 'the journal takes what comes'),
        mongodb: spared(servers.mongodb, 'answers go out without enrichments'),
        'topics and indexes': spared(servers['topics and indexes'], 'they are waited for'),
      }

export type Bridge = {
  /** Where its HTTP side listens: both interfaces where it has the role ingress, health in any case. */
  readonly url: string
  /** Resolves when topics and indexes are there and every role runs. */
  readonly ready: Promise<void>
  /** Finishes what is in flight on either side, then leaves. */
  readonly stop: () => Promise<void>
}

const checksOf: Readonly<Record<Role, ReadonlyArray<string>>> = {
  ingress: [],
  projector: ['projector', 'enrichments'],
  egress: ['egress', 'outcomes'],
}

/** The checks of roles that wait for topics and indexes: without them a process would be ready for a moment, before they run. */
const notStarted = (roles: ReadonlyArray<Role>): Readonly<Record<string, CheckHealth>> =>
  Object.fromEntries(
    roles.flatMap((role) => checksOf[role]).map((name) => [name, () => ({ ok: false, reason: 'has not started yet' })]),
  )

/** What the operator has to do, and the process's exit code. */
type NotStarted = { readonly reason: string; readonly exitCode: number }

/** A scrape is answered although a dependency is not. */
const scrapeWithinMs = 2000

/** Runs the roles in this process. HTTP is up at once; the consumers follow when their topics are there. */
export const startBridge = async (
  settings: Settings,
  { kafka: kafkaConfig, mongo: mongoConfig }: Pick<Servers, 'kafka' | 'mongo'>,
  roles: ReadonlyArray<Role>,
  log: Log,
): Promise<E.Either<NotStarted, Bridge>> => {
  const { topics, accounts, http } = settings
  const { measure, watchJournal, watchGates, watchHealth, watchTopics, render } = createMetrics()
  const kafka = connectKafka(kafkaSettings(kafkaConfig, topics, 'livechat-bridge'), { log, measure, now })
  const mongo = connectMongo(mongoConfig, { log, sleep, clock: monotonic })
  const tokens = accessTokens(accounts, now)
  const stopping = new AbortController()
  const reasonOf = (error: unknown) => classify(error).reason
  const preparation = prepare({ ...kafka, ensureIndexes: mongo.ensureIndexes, reasonOf, sleep, log }, stopping.signal)
  const parts: Part[] = []
  const takesIn = roles.includes('ingress')
  const { dataDir, journalMaxBytes: maxBytes } = settings
  const intake = takesIn ? await openIntake({ kafka, dataDir, maxBytes, measure, log }) : E.right(undefined)
  if (E.isLeft(intake)) {
    stopping.abort()
    await Promise.all([kafka.stop(), mongo.stop()])
    return E.left({ reason: intake.left, exitCode: exitOfWrongConfig })
  }
  const servers = { kafka: kafka.health, mongodb: mongo.health, 'topics and indexes': preparation.health }
  const checks: Record<string, CheckHealth> = {
    ...serverChecks(servers, roles),
    ...notStarted(roles),
    ...(intake.right && { journal: intake.right.health }),
  }
  if (intake.right) watchJournal(intake.right.state)
  const readiness: ReadReadiness = (withinMs) => readinessOf(checks, withinMs)
  watchTopics(preparation.reports)
  watchHealth(async () => (await readiness(scrapeWithinMs)).checks)
  const enriched = enrichedKeys()
  const clocks = { now, monotonic, sleep }
  const routers = intake.right
    ? ingressRouters({
        ...{ accounts, trustedProxies: http.trustedProxies, measure, log },
        ...{ ...intake.right, ...tokens, ...clocks },
        findEnrichment: findingEnrichments(mongo.findEnrichments, enriched),
      })
    : () => []
  const server = createHttpServer({ readiness, metrics: render, measure, log, monotonic }, routers)

  const end = async () => {
    stopping.abort()
    // Beside each other: callers are given time to leave.
    await Promise.all([server.stop().then(() => intake.right?.stop()), ...parts.map((part) => part.stop())])
    await kafka.stop()
    await mongo.stop()
  }
  let ended: Promise<void> | undefined
  const stop = () => {
    ended ??= end()
    return ended
  }
  const listening = await server.listen(http.host, http.port ?? (takesIn ? 8080 : 0))
  if (E.isLeft(listening)) {
    await stop()
    return E.left({
      reason: `${listening.left.reason}: end what uses it, or set HTTP_PORT to another port (0 takes any free one).`,
      exitCode: 1,
    })
  }

  const run = async () => {
    await preparation.done
    if (takesIn && !stopping.signal.aborted)
      parts.push(followEnrichedKeys({ kafka, mongo, filter: enriched, log, sleep }))
    const deps = { kafka, mongo, accounts, issueToken: tokens.issue, measure, log }
    if (roles.includes('projector') && !stopping.signal.aborted) parts.push(await startProjector(deps))
    if (roles.includes('egress') && !stopping.signal.aborted) parts.push(await startEgress(deps))
    for (const { checks: ofPart, gates } of parts) {
      Object.assign(checks, ofPart)
      if (gates) watchGates(gates)
    }
  }
  return E.right({ url: `http://${http.host}:${listening.right.port}`, ready: run(), stop })
}
