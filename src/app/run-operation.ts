import { createInterface } from 'node:readline/promises'
import * as E from 'fp-ts/lib/Either.js'
import { dataKeys } from '../bridge/archive/data-keys.ts'
import type { WrappingKeys } from '../bridge/archive/key-file.ts'
import { restorer } from '../bridge/archive/restore.ts'
import { timeZonesOf } from '../bridge/domain/accounts.ts'
import { now } from '../bridge/domain/clock.ts'
import { hostInUrl } from '../bridge/http/client-address.ts'
import type { KafkaPorts } from '../bridge/kafka/kafka.ts'
import { applyChangesIn } from '../bridge/mongo/apply.ts'
import { archiveKeysIn } from '../bridge/mongo/archive-keys.ts'
import { connectMongo, type MongoConnection } from '../bridge/mongo/connect.ts'
import { erasuresIn } from '../bridge/mongo/erasures.ts'
import { connectRebuilds } from '../bridge/mongo/rebuild/rebuilds.ts'
import { type Redrives, redrivesIn } from '../bridge/mongo/redrives.ts'
import { consoleSessionsIn } from '../bridge/mongo/sign-in-sessions.ts'
import { silentPersonsIn } from '../bridge/mongo/silent-persons.ts'
import {
  actionRecorder,
  afterErasures,
  commandLineUser,
  type RecordAction,
  userName,
} from '../bridge/operations/audit.ts'
import type { AnyOperation, Need, Resources } from '../bridge/operations/operation.ts'
import { printableLines } from '../bridge/shared/text.ts'
import { monotonic, sleep } from '../bridge/shared/time.ts'
import { missingKeyFile, wrappingKeysOf } from './archive-keys.ts'
import { type Execute, type Flags, runOnTerminal, type Terminal } from './command-line.ts'
import { exitOfWrongConfig, readSettings, type Settings } from './config.ts'
import type { MongoConfig } from './environment.ts'
import { serverReasonOf } from './ports.ts'
import { missedErasuresOf } from './roles/missed-erasures.ts'
import { findRunning } from './running.ts'
import { kafkaFor, kafkaOf, mongoOf, noBroker, noMongo, useProxy } from './servers.ts'
import { firstSignal } from './signals.ts'
import { progressBar, progressLines } from './terminal/progress.ts'

// Ids, addresses and texts of others are printed too. Escaped control and direction characters do no harm in JSON.
const out = (line: string) => console.log(printableLines(line))
const err = (line: string) => console.error(printableLines(line))

const ask = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY) return false
  const questions = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await questions.question(`${question} Type yes: `)
  questions.close()
  return answer.trim() === 'yes'
}

const progressFor = (isJson: boolean) =>
  process.stdout.isTTY && !isJson
    ? progressBar(process.stdout, monotonic)
    : progressLines(isJson ? err : out, monotonic)

const away = async () => Promise.reject(new Error('there is no MongoDB'))
const noRedrives: Redrives = { find: away, remember: away, states: away, erasedAt: away, lease: away }

type Unavailable = { readonly reason: string; readonly code: number }
const unavailable = (reason: string, code = 1): E.Either<Unavailable, never> => E.left({ reason, code })

type Closing = (close: () => Promise<void>) => void

/** How each resource is opened. Left: it cannot be used here. */
const openersOf = (settings: Settings, kafka: KafkaPorts, closing: Closing) => {
  const config = mongoOf(settings)
  let connected: MongoConnection | undefined
  const connect = (known: MongoConfig): MongoConnection => {
    connected = connectMongo(known)
    closing(connected.stop)
    return connected
  }
  const mongo = (): E.Either<Unavailable, MongoConnection> =>
    config === undefined ? unavailable(noMongo) : E.right(connected ?? connect(config))
  const wrapping = () =>
    E.mapLeft((reason: string) => ({ reason, code: exitOfWrongConfig }))(wrappingKeysOf(settings, false))
  const withConsole = () => findRunning(settings.dataDir, ({ roles }) => roles.includes('console'))?.adminUrl
  return {
    accounts: () => E.right(settings.accounts),
    topicPrefix: () => E.right(settings.topics.prefix),
    dataFolder: () => E.right(settings.dataDir),
    retentionDays: () => E.right(settings.retentionDays),
    kafka: () => E.right(kafka),
    appendTo: () => {
      const others = kafka.withPrefix('')
      closing(others.stop)
      return E.right(others.append)
    },
    // Dead letters can be listed without MongoDB.
    redrives: () => E.right(config === undefined ? noRedrives : (connected ?? connect(config)).query(redrivesIn)),
    erasures: () => E.map(({ query }: MongoConnection) => query(erasuresIn))(mongo()),
    silentPersons: () => E.map(({ query }: MongoConnection) => query(silentPersonsIn))(mongo()),
    archiveKeys: () => E.map(({ query }: MongoConnection) => query(archiveKeysIn))(mongo()),
    rebuilds: () => {
      if (config === undefined) return unavailable(noMongo)
      const rebuilds = connectRebuilds(config, { sleep, timeZoneOf: timeZonesOf(settings.accounts) })
      closing(rebuilds.stop)
      return E.right(rebuilds)
    },
    consoleSessions: () => E.map(({ query }: MongoConnection) => query(consoleSessionsIn))(mongo()),
    running: () => E.right({ adminUrl: withConsole(), consolePath: settings.console.basePath }),
    wrapping: () => {
      const keys = wrapping()
      return E.isLeft(keys) || keys.right !== undefined
        ? (keys as E.Either<Unavailable, WrappingKeys>)
        : unavailable(missingKeyFile, exitOfWrongConfig)
    },
    restore: () => {
      const [keys, known] = [wrapping(), mongo()]
      if (E.isLeft(keys)) return keys
      if (E.isLeft(known)) return known
      return E.right(keys.right && restorer(dataKeys(known.right.query(archiveKeysIn), keys.right)))
    },
    consoleUrl: () => {
      const { origin, basePath } = settings.console
      const { host, port } = settings.admin
      return E.right(`${origin ?? withConsole() ?? `http://${hostInUrl(host)}:${port}`}${basePath}`)
    },
  } satisfies { readonly [N in Need]: () => E.Either<Unavailable, Resources[N]> }
}

/** Opens what an operation needs, and nothing else. */
const open = (
  settings: Settings,
  kafka: KafkaPorts,
  needs: AnyOperation['needs'],
  closing: Closing,
): E.Either<Unavailable, Resources> => {
  const openers = openersOf(settings, kafka, closing)
  const opened: Partial<Record<Need, unknown>> = {}
  for (const need of Object.keys(needs) as ReadonlyArray<Need>) {
    const resource = openers[need]()
    if (E.isLeft(resource)) return resource
    opened[need] = resource.right
  }
  // It has all that the operation uses.
  return E.right(opened as Resources)
}

const terminalFor = (recordAction: RecordAction, { json }: Flags): Terminal => ({
  out,
  err,
  ask,
  withinMs: 30_000,
  progress: progressFor(json === true),
  interruption: () => firstSignal(err),
  who: userName(),
  recordAction,
})

/** Without servers nothing can be recorded. */
const recordsNothing: RecordAction = async () => E.left({ kind: 'permanent', reason: 'there is no Kafka' })

/** Applies erasures that MongoDB may lack, with a connection of its own. */
const applyErasures = (settings: Settings, kafka: KafkaPorts) => async (): Promise<void> => {
  const config = mongoOf(settings)
  if (config === undefined) return
  const mongo = connectMongo(config)
  const applyChanges = applyChangesIn(mongo, sleep, timeZonesOf(settings.accounts))
  try {
    await missedErasuresOf({ kafka, mongo, applyChanges, erasures: mongo.query(erasuresIn) }, settings).apply()
  } finally {
    await mongo.stop()
  }
}

/** Runs an operation with its servers, then disconnects. Resolves with an exit code, also if the operation throws. */
const runWithServers = async (operation: AnyOperation, values: object, flags: Flags): Promise<number> => {
  const { exitCodeOfFailure } = operation
  const settings = await readSettings()
  if (settings === undefined) return exitCodeOfFailure ?? exitOfWrongConfig
  const kafkaConfig = kafkaOf(settings)
  if (kafkaConfig === undefined) {
    err(noBroker)
    return exitCodeOfFailure ?? 1
  }
  await useProxy(settings.proxy)
  const kafka = kafkaFor(operation.name.split(' ', 1)[0] ?? '', kafkaConfig, settings)
  const closes = [kafka.stop]
  try {
    const resources = open(settings, kafka, operation.needs, (close) => void closes.push(close))
    if (E.isLeft(resources)) {
      err(resources.left.reason)
      return exitCodeOfFailure ?? resources.left.code
    }
    const record = afterErasures(actionRecorder(kafka.append, now, commandLineUser()), applyErasures(settings, kafka))
    const terminal = terminalFor(record, flags)
    return await runOnTerminal(operation, resources.right, values, flags, terminal)
  } catch (error) {
    err(`The command failed: ${serverReasonOf(error)}`)
    return exitCodeOfFailure ?? 1
  } finally {
    for (const close of closes.toReversed()) await close()
  }
}

/** Runs an operation and ends the process with its exit code. An operation that needs nothing reads no settings. */
export const execute: Execute = async (operation, values, flags) => {
  const needsNothing = Object.keys(operation.needs).length === 0
  process.exit(
    needsNothing
      ? await runOnTerminal(operation, {} as Resources, values, flags, terminalFor(recordsNothing, flags))
      : await runWithServers(operation, values, flags),
  )
}
