import { randomBytes, randomUUID } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keyOf, topicOf } from '../../../contracts/topics.ts'
import { dated } from '../../../src/bridge/domain/dated.ts'
import { fromRecord } from '../../../src/bridge/kafka/records.ts'
import { offlineMessageId } from '../../../src/bridge/views/offline-messages.ts'
import { timelineId } from '../../../src/bridge/views/timeline.ts'
import { bridgeOf } from '../../../src/tools/simulator/account.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { type PlainRecord, plainConsumer } from '../../support/plain-consumer.ts'
import { type Sample, samples } from '../../support/samples.ts'
import { world } from '../../support/world.ts'

const here = await world()
const bridge = await here.start()
const log = await plainConsumer(here.brokers, here.prefix)
const mongo = await MongoClient.connect(here.mongo.url)
const db = mongo.db()

const [account] = here.accounts
const { webhooksUrl = '', botUrl } = account?.bot
  ? bridgeOf(bridge.url, { ...account, bot: account.bot })
  : { botUrl: '' }
const interfaces = [
  { api: 'webhooks', url: webhooksUrl, source: '/accounts/acme/webhooks' },
  { api: 'bot-api', url: botUrl, source: '/accounts/acme/bot' },
] as const

const post = (url: string, text: string, traceId = randomBytes(16).toString('hex')) => {
  const headers = { 'content-type': 'application/json', traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  return fetch(url, { method: 'POST', headers, body: text })
}

const incoming = ({ topic, partition, offset, key, value, headers }: PlainRecord) => ({
  topic: topic as ReturnType<typeof topicOf>['name'],
  partition,
  offset,
  timestamp: 0,
  key: Buffer.from(key),
  value,
  headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, Buffer.from(header)])),
})

const views = {
  chats: 'chats',
  calls: 'calls',
  clients: 'clients',
  'offline-messages': 'offline_messages',
  'bot-conversations': 'conversations',
} as const

const integration = suite('samples, from HTTP to Kafka and MongoDB')

integration.after(async () => {
  await log.stop()
  await mongo.close()
  await here.stop()
})

for (const { api, url, source } of interfaces)
  for (const { name, value } of samples(api, 'accepted'))
    integration(`${api}/${name} is answered, is in its topic as a CloudEvent, and in its views`, async () => {
      const traceId = randomBytes(16).toString('hex')
      const answer = await post(url, JSON.stringify({ ...Object(value), id: randomUUID() }), traceId)
      assert.equal([answer.status, await answer.json()], [200, { result: 'ok' }])

      const found = await eventually(`the event of ${name}`, () =>
        log.records.find(({ headers }) => headers.traceparent?.includes(traceId)),
      )
      const event = right(fromRecord(incoming(found)))
      assert.is(found.topic, topicOf(event).name)
      assert.is(found.key, keyOf(event))
      assert.is(found.headers.ce_specversion, '1.0')
      assert.is(found.headers['content-type'], 'application/json')
      assert.is(event.source, source)
      assert.equal(JSON.parse(found.value.toString()), event.data)

      const view = views[topicOf(event).name]
      const id = event.type === 'OfflineMessageReceived' ? offlineMessageId(dated(event)) : keyOf(event)
      await eventually(
        `${view} ${id}`,
        async () => (await db.collection<{ _id: string }>(view).findOne({ _id: id })) ?? undefined,
      )
      const entry = timelineId(event)
      const story = await eventually(
        `timeline ${entry}`,
        async () =>
          (await db.collection<{ _id: string; type?: string }>('timeline').findOne({ _id: entry })) ?? undefined,
      )
      assert.is(story.type, event.type)
    })

const kept = (sample: Sample) =>
  eventually(`${sample.name} in quarantine`, () =>
    log.records.find(({ topic, value }) => topic === 'quarantine' && value.equals(Buffer.from(sample.text))),
  )

for (const { api, url } of interfaces)
  for (const sample of [...samples(api, 'refused'), ...samples(api, 'unknown')])
    integration(`${api}/${sample.name} is not understood, and stored byte for byte`, async () => {
      const { status } = await post(url, sample.text)
      assert.ok([200, 400, 405].includes(status))
      const record = await kept(sample)
      assert.equal([record.key, record.headers.interface], ['acme', api === 'webhooks' ? 'webhooks' : 'bot'])
    })

integration.run()
