import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bridgeOf } from '../../../src/tools/simulator/account.ts'
import { oddities, pathsOf, valueAt, without, withValue } from '../../../src/tools/simulator/odd-forms.ts'
import { checkEverything } from '../../contracts/truth/everything.ts'
import { eventually } from '../../support/eventually.ts'
import { samples } from '../../support/samples.ts'
import { world } from '../../support/world.ts'

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

/**
 * Pairs of fields that one part of the bridge reads together: what a view joins or computes from two, an object and its
 * field, a list and its item, the text and the type of a message.
 */
const pairs: ReadonlyArray<readonly [one: string, other: string]> = [
  ['visitor', 'session'],
  ['visitor.name', 'visitor.email'],
  ['visitor.number', 'visitor.chats_count'],
  ['visitor.number', 'user_token'],
  ['session.geoip', 'session.utm_json'],
  ['agent', 'department'],
  ['agents.0.id', 'agents.0.name'],
  ['organization', 'status'],
  ['tags', 'tags.0.id'],
  ['chat', 'agents'],
  ['chat.messages', 'chat.rate'],
  ['chat.messages.0.timestamp', 'chat.messages.1.timestamp'],
  ['chat.messages.0.type', 'chat.messages.0.message'],
  ['chat.messages.1.agent_id', 'agents'],
  ['call', 'agent'],
  ['call.status', 'call.type'],
  ['call.reason', 'call.record_url'],
  ['offline_message_id', 'message'],
  ['channel', 'channel.type'],
  ['channel.id', 'channel.type'],
  ['message.type', 'message.text'],
  ['message.text', 'message.timestamp'],
  ['message.button_id', 'message.type'],
  ['sender', 'channel'],
  ['agent.id', 'agent.name'],
]

const has = (value: unknown, path: ReadonlyArray<string>) => valueAt(value, path) !== undefined

/** Each chosen pair of a sample's fields, both wrong in several ways. */
const pairsIn = (sample: unknown, s: number): ReadonlyArray<unknown> =>
  pairs
    .map(([one, other]) => [one.split('.'), other.split('.')] as const)
    .filter(([one, other]) => has(sample, one) && has(sample, other))
    .flatMap(([one, other], i) =>
      [0, 9, 18].map((step) => {
        const others = oddities(valueAt(sample, other))
        const inner = withValue(sample, other, others[(s + i + step) % others.length])
        const values = oddities(valueAt(inner, one))
        return withValue(inner, one, values[(s * 3 + i * 2 + step) % values.length])
      }),
    )

/** Each field with another wrong value, and left out. */
const singlesIn = (sample: unknown, s: number): ReadonlyArray<unknown> =>
  pathsOf(sample)
    .filter((path) => path.length > 1 || !essential.includes(path[0] ?? ''))
    .flatMap((path, i) => {
      const values = oddities(valueAt(sample, path))
      return [withValue(sample, path, values[(s * 5 + i) % values.length]), without(sample, path)]
    })

/** Odd fields of each plain sample, and pairs of each sample. Each payload is of a chat of its own. */
const payloadsOf = (api: 'webhooks' | 'bot-api'): ReadonlyArray<object> =>
  samples(api, 'accepted').flatMap(({ name, value }, s) =>
    [...(name.includes('.') ? [] : singlesIn(value, s)), ...pairsIn(value, s)].map((payload, i) => {
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
  assert.ok(all > 400)
  const unused = pairs.filter(([one, other]) =>
    [...samples('webhooks', 'accepted'), ...samples('bot-api', 'accepted')].every(
      ({ value }) => !has(value, one.split('.')) || !has(value, other.split('.')),
    ),
  )
  assert.equal(unused, [])

  await eventually(
    'every event in the timeline',
    async () => (await db.collection('timeline').countDocuments()) === all || undefined,
    120_000,
  )
  for (const kind of ['misfit', 'new-value', 'unknown-field'])
    await eventually(kind, async () => (await db.collection('drift').findOne({ kind })) ?? undefined)

  const found = await checkEverything(here.brokers, here.prefix, mongo, here.mongo.database)
  assert.equal(found.wrong, [])
  const bad = await db.collection('drift').findOne({ kind: 'refused' })
  assert.is(bad, null)
})

odd.run()
