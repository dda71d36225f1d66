import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { botReplies, eventTopics } from '../../contracts/topics.ts'
import type { Role } from '../../src/app/bridge.ts'
import type { AccountEntry } from '../../src/domain/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { type BridgeProcess, freePort, startBridgeProcess } from './bridge-process.ts'
import { check } from './checker.ts'
import type { Cluster } from './cluster.ts'
import type { Defence } from './defences.ts'
import { projectorOf } from './projector.ts'
import { readLog, toLogRecord } from './read-log.ts'
import { recorder } from './recorder.ts'
import { foldOf, readViews } from './views.ts'

const partitions = 4
const events = eventTopics.map(({ name }) => name)

/** What a world stands on: one server of each kind, or several. */
export type Ground = Pick<Cluster, 'dataDir' | 'brokers' | 'mongoUrl' | 'afterwards'>

/** A scenario's own topics, database, account and bridges on the cluster; `settings` are those of the account's bot. */
export const world = async (cluster: Ground, without?: Defence, settings: Partial<AccountEntry['bot']> = {}) => {
  const { brokers } = cluster
  const name = `f${randomBytes(4).toString('hex')}`
  const prefix = `${name}.`
  const dir = join(cluster.dataDir, name)
  mkdirSync(dir)
  const bot = { token: `bot-token-${name}`, providerId: 'p', baseUrl: 'http://127.0.0.1:1', ...settings }
  const account = { id: 'acme', webhooks: { token: `webhooks-${name}` }, bot }
  writeFileSync(join(dir, 'accounts.json'), JSON.stringify({ accounts: [account] }))
  const mongoUrl = cluster.mongoUrl(name)
  const env = {
    ...{ KAFKA_BROKERS: brokers.join(','), MONGODB_URL: mongoUrl, BRIDGE_CONFIG: join(dir, 'accounts.json') },
    ...{ TOPIC_PREFIX: prefix, TOPIC_PARTITIONS: String(partitions), LOG_LEVEL: 'info' },
  }
  const bridges = new Set<BridgeProcess>()
  const recorders: Array<ReturnType<typeof recorder>> = []

  /** A place for a bridge: started again it has the port and the folder that it had, or shares that of another. */
  const place = async (roles: ReadonlyArray<Role>, more: Readonly<Record<string, string>> = {}, shared?: string) => {
    const port = await freePort()
    const dataDir = shared ?? join(dir, String(port))
    mkdirSync(dataDir, { recursive: true })
    const url = `http://127.0.0.1:${port}`
    return {
      dataDir,
      webhooks: `${url}/webhooks/webhooks-${name}`,
      bot: `${url}/bot/${bot.token}`,
      start: async (now: Readonly<Record<string, string>> = {}) => {
        const bridge = await startBridgeProcess({ roles, port, dataDir, without, env: { ...env, ...more, ...now } })
        bridges.add(bridge)
        return bridge
      },
    }
  }
  const stop = async () => {
    for (const made of recorders) made.stop()
    for (const bridge of bridges) if (!bridge.isOver()) await bridge.kill('SIGKILL')
  }
  cluster.afterwards(stop)
  type Place = Awaited<ReturnType<typeof place>>
  const log = () => readLog(brokers, prefix, events)

  return {
    prefix,
    brokers,
    mongoUrl,
    account,
    place,
    ...projectorOf(brokers, prefix),
    recorder: (places: ReadonlyArray<Place>) => {
      const addresses = { webhooks: places.map(({ webhooks }) => webhooks), bot: places.map(({ bot: url }) => url) }
      const made = recorder(addresses)
      recorders.push(made)
      return made
    },
    log,
    dead: () => readLog(brokers, prefix, ['dead-letters']),
    verdict: async (history: Parameters<typeof check>[0]) => check(history, (await log()).map(toLogRecord)),
    fold: async () => foldOf(await readLog(brokers, prefix, [...events, botReplies.name])),
    documents: () => readViews(mongoUrl),
    ready: (bridge: BridgeProcess) =>
      eventually('readiness', async () => (await bridge.isReady()) || undefined, 90_000),
    /** Waits until the journal is empty, and the journals that it has adopted; false where that takes too long. */
    drained: (bridge: BridgeProcess, withinMs = 60_000) =>
      eventually(
        'the journal to be drained',
        async () => {
          const own = await bridge.metric('livechat_journal_records')
          return (own === 0 && (await bridge.metric('livechat_journal_orphan_records')) === 0) || undefined
        },
        withinMs,
      ).then(
        () => true,
        () => false,
      ),
    stop,
  }
}
export type World = Awaited<ReturnType<typeof world>>
