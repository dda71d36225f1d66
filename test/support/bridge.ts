import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AccountId, Id } from '../../contracts/primitives.ts'
import { roles as allRoles, type Bridge, type Role, startBridge } from '../../src/app/bridge.ts'
import { createLog } from '../../src/app/log.ts'
import { type AccountEntry, withDefaults } from '../../src/domain/accounts.ts'
import { serviceAccountOf } from '../../src/simulator/account.ts'
import { startService } from '../../src/simulator/service.ts'
import { right } from './either.ts'
import { servers } from './servers.ts'

const { brokers, mongoUrl } = await servers()

const id = right(AccountId.decode('acme'))
const guardedId = right(AccountId.decode('guarded'))

type BotSettings = Omit<NonNullable<AccountEntry['bot']>, 'token' | 'providerId' | 'baseUrl' | 'authorization'>

/** A world of its own on the shared servers: names, two accounts (`guarded` with authorization) and their chat service. */
export const world = async (partitions = 4, settings: BotSettings = {}) => {
  const name = `t${randomBytes(5).toString('hex')}`
  const dataDir = mkdtempSync(join(tmpdir(), 'livechat-world-'))
  const bot = { token: `bot-token-${name}`, providerId: 'prov1', baseUrl: 'http://127.0.0.1:1', ...settings }
  const guarded = {
    ...bot,
    token: `guarded-token-${name}`,
    authorization: { clientId: right(Id.decode(`client-${name}`)), secretKey: `secret-key-of-${name}` },
  }
  const entries: ReadonlyArray<AccountEntry> = [
    { id, webhooks: { token: `webhooks-${name}` }, bot },
    { id: guardedId, bot: guarded },
  ]
  const service = await startService({
    accounts: [
      { id, ...bot },
      { id: guardedId, ...guarded },
    ],
    // Tests run beside each other. The three seconds of the protocol are checked where nothing else runs.
    timeoutMs: 30_000,
  })
  const accounts = entries.map((entry) =>
    withDefaults({ ...entry, ...(entry.bot && { bot: { ...entry.bot, baseUrl: service.baseUrl } }) }),
  )
  const bridges = new Set<Bridge>()
  const url = new URL(mongoUrl)
  url.pathname = `/${name}`
  const mongo = { url: url.href, database: name }
  const prefix = `${name}.`

  return {
    prefix,
    brokers,
    mongo,
    service,
    accounts,
    /** Starts a bridge of this world and connects the service to it; resolves when it is ready; `onUp` is called when it listens. */
    start: async (roles: ReadonlyArray<Role> = allRoles, onUp?: (bridge: Bridge) => void): Promise<Bridge> => {
      const bridge = right(
        await startBridge(
          {
            kafka: { brokers, ssl: false },
            mongo,
            accounts,
            demo: false,
            http: { host: '127.0.0.1', port: 0, trustedProxies: [] },
            topics: { prefix, partitions },
            dataDir,
            journalMaxBytes: 100 * 1024 * 1024,
            logLevel: 'silent',
          },
          { kafka: { brokers, ssl: false }, mongo },
          roles,
          createLog('silent'),
        ),
      )
      bridges.add(bridge)
      onUp?.(bridge)
      await bridge.ready
      for (const account of accounts) {
        const { bot: accountBot } = account
        if (accountBot !== undefined && roles.includes('ingress'))
          service.connect(
            account.id,
            serviceAccountOf({ ...account, bot: accountBot }, bridge.url).bridge ?? { botUrl: '' },
          )
      }
      return bridge
    },
    stop: async () => {
      for (const bridge of bridges) await bridge.stop()
      await service.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export type World = Awaited<ReturnType<typeof world>>
