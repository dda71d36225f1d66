// The example bot in Python over Kafka and the example in TypeScript in process: what-if reports the same of both.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startBot } from 'livechat-bridge/bot'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { shopBot } from '../../contracts/guides/examples/shop-bot.ts'
import { silent } from '../../src/domain/quiet.ts'
import { canRun, runExample } from '../guides/examples.ts'
import { runCommand } from '../support/command.ts'
import { temporaryFolder } from '../support/folder.ts'
import { world } from '../support/world.ts'

const python = suite('what-if with a bot in Python')
const here = await world()
const days: Array<Awaited<ReturnType<typeof startBot>>> = []
python.after(async () => {
  for (const day of days) await day.stop()
  await here.stop()
})
const test = canRun('Python') ? python : python.skip

test('the same bot in Python over Kafka and in TypeScript in process give the same report', async () => {
  const from = new Date(Date.now() - 60_000).toISOString()
  await here.start()
  const options = { brokers: here.brokers, topicPrefix: here.prefix, group: `${here.prefix}day`, log: silent }
  const day = await startBot(shopBot, options)
  days.push(day)
  const { service } = here
  const reads = (chatId: string, messages: number) =>
    service.waitFor(
      `${messages} messages in ${chatId}`,
      () => ((service.chat(chatId)?.delivered.length ?? 0) >= messages ? true : undefined),
      30_000,
    )
  const asks = async (chatId: string, words: string) => {
    const before = service.chat(chatId)?.delivered.length ?? 0
    await service.clientWrites(chatId, words)
    await reads(chatId, before + 1)
  }
  for (const chatId of ['1', '2', '3']) {
    await asks(chatId, 'Hello')
    await asks(chatId, 'hours')
    if (chatId !== '1') await asks(chatId, 'agent')
    if (chatId === '3') {
      await service.waitFor(
        'an invitation',
        () => (service.chat(chatId)?.invitations.length ? true : undefined),
        30_000,
      )
      await service.agentUnavailable(chatId)
      await reads(chatId, 4)
      await asks(chatId, 'my number is 5550100')
    }
  }
  const to = new Date(Date.now() + 60_000).toISOString()
  const folder = temporaryFolder()
  const report = async (name: string, ...bot: ReadonlyArray<string>) => {
    const out = join(folder, name)
    const args = ['what-if', '--account', 'acme', '--from', from, '--to', to, '--out', out, ...bot]
    const { code, err } = await runCommand(args, here.env, folder)
    assert.is(code, 0, err)
    return readFileSync(join(out, 'report.jsonl'), 'utf8')
  }
  const inProcess = await report(
    'in-process',
    '--bot',
    fileURLToPath(new URL('../operations/what-if/bots/shop.js', import.meta.url)),
  )
  const group = `trial-${here.prefix}python`
  const bot = runExample('Python', 'bot', {
    KAFKA_BROKERS: here.brokers.join(','),
    TOPIC_PREFIX: `${here.prefix}what-if.${group}.`,
    GROUP: group,
  })
  try {
    assert.is(await report('over-kafka', '--group', group), inProcess)
  } finally {
    await bot.stop()
  }
})

python.run()
