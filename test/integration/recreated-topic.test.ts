import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMetrics } from '../../src/app/metrics.ts'
import { kafkaSettings } from '../../src/app/servers.ts'
import { createLog } from '../../src/app/telemetry.ts'
import { now } from '../../src/domain/clock.ts'
import { connectKafka } from '../../src/kafka/kafka.ts'
import { connectRebuilds } from '../../src/mongo/rebuild/rebuilds.ts'
import { rebuildAsked } from '../../src/operations/rebuild/rebuild.ts'
import { monotonic, sleep } from '../../src/shared/time.ts'
import { viewNames } from '../../src/views/index.ts'
import { runCommand } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { plainClient } from '../support/plain-consumer.ts'
import { sample } from '../support/samples.ts'
import { world } from '../support/world.ts'

const here = await world({ partitions: 2 })
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
const readiness = async () => (await fetch(`${bridge.adminUrl}/readyz`)).text()
/** The number of records of the topic; undefined while the topic does not exist. */
const appended = async () => {
  const ends = await admin.fetchTopicOffsets(`${here.prefix}chats`).catch(() => undefined)
  return ends?.reduce((sum, { high }) => sum + Number(high), 0)
}
const recreate = async () => {
  await admin.deleteTopics({ topics: [`${here.prefix}chats`] })
  await eventually('the refusal', async () => (await readiness()).includes('run livechat-bridge rebuild all'), 90_000)
}
const rebuild = (...args: ReadonlyArray<string>) =>
  runCommand(['rebuild', ...args], {
    KAFKA_BROKERS: here.brokers.join(','),
    MONGODB_URL: here.mongo.url,
    TOPIC_PREFIX: here.prefix,
  })

const settings = kafkaSettings({ brokers: here.brokers, ssl: false }, { prefix: here.prefix, partitions: 2 }, 'test')
const kafka = connectKafka(settings, { log: createLog('silent'), measure: createMetrics().measure, now })
const rebuilds = connectRebuilds(here.mongo, { sleep })
/** Begins a rebuild of all views, and aborts it at its first progress report. */
const interruptedRebuild = async () => {
  const stop = new AbortController()
  const show = () => ({ at: () => stop.abort(), end: () => {} })
  const deps = { kafka, rebuilds, say: () => {}, show, sleep, clock: monotonic, signal: stop.signal }
  const asked = { views: viewNames, dryRun: false, resume: false, discard: false, force: true }
  assert.is(await rebuildAsked(deps, asked), 1)
}

const recreated = suite('views of a topic that was deleted and created again')

recreated.after(async () => {
  await kafka.stop()
  await rebuilds.stop()
  await admin.disconnect()
  await mongo.close()
  await here.stop()
})

recreated('are left unchanged until they are rebuilt, and then continue', async () => {
  for (const id of [1, 2, 3]) assert.is(await acceptChat(id), 200)
  await eventually('three chats', async () => (await chats()).length === 3)

  await recreate()
  for (const id of [1, 11, 12, 13, 14, 15]) assert.is(await acceptChat(id), 200)
  await eventually('the new topic', async () => (await appended()) === 6)
  assert.equal(await chats(), ['acme/1', 'acme/2', 'acme/3'])

  const { code, out, err } = await rebuild('all', '--force')

  assert.equal([code, err], [0, ''], out)
  assert.is(await acceptChat(16), 200)
  const expected = ['acme/1', 'acme/11', 'acme/12', 'acme/13', 'acme/14', 'acme/15', 'acme/16']
  await eventually('the projector to go on', async () => String(await chats()) === String(expected))
})

recreated(
  'also continue after an interrupted rebuild, unless the topic was created again during this time',
  async () => {
    await recreate()
    assert.is(await acceptChat(21), 200)
    await eventually('the new topic', async () => (await appended()) === 1)
    await interruptedRebuild()

    await admin.deleteTopics({ topics: [`${here.prefix}chats`] })
    // An event before this may be appended twice: by the producer that waits for the topic, and from the journal.
    await eventually('an empty topic instead', async () => (await appended()) === 0)
    for (const id of [22, 23]) assert.is(await acceptChat(id), 200)
    await eventually('the new topic', async () => (await appended()) === 2)
    const refused = await rebuild('--resume')
    assert.is(refused.code, 1)
    assert.match(refused.out, 'These topics were deleted and created again after the rebuild began: chats. Drop it')
    assert.is((await rebuild('--discard')).code, 0)

    await interruptedRebuild()
    const resumed = await rebuild('--resume', '--json')
    assert.is(resumed.code, 0, resumed.err)
    const { done, views } = JSON.parse(resumed.out)
    assert.equal([done, views.find(({ view }: { view: string }) => view === 'chats')?.rebuilt], [true, 2])
    assert.is(await acceptChat(24), 200)
    const expected = ['acme/22', 'acme/23', 'acme/24']
    await eventually('the projector to go on', async () => String(await chats()) === String(expected))
  },
)

recreated.run()
