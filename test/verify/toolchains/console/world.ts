import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { AccountId } from '../../../../contracts/primitives.ts'
import { consoleRoles } from '../../../../src/bridge/domain/accounts.ts'
import { roles } from '../../../../src/bridge/domain/roles.ts'
import { consoleSessionsIn } from '../../../../src/bridge/mongo/sign-in-sessions.ts'
import { consoleKeys, random } from '../../../../src/console/access/keys.ts'
import { anyFree } from '../../../../src/tools/embedded/port.ts'
import { serviceAccountOf } from '../../../../src/tools/simulator/account.ts'
import { startService } from '../../../../src/tools/simulator/service.ts'
import { oidcServer } from '../../../console/integration/oidc-server.ts'
import { startBridgeProcess } from '../../../support/bridge-process.ts'
import { runCommand } from '../../../support/command.ts'
import { right } from '../../../support/either.ts'
import { eventually } from '../../../support/eventually.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { plainClient } from '../../../support/plain-consumer.ts'
import { databaseUrl, servers } from '../../../support/servers.ts'

/** A signed-in person: the cookie's value, the token for requests other than GET, and the stored session's id. */
export type SignedIn = { readonly cookie: string; readonly csrf: string; readonly id: string }

const sessionKey = 'a key of the console, for its tests alone'
const hour = 60 * 60 * 1000

/**
 * A bridge with its console, the chat service, an identity provider, and the data that the demo has created. `more` are
 * settings of the bridge.
 */
export const startConsoleWorld = async (more: Readonly<Record<string, string>> = {}) => {
  const { brokers, mongoUrl } = await servers()
  const name = `console${randomBytes(4).toString('hex')}`
  const dataDir = join(temporaryFolder(), 'data')
  mkdirSync(dataDir)
  const [port, adminPort, servicePort] = [await anyFree(), await anyFree(), await anyFree()]
  const origin = `http://127.0.0.1:${adminPort}`
  const provider = await oidcServer(`${origin}/console/sign-in/done`)
  const bot = { providerId: 'prov1', baseUrl: `http://127.0.0.1:${servicePort}`, replyWithin: hour }
  const accounts = ['acme', 'other'].map((id) => ({
    id: right(AccountId.decode(id)),
    webhooks: { token: `webhooks-${id}-${name}` },
    bot: { ...bot, token: `bot-${id}-${name}` },
  }))
  const grants = [
    ...consoleRoles.map((role) => ({ group: role, role, accounts: ['acme'] })),
    { group: 'operators of all accounts', role: 'operator' },
  ]
  const accountsFile = join(dataDir, 'accounts.json')
  writeFileSync(accountsFile, JSON.stringify({ accounts, console: { grants } }))
  const env = {
    KAFKA_BROKERS: brokers.join(','),
    MONGODB_URL: databaseUrl(mongoUrl, name),
    BRIDGE_CONFIG: accountsFile,
    TOPIC_PREFIX: `${name}.`,
    TOPIC_PARTITIONS: '2',
    LOG_LEVEL: 'info',
    CONSOLE_URL: origin,
    CONSOLE_SESSION_KEY: sessionKey,
    CONSOLE_OIDC_ISSUER: provider.issuer,
    CONSOLE_OIDC_CLIENT_ID: 'livechat',
    CONSOLE_OIDC_CLIENT_SECRET: 'a-secret-of-the-client',
    TRACE_URL_TEMPLATE: 'https://traces.example.com/{traceId}',
    ...more,
  }
  const bridge = await startBridgeProcess({ roles, port, adminPort, dataDir, env })
  await eventually('the bridge to be ready', async () => (await bridge.isReady()) || undefined, 120_000)
  const command = (...args: ReadonlyArray<string>) => runCommand(args, { ...env, DATA_DIR: dataDir })
  const played = await command('demo')
  if (played.code !== 0) throw new Error(`the demo failed: ${played.out}${played.err}`)
  const service = await startService({
    port: servicePort,
    accounts: accounts.map((account) => serviceAccountOf(account, bridge.url)),
    timeoutMs: 30_000,
  })
  const client = await new MongoClient(mongoUrl).connect()
  const db = client.db(name)
  const producer = plainClient(brokers).producer()
  await producer.connect()
  const keys = consoleKeys(sessionKey)
  const store = consoleSessionsIn(db)
  const signInAs = async (who: string, groups: ReadonlyArray<string>): Promise<SignedIn> => {
    const cookie = random()
    const id = keys.storedId(cookie)
    await store.add({ id, who: `${who}@example.com`, groups, expiresAt: new Date(Date.now() + hour), unmasked: [] })
    return { cookie, csrf: keys.csrf(cookie), id }
  }
  /** Signs in a person who is in these groups at the provider. */
  const signIn = (...groups: ReadonlyArray<string>) => signInAs(groups.join('+'), groups)
  const ask = (path: string, { cookie, csrf }: SignedIn, body?: unknown) =>
    fetch(`${origin}/console/api/${path}`, {
      headers: {
        cookie: `livechat_console=${cookie}`,
        origin,
        'x-csrf-token': csrf,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
  return {
    origin,
    bridge,
    provider,
    service,
    db,
    brokers,
    command,
    signIn,
    ask,
    /** Signs in a person with every role in the account acme, who is in no other test. */
    signInAsAll: (name: string) => signInAs(name, consoleRoles),
    prefix: `${name}.`,
    revoke: ({ id }: SignedIn) => store.remove(id),
    /** The URL of an account's page, by its path below the account. */
    page: (path: string, account = 'acme') => `${origin}/console/accounts/${account}/${path}`,
    /** Posts an event unchanged, even if the service would never send it. */
    postBotEvent: (account: string, body: object) =>
      fetch(`${bridge.url}/bot/bot-${account}-${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    produce: (topic: string, key: string, value: string) =>
      producer.send({ topic: `${name}.${topic}`, messages: [{ key, value }] }),
    stop: async () => {
      await producer.disconnect()
      await client.close()
      if (!bridge.isOver()) await bridge.kill('SIGTERM')
      await service.stop()
      await provider.stop()
    },
  }
}
export type ConsoleWorld = Awaited<ReturnType<typeof startConsoleWorld>>
