import * as E from 'fp-ts/lib/Either.js'
import { dataKeys } from '../archive/data-keys.ts'
import { restorer } from '../archive/restore.ts'
import { startConsole } from '../console/console.ts'
import { consoleHandlers } from '../console/handlers.ts'
import { notSafe } from '../console/not-safe.ts'
import { timeZonesOf } from '../domain/accounts.ts'
import { now } from '../domain/clock.ts'
import type { CheckHealth, Failure, Log } from '../domain/ports.ts'
import { longestWaitMs } from '../egress/watchdog/escalations.ts'
import { forwardRouter, fromPeerOnly, type Peer } from '../http/forward.ts'
import { operatorsRouter, publicHealthRouter, type ReadReadiness, readinessOf, stopping } from '../http/health.ts'
import { createHttpServer, type Routers } from '../http/server.ts'
import { accessTokens } from '../ingress/access-token.ts'
import { ingressRouters } from '../ingress/app.ts'
import { enrichedKeys, findingEnrichments } from '../ingress/enriched-keys.ts'
import { connectKafka } from '../kafka/kafka.ts'
import { classify } from '../mongo/classify.ts'
import { connectMongo } from '../mongo/connect.ts'
import { connectRebuilds } from '../mongo/rebuild/rebuilds.ts'
import { actionRecorder, afterErasures } from '../operations/audit.ts'
import { monotonic, sleep } from '../shared/time.ts'
import { statisticsNames } from '../views/daily-statistics.ts'
import { missingKeyFile, startArchiver, startRetainDays, startRetention, wrappingKeysOf } from './archive.ts'
import { exitOfWrongConfig, type Settings } from './config.ts'
import { consumerGroups, followEnrichedKeys, type Part, startEgress, startProjector } from './consumers.ts'
import { openIntake } from './intake.ts'
import { createMetrics } from './metrics.ts'
import { markersOf } from './missed-erasures.ts'
import { logOutages } from './outages.ts'
import { answerPeer, askPeer, readinessOfBoth } from './peer.ts'
import { otherPart, type PartName, type Role, roles } from './roles.ts'
import type { Servers } from './running.ts'
import { kafkaSettings } from './servers.ts'
import { prepare } from './topics.ts'
import { version } from './version.ts'

const everyRole = (given: ReadonlyArray<Role>) => roles.every((role) => given.includes(role))

/** A dependency that may be unavailable for a while. Its failure is reported but does not make the process unready. */
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

/** A process with only the role ingress is ready without Kafka and MongoDB: its journal replaces Kafka for a while. */
const serverChecks = (servers: ServerHealth, roles: ReadonlyArray<Role>): Readonly<Record<string, CheckHealth>> =>
  roles.some((role) => role !== 'ingress')
    ? servers
    : {
        kafka: spared(servers.kafka, 'new records go to the journal'),
        mongodb: spared(servers.mongodb, 'answers are sent without enrichments'),
        'topics and indexes': spared(servers['topics and indexes'], 'the bridge keeps trying to create them'),
      }

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

const checksOf: Readonly<Record<Role, ReadonlyArray<string>>> = {
  ingress: [],
  projector: ['projector', 'enrichments', statisticsNames.days],
  egress: ['egress', 'outcomes'],
  archiver: ['archiver'],
  console: [],
}

/** Failing checks for roles that wait for topics and indexes, so that the process is not ready before its roles run. */
const notStarted = (roles: ReadonlyArray<Role>): Readonly<Record<string, CheckHealth>> =>
  Object.fromEntries(
    roles.flatMap((role) => checksOf[role]).map((name) => [name, () => ({ ok: false, reason: 'has not started yet' })]),
  )

/** This process is one of two. The operators' port is that of front, and back answers front only. */
type InPair = { readonly part: PartName; readonly peer: Peer }

/** What the operator must do, and the exit code of the process. */
type NotStarted = { readonly reason: string; readonly exitCode: number }

/** Clients of the operators' port retry after a closed connection. So its shutdown does not wait for them to leave. */
const adminLimits = { leaveMs: 0, closeOnNextResponseMs: 0, graceMs: 500 }

const anyLocalPort = { host: '127.0.0.1', port: 0 }

/** A scrape waits at most this long for a dependency, so that it gets a response without it. */
const scrapeWithinMs = 2000

/** Runs the roles in this process. HTTP is up at once. The consumers start when their topics exist. */
export const startBridge = async (
  settings: Settings,
  { kafka: kafkaConfig, mongo: mongoConfig }: Pick<Servers, 'kafka' | 'mongo'>,
  roles: ReadonlyArray<Role>,
  log: Log,
  pair?: InPair,
): Promise<E.Either<NotStarted, Bridge>> => {
  const { topics, accounts, http, admin } = settings
  const archives = roles.includes('archiver')
  // The console reads the archive if it has the keys. It makes no keys.
  const wrapping = archives || roles.includes('console') ? wrappingKeysOf(settings, archives) : E.right(undefined)
  if (E.isLeft(wrapping)) return E.left({ reason: wrapping.left, exitCode: exitOfWrongConfig })
  const lacksKeys = archives && wrapping.right === undefined
  // If the operator requests every role, those that can run start.
  const isEvery = pair !== undefined || everyRole(roles)
  if (lacksKeys && !isEvery) return E.left({ reason: `${missingKeyFile}.`, exitCode: exitOfWrongConfig })
  const unsafe = roles.includes('console') ? notSafe(settings.console, admin.host) : undefined
  if (unsafe !== undefined && !isEvery) return E.left({ reason: `${unsafe}.`, exitCode: exitOfWrongConfig })
  if (unsafe !== undefined) log.warn({ reason: unsafe }, 'the console does not run')
  const metrics = createMetrics()
  const { measure, watch } = metrics
  const kafka = connectKafka(kafkaSettings(kafkaConfig, topics, 'livechat-bridge'), { log, measure, now })
  const mongo = connectMongo(mongoConfig, { log, sleep, clock: monotonic, timeZoneOf: timeZonesOf(accounts) })
  const rebuilds = connectRebuilds(mongoConfig, { sleep, timeZoneOf: timeZonesOf(accounts) })
  const tokens = accessTokens(accounts, now)
  const ending = new AbortController()
  const reasonOf = (error: unknown) => classify(error).reason
  const preparation = prepare({ ...kafka, ensureIndexes: mongo.ensureIndexes, reasonOf, sleep, log }, ending.signal)
  const parts: Part[] = []
  const takesIn = roles.includes('ingress')
  const { dataDir, journalMaxBytes: maxBytes } = settings
  const intake = takesIn ? await openIntake({ kafka, dataDir, maxBytes, measure, log }) : E.right(undefined)
  if (E.isLeft(intake)) {
    ending.abort()
    await Promise.all([kafka.stop(), mongo.stop(), rebuilds.stop()])
    return E.left({ reason: intake.left, exitCode: exitOfWrongConfig })
  }
  const servers = { kafka: kafka.health, mongodb: mongo.health, 'topics and indexes': preparation.health }
  const checks: Record<string, CheckHealth> = {
    ...serverChecks(servers, roles),
    ...notStarted(roles),
    ...(intake.right && { journal: intake.right.health }),
    ...(lacksKeys && { archiver: () => ({ ok: true, reason: `does not run: ${missingKeyFile}` }) }),
    ...(unsafe !== undefined && { console: () => ({ ok: true, reason: `does not run: ${unsafe}` }) }),
  }
  if (lacksKeys)
    log.warn({ reason: missingKeyFile }, 'the archiver does not run, so records of event topics are not deleted')
  const journal = intake.right
  if (journal) {
    watch('journal', () => ({ ...journal.state(), now: Date.now() }))
    watch('journalDisk', async () => ({ freeBytes: await journal.freeBytes() }))
  }
  const accountIds = accounts.map(({ id }) => id)
  const readiness: ReadReadiness = async (withinMs) =>
    ending.signal.aborted ? stopping : readinessOf(checks, withinMs)
  watch('topics', preparation.reports)
  if (roles.includes('projector')) {
    const withBots = accounts.flatMap(({ id, bot }) => (bot ? [id] : []))
    const lately = () => new Date(Date.now() - longestWaitMs)
    watch('waiting', async () => ({
      accounts: withBots,
      counts: await mongo.countWaiting(withBots, lately(), scrapeWithinMs),
    }))
    watch('drift', async () => ({
      accounts: accountIds,
      counts: await mongo.countDrift(accountIds, scrapeWithinMs),
    }))
    watch('statistics', async () => ({ ageSeconds: await mongo.ageOfStats(new Date(), scrapeWithinMs) }))
    const aDayAgo = () => new Date(Date.now() - 24 * 60 * 60 * 1000)
    watch('transcripts', () => mongo.countDifferences(withBots, aDayAgo(), scrapeWithinMs))
  }
  if (archives) {
    const limited = accounts.flatMap(({ id, retainDays }) => (retainDays === undefined ? [] : [id]))
    watch('erasuresWaiting', async () => ({
      accounts: limited,
      states: await mongo.silentPersons.retainStates(scrapeWithinMs),
    }))
  }
  watch('checks', async () => (await readiness(scrapeWithinMs)).checks)
  const enriched = enrichedKeys()
  const clocks = { now, monotonic, sleep }
  const ingress = intake.right
    ? ingressRouters({
        accounts,
        trustedProxies: http.trustedProxies,
        measure,
        log,
        ...intake.right,
        ...tokens,
        ...clocks,
        findEnrichment: findingEnrichments(mongo.findEnrichments, enriched),
        history: mongo.chatHistory,
      })
    : () => []
  const publicRouters: Routers = (limits, isStopping) => [
    ...ingress(limits),
    publicHealthRouter({ readiness, isStopping, log, monotonic }, limits.healthMs),
  ]
  const server = createHttpServer({ measure, log, monotonic }, publicRouters)
  const ownGates = () => parts.flatMap(({ gates }) => gates?.() ?? [])
  const gatesOfFront = async () => (pair && (await askPeer(pair.peer, 'gates', scrapeWithinMs))) ?? []
  const missed = markersOf({ kafka, mongo }, settings)
  const recordActionOf = (who: string) => afterErasures(actionRecorder(kafka.append, now, who), missed.apply)
  const console =
    roles.includes('console') && unsafe === undefined
      ? startConsole({
          settings: settings.console,
          accountIds,
          store: mongo.consoleSessions,
          recordActionOf,
          dataDir,
          log,
          sleep,
          monotonic,
          trustedProxies: http.trustedProxies,
          clock: () => new Date(),
          stopping: ending.signal,
          handlers: consoleHandlers({
            recordActionOf,
            rebuilds,
            restore: wrapping.right && restorer(dataKeys(mongo.archiveKeys, wrapping.right)),
            kafka,
            mongo,
            accounts,
            readiness: pair === undefined ? readiness : readinessOfBoth(readiness, pair.peer, otherPart[pair.part]),
            version,
            retentionDays: settings.retentionDays,
            topicPrefix: settings.topics.prefix,
            groups: consumerGroups,
            gates: pair === undefined ? ownGates : gatesOfFront,
            traceUrlTemplate: settings.console.traceUrlTemplate,
          }),
        })
      : undefined
  const forPeer = pair && answerPeer(pair.peer, { readiness, metrics: metrics.values, gates: ownGates })
  const operatorsOf = (pair: InPair | undefined): Routers => {
    if (pair === undefined)
      return ({ healthMs }) => [
        operatorsRouter({ readiness, metrics: metrics.render, log, monotonic }, healthMs),
        ...(console?.routers ?? []),
      ]
    if (pair.part === 'back') return () => [...(forPeer ? [forPeer] : []), ...(console?.routers ?? [])]
    const both = readinessOfBoth(readiness, pair.peer, 'back')
    const render = () => metrics.renderWith(() => askPeer(pair.peer, 'metrics', scrapeWithinMs))
    return ({ healthMs }) => [
      operatorsRouter({ readiness: both, metrics: render, log, monotonic }, healthMs),
      ...(forPeer ? [forPeer] : []),
      forwardRouter(settings.console.basePath, pair.peer),
    ]
  }
  const isBack = pair?.part === 'back'
  const operators = createHttpServer(
    { measure, log, monotonic },
    operatorsOf(pair),
    adminLimits,
    isBack ? fromPeerOnly(pair.peer) : undefined,
  )

  const end = async () => {
    ending.abort()
    // In parallel, because the HTTP server gives its clients time to leave.
    await Promise.all([server.stop().then(() => intake.right?.stop()), ...parts.map((part) => part.stop())])
    await operators.stop()
    await kafka.stop()
    await Promise.all([mongo.stop(), rebuilds.stop()])
  }
  let ended: Promise<void> | undefined
  const stop = () => {
    ended ??= end()
    return ended
  }
  const refused = async ({ reason }: Failure, variable: string) => {
    await stop()
    return E.left({
      reason: `${reason}: stop the process that uses it, or set ${variable} to another port (0 takes any free one).`,
      exitCode: 1,
    })
  }
  const [publicPlace, adminPlace] = isBack
    ? [anyLocalPort, anyLocalPort]
    : [{ host: http.host, port: http.port ?? (takesIn ? 8080 : 0) }, admin]
  const listening = await server.listen(publicPlace.host, publicPlace.port)
  if (E.isLeft(listening)) return refused(listening.left, 'HTTP_PORT')
  const adminListening = await operators.listen(adminPlace.host, adminPlace.port)
  if (E.isLeft(adminListening)) return refused(adminListening.left, 'ADMIN_PORT')

  const run = async () => {
    await preparation.done
    if (takesIn && !ending.signal.aborted)
      parts.push(followEnrichedKeys({ kafka, mongo, filter: enriched, log, sleep }))
    const { retentionDays } = settings
    const deps = { kafka, mongo, accounts, issueToken: tokens.issue, retentionDays, measure, log }
    if (roles.includes('projector') && !ending.signal.aborted) parts.push(await startProjector(deps))
    if (roles.includes('egress') && !ending.signal.aborted) parts.push(await startEgress(deps))
    const archiving =
      archives && wrapping.right && !ending.signal.aborted
        ? await startArchiver(deps, settings, wrapping.right)
        : undefined
    if (archiving) parts.push(archiving)
    if ((roles.includes('projector') || archives) && !ending.signal.aborted)
      parts.push(startRetention(deps, retentionDays, archiving))
    const retaining = archives && wrapping.right && !ending.signal.aborted ? startRetainDays(deps, settings) : undefined
    if (retaining) parts.push(retaining)
    for (const { checks: ofPart, gates } of parts) {
      Object.assign(checks, ofPart)
      if (gates) watch('gates', gates)
    }
    const read = async () => (await readiness(scrapeWithinMs)).checks
    void logOutages({ read, log, sleep, monotonic }, ending.signal)
  }
  const adminUrl = `http://${adminPlace.host}:${adminListening.right.port}`
  return E.right({
    url: `http://${publicPlace.host}:${listening.right.port}`,
    adminUrl,
    signInLink: console && ((who) => console.signInLink(pair?.peer.url() ?? adminUrl, who)),
    ready: run(),
    stop,
  })
}
