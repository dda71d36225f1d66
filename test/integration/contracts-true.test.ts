import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { topics } from '../../contracts/topics.ts'
import { bridgeOf } from '../../src/simulator/account.ts'
import { world } from '../support/bridge.ts'
import { eventually } from '../support/eventually.ts'
import { plainClient } from '../support/plain-consumer.ts'
import { sample, samples } from '../support/samples.ts'
import { checkDatabase } from '../truth/documents.ts'
import { checkPrefix } from '../truth/records.ts'
import { kinds, type Tally, tally } from '../truth/tally.ts'

const here = await world(4, { replyWithin: 3_600_000 })
const bridge = await here.start()
const mongo = await MongoClient.connect(here.mongo.url)
const producer = plainClient(here.brokers).producer()
await producer.connect()

const [account] = here.accounts
const { webhooksUrl = '', botUrl } = account?.bot
  ? bridgeOf(bridge.url, { ...account, bot: account.bot })
  : { botUrl: '' }
const post = (url: string, body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
const produce = (topic: string, key: string, value: object) =>
  producer.send({ topic: here.prefix + topic, messages: [{ key, value: JSON.stringify(value) }] })

const text = { type: 'TEXT', text: 'Hello' }
const command = (type: string, chatId: string, more: object = {}) => {
  const ids = { id: `command-${chatId}`, accountId: 'acme', chatId, clientId: `client-${chatId}` }
  return produce('bot-replies', `acme/${chatId}`, { type, ...ids, ...more })
}

/** What is left now, record by record and document by document. */
const look = async (): Promise<Tally> => {
  const found = tally()
  await checkDatabase(mongo, here.mongo.database, found)
  await checkPrefix(
    here.brokers,
    here.prefix,
    topics.map(({ name }) => name),
    true,
    found,
  )
  return found
}

const truth = suite('what the bridge writes')

truth.after(async () => {
  await producer.disconnect()
  await mongo.close()
  await here.stop()
})

truth('every kind of record and document is as its published schema says', async () => {
  for (const { text: body } of samples('webhooks', 'accepted')) await post(webhooksUrl, body)
  for (const { text: body } of samples('bot-api', 'accepted')) await post(botUrl, body)
  await post(webhooksUrl, '{"event_name":')
  await produce('enrichments', 'acme/email:john.smith@example.com', { crmLink: 'https://crm.example.com/clients/1233' })
  await here.service.clientWrites('delivered', 'Hi')
  await command('BotMessage', 'delivered', { message: text })
  await here.service.clientWrites('handed-over', 'Hi')
  await command('InviteAgent', 'handed-over')
  await post(botUrl, sample('bot-api', 'AGENT_JOINED').replaceAll('"2037"', '"joined"'))
  await command('BotMessage', 'joined', { message: text })
  await command('BotMessage', 'refused', { message: { type: 'BUTTONS', title: 'Which?', buttons: [] } })
  await produce('chats', 'acme/1', { not: 'an event' })

  const left = await eventually(
    'every kind',
    async () => {
      const found = await look()
      const bothAreDead = found.checked.get('dead-letters') === 2
      return bothAreDead && kinds.every((kind) => found.checked.has(kind)) ? found : undefined
    },
    60_000,
  ).catch(look)

  assert.equal(
    kinds.filter((kind) => !left.checked.has(kind)),
    [],
  )
  assert.equal(left.wrong, [])
})

truth('what is not as its schema says is found', async () => {
  const views = mongo.db(here.mongo.database)
  await views.collection<{ _id: string }>('chats').insertOne({ _id: 'acme/wrong', state: 'ajar' } as { _id: string })
  const { wrong } = await look()
  await views.collection<{ _id: string }>('chats').deleteOne({ _id: 'acme/wrong' })
  assert.ok(wrong.some((problem) => problem.includes('acme/wrong: ChatDocument')))
})

truth.run()
