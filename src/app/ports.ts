import { timeZonesOf } from '../bridge/domain/accounts.ts'
import type { CheckHealth, CheckName } from '../bridge/domain/checks.ts'
import { now } from '../bridge/domain/clock.ts'
import type { Egress } from '../bridge/egress/egress.ts'
import { accessTokens } from '../bridge/ingress/access-token.ts'
import { kafkaReasonOf } from '../bridge/kafka/errors.ts'
import { connectKafka, type KafkaPorts } from '../bridge/kafka/kafka.ts'
import { applyChangesIn } from '../bridge/mongo/apply.ts'
import { mongoReasonOf } from '../bridge/mongo/classify.ts'
import { connectMongo, type MongoConnection } from '../bridge/mongo/connect.ts'
import { type Erasures, erasuresIn } from '../bridge/mongo/erasures.ts'
import { connectRebuilds } from '../bridge/mongo/rebuild/rebuilds.ts'
import type { Log } from '../bridge/shared/log.ts'
import { sleep } from '../bridge/shared/time.ts'
import type { ApplyChanges } from '../bridge/views/document.ts'
import type { Settings } from './config.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { type MissedErasures, missedErasuresOf } from './roles/missed-erasures.ts'
import { kafkaSettings } from './servers.ts'
import type { Servers } from './start-servers.ts'

/** What the roles of a process are built from. */
export type Ports = {
  readonly settings: Settings
  readonly kafka: KafkaPorts
  readonly mongo: MongoConnection
  /** Applies changes to the views. One for all roles, so that changes at the same time go to MongoDB together. */
  readonly applyChanges: ApplyChanges
  /** One for all roles, so that the key of its hashes is read once. */
  readonly erasures: Erasures
  readonly rebuilds: ReturnType<typeof connectRebuilds>
  /** Applied once for all roles. */
  readonly missed: MissedErasures
  readonly tokens: ReturnType<typeof accessTokens>
  readonly metrics: Metrics
  readonly log: Log
}

/** Checks by their names. */
export type ChecksOf = { readonly [N in CheckName]?: CheckHealth }

/** A running part of a role, with its health checks and its stop function. */
export type Part = {
  readonly checks: ChecksOf
  /** The state of the gate between each account and its service. */
  readonly gates?: Egress['gates']
  readonly stop: () => Promise<void>
}

/** A scrape waits at most this long for a dependency, so that it gets a response without it. */
export const scrapeWithinMs = 2000

/** Each server is connected on first use. */
export const connectPorts = (settings: Settings, servers: Pick<Servers, 'kafka' | 'mongo'>, log: Log) => {
  const { accounts, topics } = settings
  const metrics = createMetrics()
  const timeZoneOf = timeZonesOf(accounts)
  const kafka = connectKafka(kafkaSettings(servers.kafka, topics, 'livechat-bridge'), {
    log,
    measure: metrics.measure,
    now,
  })
  const mongo = connectMongo(servers.mongo)
  const applyChanges = applyChangesIn(mongo, sleep, timeZoneOf)
  const rebuilds = connectRebuilds(servers.mongo, { sleep, timeZoneOf })
  const erasures = mongo.query(erasuresIn)
  const missed = missedErasuresOf({ kafka, mongo, applyChanges, erasures }, settings)
  const ports: Ports = {
    settings,
    kafka,
    mongo,
    applyChanges,
    erasures,
    rebuilds,
    missed,
    tokens: accessTokens(accounts, now),
    metrics,
    log,
  }
  const disconnect = async (): Promise<void> => {
    await kafka.stop()
    await Promise.all([mongo.stop(), rebuilds.stop()])
  }
  return { ports, disconnect }
}

/** The text of an error of a server that may be shown. */
export const serverReasonOf = (error: unknown): string =>
  error instanceof Error && error.name.startsWith('Kafka') ? kafkaReasonOf(error) : mongoReasonOf(error)
