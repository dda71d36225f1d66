import { existsSync } from 'node:fs'
import { styleText } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { Account } from '../domain/accounts.ts'
import { commandLineUser } from '../operations/audit.ts'
import { type Role, startBridge } from './bridge.ts'
import { exitOfWrongConfig, readSettings, type Settings } from './config.ts'
import { closedDataDir, forgetRunning, serversFor, tellRunning } from './servers.ts'
import { firstSignal } from './signals.ts'
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

/** Printed when the bridge is ready: addresses, the URLs of the accounts, and first commands to try. */
export const banner = (shown: Shown): string => {
  const { url, adminUrl, signInLink, brokers, mongoUrl, topicPrefix, accounts, took, inClone } = shown
  const webhooks = accounts.find((account) => account.webhooks)?.webhooks
  const urls = accounts.flatMap(({ id, webhooks, bot }) => [
    row('account', id),
    ...(webhooks ? [row('  webhooks', `${url}/webhooks/${webhooks.token}`)] : []),
    ...(bot ? [row('  bot', `${url}/bot/${bot.token}`)] : []),
  ])
  const tries = [
    ...(webhooks && inClone
      ? [`  curl -H 'Content-Type: application/json' -d @${sample} ${url}/webhooks/${webhooks.token}`]
      : []),
    '  npx livechat-bridge demo      plays every event, in another terminal',
    '  npx livechat-bridge topics    lists the topics',
  ]
  return [
    styleText('bold', `The bridge is ready after ${(took / 1000).toFixed(1)} s.`),
    '',
    ...(url === undefined ? [] : [row('http', `${url}  /webhooks /bot /oauth/token`)]),
    row('operators', `${adminUrl}  /livez /readyz /metrics`),
    ...(signInLink === undefined ? [] : [row('console', signInLink), row('', 'signs you in once, within ten minutes')]),
    row('kafka', `${brokers.join(',')}  topics ${topicPrefix}*`),
    row('mongodb', mongoUrl),
    ...(url === undefined ? [] : urls),
    '',
    ...(url === undefined ? [] : [styleText('bold', 'Try'), ...tries, '']),
    'Ctrl-C drains and stops everything.',
    '',
  ].join('\n')
}

const isFirstHour = ({ kafka, mongo, demo }: Settings) => kafka === 'embedded' || mongo === 'embedded' || demo

/** Runs the bridge until SIGINT or SIGTERM. Resolves with the exit code. */
export const start = async (roles: ReadonlyArray<Role>): Promise<number> => {
  const began = performance.now()
  const signal = firstSignal(console.error)
  const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const settings = await readSettings('make')
  if (settings === undefined) return exitOfWrongConfig
  const { dataDir } = settings
  const closed = await closedDataDir(dataDir)
  if (E.isLeft(closed)) {
    console.error(closed.left)
    return exitOfWrongConfig
  }
  const servers = await serversFor(settings, (line) => console.log(line))
  if (E.isLeft(servers)) {
    console.error(servers.left)
    return 1
  }
  const { kafka, mongo, stop: stopServers } = servers.right
  const log = createLog(settings.logLevel)
  for (const warning of settings.warnings ?? []) log.warn({ warning }, 'a setting is probably not what was meant')
  const stopTraces = await startTraces(settings.traces, log)
  const bridge = await startBridge(settings, servers.right, roles, log)
  if (E.isLeft(bridge)) {
    console.error(bridge.left.reason)
    await stopTraces()
    await stopServers()
    return bridge.left.exitCode
  }
  const { url, adminUrl, signInLink, ready, stop } = bridge.right
  const running = {
    pid: process.pid,
    url,
    adminUrl,
    ...(settings.kafka === 'embedded' && { brokers: kafka.brokers }),
    ...(settings.mongo === 'embedded' && { mongoUrl: mongo.url }),
  }
  const isUp = await Promise.race([ready.then(() => true), ended.then(() => false)])
  if (isUp) {
    const took = performance.now() - began
    await tellRunning(dataDir, running)
    log.info({ url, adminUrl, roles, ms: Math.round(took) }, 'the bridge is ready')
    if (isFirstHour(settings))
      console.log(
        banner({
          url,
          adminUrl,
          signInLink: await signInLink?.(commandLineUser()).catch(() => undefined),
          brokers: kafka.brokers,
          mongoUrl: mongo.url,
          topicPrefix: settings.topics.prefix,
          accounts: settings.accounts,
          took,
          inClone: existsSync(sample),
        }),
      )
    await ended
  }
  log.info({}, 'the bridge stops')
  forgetRunning(dataDir)
  await stop()
  await stopTraces()
  await stopServers()
  log.info({}, 'the bridge has stopped')
  return 0
}
