import { isDeepStrictEqual } from 'node:util'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../../support/eventually.ts'
import { plainClient } from '../../support/plain-consumer.ts'
import { sample } from '../../support/samples.ts'
import { world } from '../../support/world.ts'
import { send } from '../ingress/harness.ts'

const here = await world({ partitions: 2 })
const mongo = await MongoClient.connect(here.mongo.url)
const db = mongo.db()
const producer = plainClient(here.brokers).producer()
await producer.connect()

const key = (email: string) => `acme/email:${email}`
const publish = (email: string, crmLink: string | null) =>
  producer.send({
    topic: `${here.prefix}enrichments`,
    messages: [{ key: key(email), value: crmLink === null ? null : JSON.stringify({ crmLink }) }],
  })
const stored = (email: string) =>
  eventually(`the view to have ${email}`, async () => {
    const found = await db.collection<{ _id: string }>('enrichments').findOne({ _id: key(email) })
    return found === null ? undefined : true
  })

const projector = await here.start(['projector'])
await publish('before@example.com', 'https://crm.example.com/before')
await stored('before@example.com')
const ingress = await here.start(['ingress'])

const accepted = JSON.parse(sample('webhooks', 'chat_accepted'))
const token = here.accounts[0]?.webhooks?.token ?? ''
const ask = async (email: string) => {
  const body = JSON.stringify({ ...accepted, visitor: { ...accepted.visitor, email } })
  return (await send(Number(new URL(ingress.url).port), `/webhooks/${token}`, { body })).body
}
const shown = (page: string) => ({ result: 'ok', crm_link: `https://crm.example.com/${page}` })

/** How many MongoDB queries found no enrichment. */
const fruitless = () =>
  db.collection('system.profile').countDocuments({ op: 'query', 'command.find': 'enrichments', nreturned: 0 })

const enriching = suite('answers with enrichments')

enriching.after(async () => {
  await producer.disconnect()
  await mongo.close()
  await here.stop()
})

enriching('show earlier enrichments from the first request on', async () => {
  assert.equal(await ask('before@example.com'), shown('before'))
})

enriching('cause no look-up in MongoDB for a visitor without enrichments', async () => {
  await db.command({ profile: 2 })
  await eventually('a visitor who is not looked up', async () => {
    const before = await fruitless()
    assert.equal(await ask('nobody@example.com'), { result: 'ok' })
    return (await fruitless()) === before || undefined
  })
  assert.equal(await ask('before@example.com'), shown('before'))
})

enriching('show the content of the view soon after it is there', async () => {
  for (let i = 0; i < 20; i++) {
    await publish(`visitor${i}@example.com`, `https://crm.example.com/${i}`)
    await stored(`visitor${i}@example.com`)
    // The key reaches ingress by a consumer of its own, which may be later than the view.
    await eventually(`the answer for visitor${i}`, async () =>
      isDeepStrictEqual(await ask(`visitor${i}@example.com`), shown(String(i))),
    )
  }
})

enriching('no longer show removed enrichments', async () => {
  await publish('before@example.com', null)
  await eventually('a plain answer', async () => !('crm_link' in Object(await ask('before@example.com'))) || undefined)
})

enriching('continue without a projector, with the content of the view', async () => {
  await projector.stop()
  assert.equal(await ask('visitor7@example.com'), shown('7'))
})

enriching.run()
