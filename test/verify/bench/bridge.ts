import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '../../../src/bridge/domain/roles.ts'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { type BridgeProcess, startBridgeProcess } from '../../support/bridge-process.ts'
import { eventually } from '../../support/eventually.ts'
import { accountId, botToken, providerId, webhooksToken } from './account.ts'
import type { Bench } from './bench.ts'

type World = {
  /** Its own topics and database on the bench's servers. */
  readonly name: string
  readonly partitions?: number
  /** The database, if its name is not `name`. */
  readonly database?: string
  /** The address to which the bridge posts bot replies. */
  readonly serviceUrl?: string
  /** Another checkout, to compare with. */
  readonly checkout?: string
}

/** Settings of one process. */
export type More = { readonly env?: Readonly<Record<string, string>>; readonly nodeArgs?: ReadonlyArray<string> }

/** Bridges as in production, each in its own process. The account's limits are above the load of any benchmark. */
export type BridgeWorld = ReturnType<typeof bridgeWorld>

export const bridgeWorld = (bench: Bench, world: World) => {
  const { name, partitions = 6, database = name, serviceUrl = 'http://127.0.0.1:1', checkout } = world
  const dir = join(bench.dataDir, database)
  mkdirSync(dir, { recursive: true })
  const bot = { token: botToken, providerId, baseUrl: serviceUrl }
  const account = { id: accountId, webhooks: { token: webhooksToken }, bot, requestsPerSecond: 1_000_000 }
  const accountsFile = join(dir, 'accounts.json')
  writeFileSync(accountsFile, JSON.stringify({ accounts: [account] }))
  const env = {
    KAFKA_BROKERS: bench.brokers.join(','),
    MONGODB_URL: bench.mongoUrl(database),
    BRIDGE_CONFIG: accountsFile,
    TOPIC_PREFIX: `${name}.`,
    TOPIC_PARTITIONS: String(partitions),
    LOG_LEVEL: 'warn',
  }
  const start = async (which: ReadonlyArray<Role> | 'as npm start does', more: More = {}): Promise<BridgeProcess> => {
    const { profile, startArgs } = bench.bridge
    const roles = typeof which === 'string' ? [] : which
    const isProfiled = profile !== undefined && roles.some((role) => profile.roles.includes(role))
    const bridge = await startBridgeProcess({
      roles,
      env: { ...env, ...more.env },
      port: await anyFree(),
      dataDir: dir,
      checkout,
      startArgs: roles.includes('ingress') ? startArgs : [],
      nodeArgs: [...(more.nodeArgs ?? []), ...(isProfiled ? ['--cpu-prof', '--cpu-prof-dir', profile.dir] : [])],
    })
    bench.afterwards(() => stopBridge(bridge))
    await eventually('readiness', async () => (await bridge.isReady()) || undefined, 90_000)
    return bridge
  }
  /** Creates the topics, as any bridge does when it starts. */
  const makeTopics = async () => stopBridge(await start(['ingress']))
  return { name, dir, prefix: `${name}.`, env, start, makeTopics }
}

export const stopBridge = async (bridge: BridgeProcess): Promise<void> => {
  if (!bridge.isOver()) await bridge.kill('SIGTERM')
}

export const webhooksUrl = ({ url }: BridgeProcess) => `${url}/webhooks/${webhooksToken}`
export const botUrl = ({ url }: BridgeProcess) => `${url}/bot/${botToken}`
