import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { world } from '../support/bridge.ts'
import { runCommand } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { plainClient } from '../support/plain-consumer.ts'
import { sample } from '../support/samples.ts'

const here = await world(2)
const bridge = await here.start()
const mongo = await MongoClient.connect(here.mongo.url)
const admin = plainClient(here.brokers).admin()
await admin.connect()
const token = here.accounts[0]?.webhooks?.token

const accepted = JSON.parse(sample('webhooks', 'chat_accepted'))
const acceptChat = async (id: number) => {
  const body = JSON.stringify({ ...accepted, chat_id: id })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${bridge.url}/webhooks/${token}`, { method: 'POST', headers, body })).status
}
const chats = async () =>
  (
    await mongo
      .db()
      .collection<{ _id: string }>('chats')
      .find({}, { projection: { _id: 1 } })
      .toArray()
  )
    .map(({ _id }) => _id)
    .sort()
const readiness = async () => (await fetch(`${bridge.url}/readyz`)).text()

const recreated = suite('views of a topic that was deleted and created again')

recreated.after(async () => {
  await admin.disconnect()
  await mongo.close()
  await here.stop()
})

recreated('are left alone until they are rebuilt, and then go on', async () => {
  for (const id of [1, 2, 3]) assert.is(await acceptChat(id), 200)
  await eventually('three chats', async () => (await chats()).length === 3)

  await admin.deleteTopics({ topics: [`${here.prefix}chats`] })
  await eventually('the refusal', async () => (await readiness()).includes('run livechat-bridge rebuild all'), 90_000)
  for (const id of [1, 11, 12, 13, 14, 15]) assert.is(await acceptChat(id), 200)
  await eventually('the new topic', async () => {
    const ends = await admin.fetchTopicOffsets(`${here.prefix}chats`).catch(() => [])
    return ends.reduce((sum, { high }) => sum + Number(high), 0) === 6
  })
  assert.equal(await chats(), ['acme/1', 'acme/2', 'acme/3'])

  const { code, out, err } = await runCommand(['rebuild', 'all', '--force'], {
    KAFKA_BROKERS: here.brokers.join(','),
    MONGODB_URL: here.mongo.url,
    TOPIC_PREFIX: here.prefix,
  })

  assert.equal([code, err], [0, ''], out)
  assert.is(await acceptChat(16), 200)
  const expected = ['acme/1', 'acme/11', 'acme/12', 'acme/13', 'acme/14', 'acme/15', 'acme/16']
  await eventually('the projector to go on', async () => String(await chats()) === String(expected), 60_000)
})

recreated.run()
