// What a bot of either kit does with real servers: it remembers, shares its chats, hands over with a note, and forgets.
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { chatAccepted } from '../../src/tools/simulator/payloads.ts'
import { runCommand } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { groupOf, plainConsumer } from '../support/plain-consumer.ts'
import { world } from '../support/world.ts'
import { canRun, type Example, type Language, languages, runExample } from './examples.ts'

const bots = fileURLToPath(new URL('../bot/scenarios', import.meta.url))
const historyToken = 'history-token-0123456789'

const here = await world({ bot: { historyToken, replyWithin: 30_000 } })
const bridge = await here.start()
const { service } = here
const log = await plainConsumer(here.brokers, here.prefix)
const running = new Set<Example>()

const kits = suite('bots of both kits on real servers')
// A bot that a failed test has left would answer in the next one.
kits.after.each(async () => {
  for (const bot of running) await bot.kill()
  running.clear()
})
kits.after(async () => {
  await log.stop()
  await here.stop()
})

const delivered = (chat: string, count: number) =>
  eventually(`${count} answers in chat ${chat}`, () => {
    const { delivered = [] } = service.chat(chat) ?? {}
    return delivered.length >= count ? delivered.map(({ message }) => message.text) : undefined
  })
const recordsOf = (topic: string, key: string) => log.records.filter((each) => each.topic === topic && each.key === key)

for (const language of languages) {
  const test = canRun(language) ? kits : kits.skip
  const group = `${here.prefix}${language}`

  const start = async (instances: number, token = historyToken, of: Language = language, inGroup = group) => {
    const bot = runExample(
      of,
      'remembering-bot',
      {
        KAFKA_BROKERS: here.brokers.join(','),
        TOPIC_PREFIX: here.prefix,
        GROUP: inGroup,
        BRIDGE_URL: bridge.url,
        HISTORY_TOKEN: token,
      },
      [],
      bots,
    )
    running.add(bot)
    await groupOf(here.brokers, inGroup, instances)
    return bot
  }
  const stop = async (bot: Example) => {
    running.delete(bot)
    assert.is(await bot.stop(), 0, bot.err())
  }

  test(`${language}: a bot that is restarted in the middle of a chat still knows what was said`, async () => {
    const first = await start(1)
    await service.clientWrites('1', 'apples')
    assert.equal(await delivered('1', 1), ['user: apples'])
    await stop(first)
    await service.clientWrites('1', 'green ones')
    const second = await start(1)
    assert.is((await delivered('1', 2))[1], 'user: apples | assistant: user: apples | user: green ones')
    await stop(second)
  })

  test(`${language}: two instances share the chats, also while one joins and after one has died`, async () => {
    const chats = Array.from({ length: 12 }, (_, i) => String(100 + i))
    const writeToAll = (words: string) => Promise.all(chats.map((chat) => service.clientWrites(chat, words)))
    const first = await start(1)
    await writeToAll('slow')
    const second = await start(2)
    await Promise.all(chats.map((chat) => delivered(chat, 1)))
    await writeToAll('slow')
    running.delete(first)
    await first.kill()
    for (const chat of chats) {
      const [one = '', two] = await delivered(chat, 2)
      assert.equal([one, two], ['user: slow', `user: slow | assistant: ${one} | user: slow`])
    }
    await stop(second)
    for (const chat of chats) {
      assert.is(service.chat(chat)?.delivered.length, 2, 'each message has one answer')
      assert.is(service.chat(chat)?.invitations.length, 0)
    }
  })

  test(`${language}: the agent who accepts a chat sees the bot's note, and an erasure of the chat removes it`, async () => {
    const bot = await start(1)
    await service.clientWrites('2039', 'refund')
    await eventually('the hand-over', () => service.chat('2039')?.invitations[0])
    const accepted = async () => {
      const answer = await service.webhook('acme', chatAccepted({ chat_id: 2039 }))
      return answer.kind === 'answered' ? Object(answer.body).custom_data : undefined
    }
    assert.equal(await eventually('the note', accepted), [
      { title: 'Summary', content: 'Wants a refund' },
      { title: 'Order', content: '7' },
    ])
    const { code, out, err } = await runCommand(
      ['erase', '--account', 'acme', '--chat', '2039', '--by', 'officer', '--yes'],
      here.env,
      temporaryFolder(),
    )
    assert.is(code, 0, out + err)
    await eventually('the agent to see no note', async () => ((await accepted()) === undefined ? true : undefined))
    assert.is(recordsOf('enrichments', 'acme/chatId:2039').at(-1)?.value.length, 0)
    const [confirmed] = await eventually('the confirmation of the bot', () => {
      const found = log.records.filter(({ topic }) => topic === 'erasure-confirmations')
      return found.length > 0 ? found : undefined
    })
    const { accountId, chatId, group: who } = JSON.parse(String(confirmed?.value))
    assert.equal([accountId, chatId, who], ['acme', '2039', group])
    await stop(bot)
  })

  test(`${language}: with the token of another account a bot has no history, and hands over`, async () => {
    const bot = await start(1, `guarded-${historyToken}`)
    await service.clientWrites('3', 'apples')
    await eventually('the hand-over', () => service.chat('3')?.invitations[0])
    assert.match(bot.err(), /the bridge refuses the history token of account acme/)
    assert.not.match(bot.err(), historyToken)
    const commands = recordsOf('bot-replies', 'acme/3').map(({ value }) => JSON.parse(String(value)).type)
    assert.equal(commands, ['InviteAgent'])
    await stop(bot)
  })
}

kits.run()
