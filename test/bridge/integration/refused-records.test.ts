import { randomBytes } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { redrivesIn } from '../../../src/bridge/mongo/redrives.ts'
import { bridgeOf } from '../../../src/tools/simulator/account.ts'
import { eventually } from '../../support/eventually.ts'
import { runOperation } from '../../support/operation.ts'
import { connectOperator } from '../../support/operator.ts'
import { createTopics, readTopics, withAdmin } from '../../support/plain-consumer.ts'
import { sample } from '../../support/samples.ts'
import { world } from '../../support/world.ts'

const here = await world()
// An operator who creates the topics has the cluster's defaults: the time of a record is that of its producer.
const timesOfProducers = [
  { name: 'message.timestamp.type', value: 'CreateTime' },
  { name: 'message.timestamp.after.max.ms', value: '3600000' },
]
await createTopics(
  here.brokers,
  ['chats', 'clients'].map((name) => ({
    topic: `${here.prefix}${name}`,
    numPartitions: 4,
    configEntries: timesOfProducers,
  })),
)
const fewBytes = [
  { name: 'max.message.bytes', value: '65536' },
  { name: 'message.timestamp.type', value: 'LogAppendTime' },
]
await createTopics(here.brokers, [{ topic: `${here.prefix}calls`, numPartitions: 4, configEntries: fewBytes }])
const bridge = await here.start(['ingress', 'projector'])
const operator = await connectOperator(here)
const { webhooksUrl = '' } = bridgeOf(bridge.url, here.account)

const rightClock = Date.now
const hours = 3_600_000
/** The clock of this process, which the producer gives to records, is this much fast. */
const clockIsFastBy = (ms: number) => {
  Date.now = () => rightClock() + ms
}
const post = async (body: string) =>
  (await fetch(webhooksUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status
const readiness = async () => {
  const response = await fetch(`${bridge.adminUrl}/readyz`)
  const { checks } = (await response.json()) as { readonly checks: Readonly<Record<string, { readonly ok: boolean }>> }
  const failing = Object.entries(checks).filter(([, { ok }]) => !ok)
  const topics = JSON.stringify(checks['topics and indexes'])
  return { status: response.status, journal: JSON.stringify(checks.journal), topics, failing }
}
const inQuarantine = async () => (await readTopics(here.brokers, here.prefix, ['quarantine'])).records
const redrive = () =>
  runOperation(
    ['redrive', 'quarantine'],
    { kafka: operator.kafka, redrives: operator.mongo.query(redrivesIn), accounts: here.accounts },
    { recordAction: operator.recordAction },
  )

const accepted = sample('webhooks', 'chat_accepted')
const { chat_id: chatId } = JSON.parse(accepted)

const refused = suite('records that Kafka refuses for good')

refused.after(async () => {
  Date.now = rightClock
  await operator.stop()
  await here.stop()
})

refused('a webhook whose record has a time two hours ahead is kept in quarantine, and readiness says why', async () => {
  clockIsFastBy(2 * hours)
  // On a machine under load, quarantine may answer too late for the limit of a webhook: then the service posts again.
  for (let i = 0; i < 5; i++) await eventually('a 200', async () => (await post(accepted)) === 200 || undefined)
  // kafkajs measures its requests by this clock: a consumer that waited for one begins again.
  const { journal } = await eventually('readiness', async () => {
    const now = await readiness()
    return now.failing.length === 0 ? now : undefined
  })
  assert.match(journal, /"isLimited":true.*records of chats for good \(INVALID_TIMESTAMP: see message.timestamp.type/)
  const kept = await inQuarantine()
  assert.ok(kept.length >= 5)
  assert.equal(
    kept.map(({ key, value, headers }) => [String(key), String(value), String(headers.reason)]),
    kept.map(() => ['acme', accepted, 'refused-by-kafka']),
  )
})

refused('if quarantine refuses it too, the answer is 503 and the process is not ready', async () => {
  const resource = { type: 2, name: `${here.prefix}quarantine`, configEntries: timesOfProducers }
  await withAdmin(here.brokers, async (admin) => {
    await admin.alterConfigs({ validateOnly: false, resources: [resource] })
  })
  await eventually('the refusal', async () => (await post(accepted)) === 503)
  const { status, journal } = await readiness()
  assert.is(status, 503)
  assert.match(journal, /"ok":false.*records of quarantine for good \(INVALID_TIMESTAMP/)
})

refused('with the right clock new webhooks go to Kafka, and redrive finds what is in quarantine', async () => {
  Date.now = rightClock
  const before = await inQuarantine()
  assert.is(await post('{"event_name":"unheard_of"}'), 200)
  assert.is(await post(accepted), 200)
  assert.match((await readiness()).journal, '"reason":"records go to Kafka"')

  const { out, err } = await redrive()

  assert.match(out.at(-1) ?? '', new RegExp(`^${before.length} processed, 1 not processed$`), err.join('\n'))
  const ids = before.map(({ headers }) => String(headers.id)).sort()
  const { records } = await readTopics(here.brokers, here.prefix, ['chats'])
  const inLog = records.map(({ headers }) => String(headers.ce_id))
  assert.is(records.length, before.length + 1)
  assert.equal(inLog.filter((id) => ids.includes(id)).sort(), ids)
  await eventually('the chat in its view', () => operator.db.collection('chats').findOne({ chatId: String(chatId) }))
})

refused(
  'an event that is larger than its topic allows is answered 413, its beginning is kept, and readiness says so',
  async () => {
    const call = JSON.parse(sample('webhooks', 'call_event'))
    const body = JSON.stringify({ ...call, burden: randomBytes(150_000).toString('base64') })
    assert.is(await post(body), 413)
    assert.is(await post(JSON.stringify(call)), 200)

    const { value, headers } = (await inQuarantine()).find((each) => `${each.headers.reason}` === 'too-large') ?? {}
    assert.equal([`${value}`, `${headers?.size}`], [body.slice(0, 64 * 1024), String(body.length)])
    assert.is((await readTopics(here.brokers, here.prefix, ['calls'])).records.length, 1)
    const { failing, topics } = await readiness()
    assert.equal(failing, [])
    assert.match(topics, 'max.message.bytes is 65536, not 7340032: larger records are refused')
  },
)

refused.run()
