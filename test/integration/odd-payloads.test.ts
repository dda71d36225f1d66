import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { topics } from '../../contracts/topics.ts'
import { bridgeOf } from '../../src/simulator/account.ts'
import { oddities, pathsOf, valueAt, without, withValue } from '../../src/simulator/odd.ts'
import { eventually } from '../support/eventually.ts'
import { samples } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { checkDatabase } from '../truth/documents.ts'
import { checkPrefix } from '../truth/records.ts'
import { tally } from '../truth/tally.ts'

const here = await world({ bot: { replyWithin: 3_600_000 } })
const bridge = await here.start(['ingress', 'projector'])
const mongo = await MongoClient.connect(here.mongo.url)
const db = mongo.db(here.mongo.database)
const { webhooksUrl = '', botUrl } = bridgeOf(bridge.url, here.account)

const odd = suite('payloads with odd fields, from HTTP to the views')

odd.after(async () => {
  await mongo.close()
  await here.stop()
})

const essential = ['event_name', 'event', 'id', 'chat_id', 'client_id', 'message']

/** For each plain sample, each field with another wrong value, and left out. Each payload is of a chat of its own. */
const payloadsOf = (api: 'webhooks' | 'bot-api'): ReadonlyArray<object> =>
  samples(api, 'accepted')
    .filter(({ name }) => !name.includes('.'))
    .flatMap(({ value }, s) =>
      pathsOf(value)
        .filter((path) => path.length > 1 || !essential.includes(path[0] ?? ''))
        .flatMap((path, i) => {
          const values = oddities(valueAt(value, path))
          return [withValue(value, path, values[(s * 5 + i) % values.length]), without(value, path)]
        })
        .map((payload, i) => {
          const id = 1_000_000 + s * 10_000 + i
          return { ...Object(payload), chat_id: id, client_id: `c-${id}`, ...(api === 'bot-api' && { id: `e-${id}` }) }
        }),
    )

odd('each is answered 200, is in the timeline and in drift, and matches its published schema', async () => {
  const headers = { 'content-type': 'application/json' }
  const sent = { webhooks: payloadsOf('webhooks'), bot: payloadsOf('bot-api') }
  for (const [url, payloads] of [
    [webhooksUrl, sent.webhooks],
    [botUrl, sent.bot],
  ] as const)
    for (const payload of payloads) {
      const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) })
      assert.is(status, 200, JSON.stringify(payload))
    }
  const all = sent.webhooks.length + sent.bot.length
  assert.ok(all > 300)

  await eventually(
    'every event in the timeline',
    async () => (await db.collection('timeline').countDocuments()) === all || undefined,
    120_000,
  )
  for (const kind of ['misfit', 'new-value', 'unknown-field'])
    await eventually(kind, async () => (await db.collection('drift').findOne({ kind })) ?? undefined)

  const found = tally()
  await checkDatabase(mongo, here.mongo.database, found)
  await checkPrefix(
    here.brokers,
    here.prefix,
    topics.map(({ name }) => name),
    true,
    found,
  )
  assert.equal(found.wrong, [])
  const bad = await db.collection('drift').findOne({ kind: 'refused' })
  assert.is(bad, null)
})

odd.run()
