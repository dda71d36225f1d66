import { existsSync } from 'node:fs'
import { styleText } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { Account } from '../bridge/domain/accounts.ts'
import { roles as allRoles, type Role } from '../bridge/domain/roles.ts'
import { tokenInUrl } from '../bridge/ingress/path-token.ts'
import type { Log } from '../bridge/shared/log.ts'
import { exitOfWrongConfig, readSettings, type Settings } from './config.ts'
import { type Failed, type Pair, startPair } from './pair.ts'
import { closedDataDir, forgetRunning, recordRunning } from './running.ts'
import { firstSignal } from './signals.ts'
import { type Servers, serversFor } from './start-servers.ts'
import { createLog, startTraces } from './telemetry.ts'

type Shown = {
  readonly url?: string
  readonly adminUrl: string
  readonly brokers: ReadonlyArray<string>
  readonly mongoUrl: string
  readonly topicPrefix: string
  readonly accounts: ReadonlyArray<Account>
  /** A link that signs the operator in to the console. */
  readonly signInLink?: string | undefined
  readonly took: number
  /** True if the bridge runs in a clone of the repository, which has the samples. */
  readonly inClone: boolean
}

const row = (name: string, value: string) => `  ${styleText('dim', name.padEnd(12))}${value}`

/** Relative to the root of a clone. */
export const sample = 'contracts/webhooks/samples/chat_accepted.json'

/** The addresses of more accounts would hide the others. */
const shownAccounts = 10

/** Printed when the bridge is ready: addresses, the URLs of the accounts, and first commands to try. */
export const banner = (shown: Shown): string => {
  const { url, adminUrl, signInLink, brokers, mongoUrl, topicPrefix, accounts, took, inClone } = shown
  const webhooks = accounts.find((account) => account.webhooks)?.webhooks
  const left = accounts.length - shownAccounts
  const urls = accounts
    .slice(0, shownAccounts)
    .flatMap(({ id, webhooks, bot }) => [
      row('account', id),
      ...(webhooks ? [row('  webhooks', `${url}/webhooks/${tokenInUrl(webhooks.token)}`)] : []),
      ...(bot ? [row('  bot', `${url}/bot/${tokenInUrl(bot.token)}`)] : []),
      ...(bot?.historyToken ? [row('  history', `${url}/history/${id}/<chat id>  Bearer ${bot.historyToken}`)] : []),
    ])
  const tries = [
    ...(webhooks && inClone
      ? [`  curl -H 'Content-Type: application/json' -d @${sample} ${url}/webhooks/${tokenInUrl(webhooks.token)}`]
      : []),
    '  npx livechat-bridge demo      plays every event, in another terminal',
    '  npx livechat-bridge topics    lists the topics',
  ]
  return [
    styleText('bold', `The bridge is ready after ${(took / 1000).toFixed(1)} s.`),
    '',
    ...(url === undefined ? [] : [row('http', `${url}  /webhooks /bot /oauth/token /history`)]),
    row('operators', `${adminUrl}  /livez /readyz /metrics`),
    ...(signInLink === undefined ? [] : [row('console', signInLink), row('', 'signs you in once, within ten minutes')]),
    row('kafka', `${brokers.join(',')}  topics ${topicPrefix}*`),
    row('mongodb', mongoUrl),
    ...(url === undefined ? [] : urls),
    ...(url === undefined || left <= 0 ? [] : [row('', `and ${left} more accounts of BRIDGE_CONFIG`)]),
    '',
    ...(url === undefined ? [] : [styleText('bold', 'Try'), ...tries, '']),
    'Ctrl-C drains and stops everything.',
    '',
  ].join('\n')
}

const isFirstHour = ({ kafka, mongo, demo }: Settings) => kafka === 'embedded' || mongo === 'embedded' || demo

/** Whatever runs the roles: this process, or front and back. */
type Runner = {
  readonly ready: Pair['ready']
  readonly failed: Promise<Failed>
  readonly stop: () => Promise<void>
}

const never = new Promise<never>(() => undefined)

/** Exactly these roles, in this process. */
const runHere = async (settings: Settings, servers: Servers, roles: ReadonlyArray<Role>, log: Log): Promise<Runner> => {
  // The parent of front and back runs no role, so it does not load their code.
  const [{ startBridge }, { commandLineUser }] = await Promise.all([
    import('./bridge.ts'),
    import('../bridge/operations/audit.ts'),
  ])
  const stopTraces = await startTraces(settings.traces, log)
  const bridge = await startBridge(settings, servers, roles, log)
  if (E.isLeft(bridge)) return { ready: Promise.resolve(bridge.left), failed: never, stop: stopTraces }
  const { url, adminUrl, signInLink, ready, stop } = bridge.right
  return {
    ready: ready.then(async () => ({
      url,
      adminUrl,
      signInLink: await signInLink?.(commandLineUser()).catch(() => undefined),
    })),
    failed: never,
    stop: () => stop().then(stopTraces),
  }
}

/**
 * Runs the bridge until SIGINT or SIGTERM: these roles in this process, or without `roles` all of them in two
 * processes. Resolves with the exit code.
 */
export const start = async (roles?: ReadonlyArray<Role>): Promise<number> => {
  const began = performance.now()
  const signal = firstSignal(console.error)
  const ended = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
  const settings = await readSettings('make')
  if (settings === undefined) return exitOfWrongConfig
  const { dataDir } = settings
  const closed = await closedDataDir(dataDir)
  if (E.isLeft(closed)) {
    console.error(closed.left)
    return exitOfWrongConfig
  }
  const log = createLog(settings.logLevel)
  // Front and back load their code while the servers start.
  const pair = roles === undefined ? startPair(process.argv[1] ?? '', log) : undefined
  const servers = await Promise.race([serversFor(settings, (line) => console.log(line)), ended])
  if (servers === undefined || E.isLeft(servers)) {
    if (servers !== undefined) console.error(servers.left)
    await pair?.stop()
    // Embedded servers that have begun to start end with this process.
    return servers === undefined ? 0 : 1
  }
  const { kafka, mongo, stop: stopServers } = servers.right
  pair?.begin(servers.right)
  for (const warning of settings.warnings ?? []) log.warn({ warning }, 'a setting is probably not what was meant')
  const runner = pair ?? (await runHere(settings, servers.right, roles ?? allRoles, log))
  const stopAll = async () => {
    await runner.stop()
    await stopServers()
  }
  const refuse = async ({ reason, exitCode }: Failed) => {
    console.error(reason)
    forgetRunning(dataDir)
    await stopAll()
    return exitCode
  }
  const up = await Promise.race([runner.ready, ended])
  if (up !== undefined && 'exitCode' in up) return refuse(up)
  if (up !== undefined) {
    const { url, adminUrl, signInLink } = up
    const took = performance.now() - began
    const recorded = await recordRunning(dataDir, {
      pid: process.pid,
      roles: roles ?? allRoles,
      url,
      adminUrl,
      ...(settings.kafka === 'embedded' && { brokers: kafka.brokers }),
      ...(settings.mongo === 'embedded' && { mongoUrl: mongo.url }),
    })
    if (E.isLeft(recorded)) log.warn(recorded.left, 'other commands do not find this process')
    log.info({ url, adminUrl, roles: roles ?? allRoles, ms: Math.round(took) }, 'the bridge is ready')
    if (isFirstHour(settings))
      console.log(
        banner({
          url,
          adminUrl,
          signInLink,
          brokers: kafka.brokers,
          mongoUrl: mongo.url,
          topicPrefix: settings.topics.prefix,
          accounts: settings.accounts,
          took,
          inClone: existsSync(sample),
        }),
      )
    const failed = await Promise.race([runner.failed, ended])
    if (failed !== undefined) return refuse(failed)
  }
  log.info({}, 'the bridge stops')
  forgetRunning(dataDir)
  await stopAll()
  log.info({}, 'the bridge has stopped')
  return 0
}
