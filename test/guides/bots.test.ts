import { buttons, handOver, markdown, text } from 'livechat-bridge/bot'
import { agentUnavailable, clientWrites, given } from 'livechat-bridge/bot/harness'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { shopBot } from '../../contracts/guides/examples/shop-bot.ts'
import { eventually } from '../support/eventually.ts'
import { plainConsumer } from '../support/plain-consumer.ts'
import { world } from '../support/world.ts'
import { canRun, type Example, languages, runExample } from './examples.ts'

const inMemory = suite("the shop's bot in memory")

const menu = buttons('How can we help?', [
  { id: 'hours', text: 'Opening hours' },
  { id: 'agent', text: 'Talk to a person' },
])
const hours = markdown('We are **open** from 9 to 20, [find us](https://shop.example.com/map).')
const sorry = text('Nobody is free now. Leave us your phone number, and we will call you back.')

inMemory('it shows what it can do', () => given(shopBot).when(clientWrites('Hello')).says(menu))
inMemory('it answers with the opening hours', () => given(shopBot).when(clientWrites('Opening hours')).says(hours))
inMemory('it knows a click by its id', () => given(shopBot).when(clientWrites('Open?', 'hours')).says(hours))
inMemory('it hands over', () =>
  given(shopBot).when(clientWrites('Talk to a person')).says(text('One moment, please.'), handOver()),
)
inMemory('it asks for a phone number when no agent is available', () =>
  given(shopBot).when(agentUnavailable()).says(sorry),
)

inMemory.run()

const onServers = suite("the shop's bot on real servers")

for (const language of languages) {
  const test = canRun(language) ? onServers : onServers.skip

  test(`${language}: a client gets replies, is handed over, and is asked for a phone number when no agent is available`, async () => {
    const here = await world()
    await here.start()
    let bot: Example | undefined
    const mongo = await MongoClient.connect(here.mongo.url)
    const log = await plainConsumer(here.brokers, here.prefix)
    try {
      bot = runExample(language, 'bot', {
        KAFKA_BROKERS: here.brokers.join(','),
        TOPIC_PREFIX: here.prefix,
        GROUP: `${here.prefix}${language}`,
      })
      const { service } = here
      const chat = () => service.chat('2037')
      const reads = (count: number) =>
        eventually(`${count} messages of the bot`, () => {
          const { delivered = [] } = chat() ?? {}
          return delivered.length >= count ? delivered[count - 1]?.message : undefined
        })

      await service.clientWrites('2037', 'Hello')
      const { timestamp: _, ...question } = { ...(await reads(1)) }
      assert.equal(question, {
        type: 'BUTTONS',
        title: 'How can we help?',
        text: 'How can we help?',
        buttons: [
          { id: 'hours', text: 'Opening hours' },
          { id: 'agent', text: 'Talk to a person' },
        ],
      })
      await service.clientWrites('2037', 'Opening hours')
      assert.is((await reads(2)).type, 'MARKDOWN')
      await service.clientWrites('2037', 'Talk to a person')
      assert.is((await reads(3)).text, 'One moment, please.')
      await eventually('the invitation', () => (chat()?.state === 'invited' ? true : undefined))
      await service.agentUnavailable('2037')
      assert.match((await reads(4)).text, 'Leave us your phone number')

      // The outcomes are in the log, all in the chat's partition, and in the view with the message that each reply
      // answers.
      const records = await eventually('five outcomes', () => {
        const chatRecords = log.records.filter(({ topic }) => topic === 'bot-conversations' || topic === 'bot-replies')
        const outcomes = chatRecords.filter(({ headers }) => headers.ce_type === 'livechat.BotReplyDelivered.v1')
        return outcomes.length === 5 ? chatRecords : undefined
      })
      const ledger = await eventually('five deliveries', async () => {
        const found = await mongo.db().collection('deliveries').find({ state: 'delivered' }).toArray()
        return found.length === 5 ? found : undefined
      })
      const messages = records.filter(({ headers }) => headers.ce_type === 'livechat.ClientMessageReceived.v1')
      const [first, second, third] = messages.map(({ headers }) => headers.ce_id)
      assert.equal(
        ledger.map(({ commandType, inReplyTo }) => `${commandType} ${inReplyTo}`).sort(),
        [
          `BotMessage ${first}`,
          `BotMessage ${second}`,
          `BotMessage ${third}`,
          `InviteAgent ${third}`,
          'BotMessage undefined',
        ].sort(),
      )
      assert.is(new Set(records.map(({ partition }) => partition)).size, 1)
    } finally {
      await bot?.stop()
      await log.stop()
      await mongo.close()
      await here.stop()
    }
  })
}

if (languages.includes('Python')) {
  const both = canRun('Python') ? onServers : onServers.skip

  both('the bot in Python continues where the bot in TypeScript stopped: no client gets two replies', async () => {
    const here = await world()
    await here.start()
    const log = await plainConsumer(here.brokers, here.prefix)
    const at = { KAFKA_BROKERS: here.brokers.join(','), TOPIC_PREFIX: here.prefix, GROUP: `${here.prefix}shop` }
    let bot: Example | undefined
    const replies = (count: number) =>
      eventually(`${count} replies of the bots`, () => {
        const found = log.records.filter(({ topic }) => topic === 'bot-replies')
        return found.length >= count ? found : undefined
      })
    try {
      bot = runExample('TypeScript', 'bot', at)
      await here.service.clientWrites('2037', 'Hello')
      await replies(1)
      assert.is(await bot.stop(), 0, bot.err())
      bot = runExample('Python', 'bot', at)
      await here.service.clientWrites('2037', 'Opening hours')
      const said = (await replies(2)).map(({ value }) => JSON.parse(String(value)).message.type)
      assert.equal(said, ['BUTTONS', 'MARKDOWN'])
    } finally {
      await bot?.stop()
      await log.stop()
      await here.stop()
    }
  })
}

onServers.run()
