import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../../support/eventually.ts'
import { plainClient, plainConsumer } from '../../support/plain-consumer.ts'
import { world } from '../../support/world.ts'

const here = await world({ partitions: 6 })
const mongo = await MongoClient.connect(here.mongo.url)
const admin = plainClient(here.brokers).admin()
await admin.connect()
const bridges = [await here.start(), await here.start()]
const log = await plainConsumer(here.brokers, here.prefix)

const sharing = suite('two instances of each role')

sharing.after(async () => {
  await log.stop()
  await admin.disconnect()
  await mongo.close()
  await here.stop()
})

const members = async (group: string) => {
  const { groups } = await admin.describeGroups([`${here.prefix}${group}`])
  const [found] = groups
  return found?.state === 'Stable' ? found.members.length : 0
}

const chats = Array.from({ length: 20 }, (_, i) => String(1000 + i))
const perChat = 5

/** Every chat's client writes to the instance that the service knows, one message after another in each chat. */
const write = (from: number) =>
  Promise.all(
    chats.map(async (chat) => {
      for (let i = from; i < from + perChat; i++) await here.service.clientWrites(chat, `message ${i}`)
    }),
  )

const texts = (chat: string) =>
  log.records
    .filter(({ key, headers }) => key === `acme/${chat}` && headers.ce_type === 'livechat.ClientMessageReceived.v1')
    .map(({ value }) => JSON.parse(value.toString()).message.text as string)

const counted = async () => {
  const documents = await mongo.db().collection('conversations').find({}).toArray()
  return documents.reduce((sum, { clientMessages }) => sum + Number(clientMessages), 0)
}

sharing(
  'both instances are members of each group, and every event is in the log in order and in the views once',
  async () => {
    for (const group of ['projector', 'enrichments', 'egress'])
      await eventually(`two members of ${group}`, async () => (await members(group)) === 2 || undefined)
    await write(0)
    await eventually('all messages in the views', async () => (await counted()) === chats.length * perChat || undefined)
    // The plain consumer may be behind the views.
    await eventually('all messages read', () => chats.every((chat) => texts(chat).length >= perChat) || undefined)
    for (const chat of chats)
      assert.equal(texts(chat), ['message 0', 'message 1', 'message 2', 'message 3', 'message 4'])
  },
)

sharing('replies to all chats are sent once and in order, by one of the instances', async () => {
  const producer = plainClient(here.brokers).producer()
  await producer.connect()
  const commands = chats.flatMap((chatId) =>
    [1, 2, 3].map((n) => ({
      key: `acme/${chatId}`,
      value: JSON.stringify({
        type: 'BotMessage',
        id: `${chatId}-${n}`,
        accountId: 'acme',
        chatId,
        clientId: chatId,
        message: { type: 'TEXT', text: `reply ${n}` },
      }),
    })),
  )
  await producer.send({ topic: `${here.prefix}bot-replies`, messages: commands })
  await producer.disconnect()
  for (const chat of chats) {
    await here.service.waitFor(
      `three replies in chat ${chat}`,
      () => (here.service.chat(chat)?.delivered.length ?? 0) >= 3 || undefined,
    )
    assert.equal(
      here.service.chat(chat)?.delivered.map(({ id }) => id),
      [1, 2, 3].map((n) => `${chat}-${n}`),
    )
  }
})

sharing('when one instance stops, the other continues its work', async () => {
  await bridges[0]?.stop()
  await write(perChat)
  await eventually(
    'all messages in the views',
    async () => (await counted()) === chats.length * perChat * 2 || undefined,
  )
  for (const group of ['projector', 'egress'])
    await eventually(`one member of ${group}`, async () => (await members(group)) === 1 || undefined)
})

sharing.run()
