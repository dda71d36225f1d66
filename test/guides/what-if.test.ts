import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMetrics } from '../../src/app/metrics.ts'
import { kafkaSettings } from '../../src/app/servers.ts'
import { createLog } from '../../src/app/telemetry.ts'
import { conversationEvent } from '../../src/bot/harness.ts'
import { now } from '../../src/bridge/domain/clock.ts'
import { connectKafka } from '../../src/bridge/kafka/kafka.ts'
import { runCommand } from '../support/command.ts'
import { right } from '../support/either.ts'
import { temporaryFolder } from '../support/folder.ts'
import { world } from '../support/world.ts'
import { folder as examples } from './examples.ts'

const guide = suite('the guide of what-if')
const text = readFileSync(new URL('../../contracts/guides/what-if.md', import.meta.url), 'utf8')
const commands = [...text.matchAll(/^ *npx livechat-bridge (what-if .*)$/gm)].map(([, words = '']) => words.split(' '))

const here = await world()
guide.after(() => here.stop())

/** A client of 30 January asks for the hours, and the bot that ran then tells them. */
const conversation = (chatId: string) => {
  const of = { chatId, clientId: `c${chatId}` }
  const time = '2026-01-30T12:00:00.000Z'
  const message = { type: 'TEXT', text: 'hours', timestamp: time }
  const reply = { type: 'MARKDOWN', content: 'From 9 to 20.', text: 'From 9 to 20.' }
  const answer = { ...of, commandId: `r${chatId}`, inReplyTo: `m${chatId}`, requestedAt: time, message: reply }
  return [
    conversationEvent('ClientMessageReceived', { ...of, message }, { id: `m${chatId}`, time, subject: chatId }),
    conversationEvent('BotReplyDelivered', answer, { id: `o${chatId}`, time, subject: chatId }),
  ]
}

guide('its loop works as printed, from a changed bot to an accepted change', async () => {
  await here.start(['projector'])
  const settings = kafkaSettings({ brokers: here.brokers, ssl: false }, { prefix: here.prefix, partitions: 4 }, 'guide')
  const kafka = connectKafka(settings, { log: createLog('silent'), measure: createMetrics().measure, now })
  for (const event of ['1', '2', '3'].flatMap(conversation)) right(await kafka.publish(event, 20_000))
  await kafka.stop()

  const folder = temporaryFolder()
  const before = readFileSync(join(examples, 'shop-bot.ts'), 'utf8')
  writeFileSync(join(folder, 'shop-bot-before.ts'), `${before}\nexport default shopBot\n`)
  const changed = before.replace(/return markdown\(.*\)/, "return text('We are open from 9 to 20.')")
  assert.is.not(changed, before)
  writeFileSync(join(folder, 'shop-bot.ts'), `${changed}\nexport default shopBot\n`)
  const run = (words: ReadonlyArray<string>) => runCommand(words, here.env, folder)
  const [first, compared, accepting, inCI, overKafka] = commands
  assert.is(commands.length, 5)

  const found = await run(first ?? [])
  assert.is(found.code, 1, found.err)
  const [, id = ''] = /^ {2}([0-9a-f]{12}) {2}act {2}TEXT: MARKDOWN → TEXT {2}3 chats/m.exec(found.out) ?? []
  assert.is.not(id, '', found.out)
  assert.ok(existsSync(join(folder, 'what-if-report', 'report.html')))

  const withBaseline = await run(compared ?? [])
  assert.is(withBaseline.code, 1, withBaseline.err)
  assert.match(withBaseline.out, /The baseline differs from the log in 0 of 3 turns/)

  const example = accepting?.at(-1) ?? ''
  assert.match(example, /^[0-9a-f]{12}$/)
  const accepted = await run((accepting ?? []).map((word) => (word === example ? id : word)))
  assert.is(accepted.code, 0, accepted.err)
  assert.match(readFileSync(join(folder, 'what-if.accepted.json'), 'utf8'), new RegExp(id))

  const last = await run(inCI ?? [])
  assert.is(last.code, 0, last.err)
  assert.match(readFileSync(join(folder, 'report', 'junit.xml'), 'utf8'), /tests="3" failures="0"/)
  // Run in bot/integration/what-if.test.ts, where a bot follows it.
  assert.match(overKafka?.join(' ') ?? '', /--group trial$/)
})

guide('it names every option that changes what is compared', () => {
  for (const name of ['baseline', 'accept ', 'repeat', 'words exact', 'with-words', 'network', 'fail-on', 'group'])
    assert.ok(text.includes(`--${name}`), name)
})

guide.run()
