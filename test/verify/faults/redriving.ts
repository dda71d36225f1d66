import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { botReplies, calls, deadLetters } from '../../../contracts/topics.ts'
import { maxRedrives } from '../../../src/bridge/operations/redrive/guard.ts'
import type { serviceAccountOf } from '../../../src/tools/simulator/account.ts'
import type { BridgeProcess } from '../../support/bridge-process.ts'
import { runCommand } from '../../support/command.ts'
import { eventually } from '../../support/eventually.ts'
import { endsOf } from '../../support/plain-consumer.ts'
import { unless } from './findings.ts'
import type { ObservedWorld } from './observed-world.ts'
import type { Poison } from './poisons.ts'

type Deps = {
  readonly here: ObservedWorld
  readonly service: ObservedWorld['service']
  /** Where the worker runs; this can start it again there. */
  readonly place: Awaited<ReturnType<ObservedWorld['place']>>
  readonly worker: BridgeProcess
}

/** An account that the bridge does not know yet. */
export const later = { id: 'later', bot: { token: 'bot-token-of-later', providerId: 'later' } } satisfies Parameters<
  typeof serviceAccountOf
>[0]

/** A command for it: first a dead letter, and valid once the bridge knows the account. */
export const early: Poison = {
  topic: botReplies.name,
  key: 'later/1',
  headers: {},
  value: Buffer.from(
    JSON.stringify({
      type: 'BotMessage',
      id: 'early',
      accountId: 'later',
      chatId: '1',
      clientId: '1',
      message: { type: 'TEXT', text: 'Hello' },
    }),
  ),
}

/**
 * Uses the command line to list the dead letters, to send one back after its cause was fixed, and to send poison back
 * until the bridge refuses it. Returns what went wrong.
 */
export const redriving = async ({ here, service, place, worker }: Deps): Promise<ReadonlyArray<string>> => {
  const { brokers, prefix, mongo, account } = here
  const config = join(place.dataDir, 'accounts.json')
  const baseUrl = account.bot.baseUrl
  writeFileSync(config, JSON.stringify({ accounts: [account, { ...later, bot: { ...later.bot, baseUrl } }] }))
  const env = { KAFKA_BROKERS: brokers.join(','), MONGODB_URL: mongo.url, TOPIC_PREFIX: prefix, TOPIC_PARTITIONS: '4' }
  const redrive = (...args: ReadonlyArray<string>) =>
    runCommand(['redrive', ...args], { ...env, BRIDGE_CONFIG: config, DATA_DIR: place.dataDir })
  const letters = async () =>
    [...(await endsOf(brokers, [prefix + deadLetters.name])).values()].reduce((sum, end) => sum + end, 0)

  const count = await letters()
  const listed = await redrive('list')
  await worker.kill('SIGTERM')
  const mended = await place.start({ BRIDGE_CONFIG: config })
  await here.ready(mended)
  const sent = await redrive('send', '--cause', 'unknown-account')
  const arrived = await eventually('the command to be carried out', () =>
    service.requests().find(({ event, applied }) => event?.id === 'early' && applied),
  ).catch(() => undefined)

  const poison = ['send', '--topic', calls.name, '--cause', 'not-utf8']
  const rounds = []
  for (let round = 0; round < maxRedrives; round++) {
    const before = await letters()
    const { code, out } = await redrive(...poison)
    const again = Number(/^(\d+) sent/m.exec(out)?.[1] ?? 0)
    rounds.push(code === 0 && again > 0)
    await eventually('them to come back', async () => (await letters()) >= before + again || undefined)
  }
  const guarded = await redrive(...poison)
  return [
    ...unless(listed.out.includes(`dead letters: ${count}`), `the list has not all ${count} dead letters`),
    ...unless(sent.code === 0 && arrived !== undefined, 'a command whose cause was mended is not carried out'),
    ...unless(rounds.every(Boolean), 'poison is not sent back as often as it may be'),
    ...unless(guarded.code === 1 && guarded.out.includes('refused'), 'there is no end to sending poison back'),
  ]
}
