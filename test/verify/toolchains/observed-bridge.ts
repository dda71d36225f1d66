import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startBot, text } from 'livechat-bridge/bot'
import { roles } from '../../../src/bridge/domain/roles.ts'
import { serviceAccountOf } from '../../../src/tools/simulator/account.ts'
import type { Tamper } from '../../../src/tools/simulator/transcript.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { samples } from '../../support/samples.ts'
import { world } from '../../support/world.ts'
import { startCluster } from '../faults/cluster.ts'

const known = samples('webhooks', 'accepted').filter(({ name }) => !name.endsWith('extra-fields'))

/** Mounts a small disk for the lifetime of this process; returns false if that is not allowed. */
const mountDisk = (dir: string): boolean => {
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'none', dir], { stdio: 'ignore' }).status !== 0)
    return false
  process.prependOnceListener('exit', () => spawnSync('umount', ['-l', dir], { stdio: 'ignore' }))
  return true
}

/**
 * A bridge whose servers a test can stop, with a small disk, few descriptors, a service, a bot that does not reply to
 * one client, and an account with a low rate limit. Nothing is archived.
 */
export const startObservedBridge = async () => {
  const cluster = await startCluster()
  const here = await world({ servers: cluster, partitions: 2, bot: { replyWithin: 20_000 } })
  const limited = { id: 'limited', webhooks: { token: 'webhooks-token-of-limited' }, requestsPerSecond: 1 }
  const own = { ...here.account, privacy: { retainDays: 3_650 } }
  const accounts = join(temporaryFolder(), 'accounts.json')
  writeFileSync(accounts, JSON.stringify({ accounts: [own, limited] }))
  const place = await here.place(roles, { BRIDGE_CONFIG: accounts, JOURNAL_MAX_BYTES: '50000' })
  const hasOwnDisk = mountDisk(place.dataDir)
  const start = (env: Readonly<Record<string, string>> = {}) => place.start(env, 1_000)
  let bridge = await start()
  await eventually('the bridge to be ready', async () => (await bridge.isReady()) || undefined, 120_000)
  here.service.connect(here.account.id, serviceAccountOf(here.account, bridge.url).bridge ?? { botUrl: '' })
  const bot = await startBot(
    {
      onMessage: ({ data: { message } }) => (message.text === 'silence' ? undefined : text(`You said ${message.text}`)),
    },
    { brokers: here.brokers, topicPrefix: here.prefix, group: `${here.prefix}bot` },
  )
  const post = async (token: string, body: string) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${bridge.url}/webhooks/${token}`, { method: 'POST', headers, body })).status
  }
  const ownToken = here.account.webhooks.token
  return {
    ...here,
    cluster,
    dataDir: place.dataDir,
    hasOwnDisk,
    own: ownToken,
    limited: limited.webhooks.token,
    post,
    bridge: () => bridge,
    kill: () => bridge.kill('SIGKILL'),
    start: async (env?: Readonly<Record<string, string>>) => {
      bridge = await start(env)
    },
    /** Sends one of each webhook. */
    webhooks: () => Promise.all(known.map(({ text: body }) => post(ownToken, body))),
    /** Plays a chat with the bot, from its beginning to its transcript. */
    wholeChat: async (chatId: string, tamper?: Tamper) => {
      await here.service.clientWrites(chatId, 'Hello')
      await here.service.waitFor('a reply', () => here.service.chat(chatId)?.delivered.length || undefined)
      await here.service.finishChat(chatId, tamper && { tamper })
    },
    stop: async () => {
      await bot.stop()
      await here.stop()
      await cluster.stop()
    },
  }
}
