import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AccountId, Id } from '../../contracts/primitives.ts'
import { type Bridge, startBridge } from '../../src/app/bridge.ts'
import type { Settings } from '../../src/app/config.ts'
import { createLog } from '../../src/app/telemetry.ts'
import { type AccountEntry, withDefaults } from '../../src/bridge/domain/accounts.ts'
import { roles as allRoles, type Role } from '../../src/bridge/domain/roles.ts'
import { anyFree } from '../../src/tools/embedded/port.ts'
import { type ServiceAccount, serviceAccountOf } from '../../src/tools/simulator/account.ts'
import { startService } from '../../src/tools/simulator/service.ts'
import type { Defence } from '../verify/faults/defences.ts'
import { type BridgeProcess, startBridgeProcess } from './bridge-process.ts'
import { defaultSettings } from './default-settings.ts'
import { right } from './either.ts'
import { temporaryFolder } from './folder.ts'
import { databaseUrl, servers } from './servers.ts'

const id = right(AccountId.decode('acme'))
const guardedId = right(AccountId.decode('guarded'))

type BotSettings = Omit<NonNullable<AccountEntry['bot']>, 'token' | 'providerId' | 'baseUrl' | 'authorization'>

/** The servers that a world uses: one or several of each kind. */
export type WorldServers = {
  readonly brokers: ReadonlyArray<string>
  readonly mongoUrl: (database: string) => string
}

type Options = {
  /** Default: the servers that all tests share. */
  readonly servers?: WorldServers
  readonly partitions?: number
  readonly bot?: BotSettings
  /** Accounts that the service knows in addition to the world's own. */
  readonly others?: ReadonlyArray<ServiceAccount>
  /**
   * How long the service waits for an answer. The default is more than the real service's three seconds, because tests
   * run in parallel.
   */
  readonly serviceWaitsMs?: number
  /** A setting of the account `acme`. */
  readonly retainDays?: number
  /** If set, the processes are negative controls without this defence. */
  readonly without?: Defence | undefined
}

const sharedServers = async (): Promise<WorldServers> => {
  const { brokers, mongoUrl } = await servers()
  return { brokers, mongoUrl: (database) => databaseUrl(mongoUrl, database) }
}

/**
 * A world has its own topics, database and folder, two accounts (`guarded` with authorization) and their chat service.
 * It starts bridges in this process or as separate processes.
 */
export const world = async (options: Options = {}) => {
  const { partitions = 4, bot: settings = {}, others = [], serviceWaitsMs = 30_000, without, retainDays } = options
  const { brokers, mongoUrl } = options.servers ?? (await sharedServers())
  const name = `t${randomBytes(5).toString('hex')}`
  const prefix = `${name}.`
  const dir = temporaryFolder()
  const mongo = { url: mongoUrl(name), database: name }
  const authorization = { clientId: right(Id.decode(`client-${name}`)), secretKey: `secret-key-of-${name}` }
  const tokens = { own: `bot-token-${name}`, guarded: `guarded-token-${name}` }
  const service = await startService({
    accounts: [
      { id, providerId: 'prov1', token: tokens.own },
      { id: guardedId, providerId: 'prov1', token: tokens.guarded, authorization },
      ...others,
    ],
    timeoutMs: serviceWaitsMs,
  })
  const bot = { providerId: 'prov1', baseUrl: service.baseUrl, ...settings }
  const account = { id, webhooks: { token: `webhooks-${name}` }, bot: { ...bot, token: tokens.own } }
  const guarded = {
    id: guardedId,
    bot: {
      ...bot,
      token: tokens.guarded,
      authorization,
      ...(settings.historyToken && { historyToken: `guarded-${settings.historyToken}` }),
    },
  }
  const accounts = [{ ...account, ...(retainDays && { privacy: { retainDays } }) }, guarded].map((entry) =>
    withDefaults(entry),
  )
  const accountsFile = join(dir, 'accounts.json')
  writeFileSync(accountsFile, JSON.stringify({ accounts: [account, guarded] }))
  const env = {
    KAFKA_BROKERS: brokers.join(','),
    MONGODB_URL: mongo.url,
    BRIDGE_CONFIG: accountsFile,
    TOPIC_PREFIX: prefix,
    TOPIC_PARTITIONS: String(partitions),
    LOG_LEVEL: 'info',
  }
  const bridges = new Set<Bridge>()
  const processes = new Set<Promise<BridgeProcess>>()

  /**
   * Starts a bridge in this process, and resolves when it is ready and the service is connected to it. `onUp` is called
   * when it listens.
   */
  const start = async (
    roles: ReadonlyArray<Role> = allRoles,
    onUp?: (bridge: Bridge) => void,
    more: Partial<Pick<Settings, 'retentionDays' | 'archiveKeyFile' | 'topics' | 'accounts'>> = {},
  ): Promise<Bridge> => {
    const kafka = { brokers, ssl: false }
    const bridge = right(
      await startBridge(
        {
          ...defaultSettings,
          kafka,
          mongo,
          accounts,
          demo: false,
          topics: { prefix, partitions },
          dataDir: dir,
          http: { ...defaultSettings.http, port: 0 },
          admin: { host: '127.0.0.1', port: 0 },
          console: { basePath: '/console', grants: [] },
          journalMaxBytes: 100 * 1024 * 1024,
          retentionDays: 14,
          logLevel: 'silent',
          ...more,
        },
        { kafka, mongo },
        roles,
        createLog('silent'),
      ),
    )
    bridges.add(bridge)
    onUp?.(bridge)
    await bridge.ready
    if (roles.includes('ingress'))
      for (const entry of [account, guarded])
        service.connect(entry.id, serviceAccountOf(entry, bridge.url).bridge ?? { botUrl: '' })
    return bridge
  }
  /** The ports and the folder of a bridge process. A restart keeps them. `shared` is the folder of another place. */
  const place = async (roles: ReadonlyArray<Role>, more: Readonly<Record<string, string>> = {}, shared?: string) => {
    const [port, adminPort] = [await anyFree(), await anyFree()]
    const dataDir = shared ?? join(dir, String(port))
    mkdirSync(dataDir, { recursive: true })
    const url = `http://127.0.0.1:${port}`
    return {
      dataDir,
      webhooks: `${url}/webhooks/${account.webhooks.token}`,
      bot: `${url}/bot/${account.bot.token}`,
      start: async (now: Readonly<Record<string, string>> = {}, mostDescriptors?: number) => {
        const given = {
          roles,
          port,
          adminPort,
          dataDir,
          without,
          mostDescriptors,
          env: { ...env, ...more, ...now },
        }
        const bridge = startBridgeProcess(given)
        processes.add(bridge)
        return bridge
      },
    }
  }
  let serviceStopped: Promise<unknown> | undefined
  const stop = async () => {
    // This includes bridges that are still starting.
    for (const started of await Promise.allSettled(processes))
      if (started.status === 'fulfilled' && !started.value.isOver()) await started.value.kill('SIGKILL')
    for (const bridge of bridges) await bridge.stop()
    serviceStopped ??= service.stop()
    await serviceStopped
  }
  return { prefix, brokers, mongo, service, account, accounts, env, start, place, stop }
}
export type World = Awaited<ReturnType<typeof world>>
export type Place = Awaited<ReturnType<World['place']>>
