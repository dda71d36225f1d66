import { cpSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import kafkajs from 'kafkajs'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toRecord } from '../../../src/bridge/kafka/records.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { plainClient, withAdmin } from '../../support/plain-consumer.ts'
import { sample } from '../../support/samples.ts'
import { losing } from '../../support/tampering.ts'
import { debianPackage } from './fetched.ts'
import { startObservedBridge } from './observed-bridge.ts'
import { alertNames, startPrometheus } from './prometheus.ts'

const dashboards = fileURLToPath(new URL('../../../docker/grafana/dashboards', import.meta.url))

type Panel = { readonly title: string; readonly targets: ReadonlyArray<{ readonly expr: string }> }
const queries = readdirSync(dashboards).flatMap((file) => {
  const { panels } = JSON.parse(readFileSync(join(dashboards, file), 'utf8')) as {
    readonly panels: ReadonlyArray<Panel>
  }
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ panel: `${file}: ${title}`, expr })))
})

const panels = suite('dashboards and alerts, with a real Prometheus')
const skipped = await debianPackage('prometheus', 'prometheus')
if (skipped !== undefined) console.log(`Prometheus is skipped: ${skipped}`)
const test = skipped === undefined ? panels : panels.skip

const running = skipped === undefined ? { here: await startObservedBridge(), ...(await startPrometheus()) } : undefined
panels.after(async () => {
  await running?.stop()
  await running?.here.stop()
})

/**
 * These alerts say that the machine is too small. They may fire here, because tests run in parallel, and because here
 * statistics count as stale after 5 s instead of 120.
 */
const ofTheMachine = ['LivechatSlowLoop', 'LivechatBotAnswersSlow', 'LivechatStatisticsStale']

test('alerts fire if nothing is scraped', async () => {
  if (running === undefined) return
  await running.fire(['LivechatNothingScraped', 'LivechatRoleMissing'])
})

test('under load every panel of every dashboard has data, and the only alert is that no archiver runs', async () => {
  if (running === undefined) return
  const { here, watch, values, active } = running
  watch(here.bridge().adminUrl)
  await here.wholeChat('9')
  let round = 0
  let missing = queries
  await eventually(
    'data in every panel',
    async () => {
      round++
      assert.ok((await here.webhooks()).every((status) => status === 200))
      for (const chat of [1, 2, 3]) await here.service.clientWrites(String(chat), `round ${round}`)
      const left: Array<(typeof queries)[number]> = []
      for (const query of missing) if ((await values(query.expr)).length === 0) left.push(query)
      missing = left
      return missing.length === 0 || undefined
    },
    120_000,
  ).catch(() => assert.equal(missing, [], 'panels without data'))
  assert.equal(
    (await active()).filter(({ name }) => !ofTheMachine.includes(name)),
    [{ state: 'firing', name: 'LivechatRoleMissing' }],
  )
  assert.ok(queries.length > 40)
})

/** Sends records to a topic as another team's producer. */
const produce = async (topic: string, messages: kafkajs.Message[]) => {
  if (running === undefined) return
  const { brokers, prefix } = running.here
  const producer = plainClient(brokers).producer()
  await producer.connect()
  await producer.send({ topic: `${prefix}${topic}`, messages })
  await producer.disconnect()
}

const slowChat = '9'
const slowReply = (id: string) => ({
  key: `acme/${slowChat}`,
  value: JSON.stringify({
    type: 'BotMessage',
    id,
    accountId: 'acme',
    chatId: slowChat,
    clientId: slowChat,
    message: { type: 'TEXT', text: id },
  }),
})

test('alerts fire for faults of callers, bots and the service, for many counters from the first increase on', async () => {
  if (running === undefined) return
  const { post, own, limited, service, wholeChat } = running.here
  await produce('chats', [{ key: 'acme/1', value: 'no event' }])
  // More than the bridge holds of one chat.
  const replies = Array.from({ length: 60 }, (_, i) => slowReply(`slow-${i}`))
  await produce('bot-replies', replies)
  await wholeChat('5', losing('client', 0))
  await post(own, JSON.stringify({ ...JSON.parse(sample('webhooks', 'chat_updated')), loyalty_level: 'gold' }))
  await post(own, '{"event_name": 1}')
  await service.clientWrites('4', 'silence')
  // The bridge tries its own invitations until the service takes them: the one for the silent chat is taken.
  service.misbehave(({ chatId, id }) => {
    if (chatId === slowChat) return { kind: 'delay', ms: 900 }
    return chatId === '4' && id.startsWith('watchdog-') ? undefined : { kind: 'error', status: 400 }
  })
  const names = [
    'Quarantine',
    'DeadLetters',
    'BotSilent',
    'RepliesFail',
    'RepliesDeferred',
    'ServiceFails',
    'NotAuthorized',
    'RateLimited',
    'ProtocolChanged',
    'TranscriptDiffers',
  ]
  await running.fire(
    names.map((name) => `Livechat${name}`),
    async () => {
      for (let chat = 10; chat < 30; chat++) await service.clientWrites(String(chat), 'Hello')
      await Promise.all([1, 2, 3].map(() => post(limited, '{}')))
      await Promise.all(Array.from({ length: 20 }, () => post('a-token-that-nobody-has', '{}')))
    },
  )
  service.behave()
})

test('alerts fire for an overloaded process, and for a nearly full disk', async () => {
  if (running === undefined) return
  const { post, own, service, bridge, dataDir, hasOwnDisk } = running.here
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 800 })
  for (let i = 0; i < 800; i++)
    get(`${bridge().url}/livez`, { agent }, (answer) => answer.resume()).on('error', () => {})
  if (hasOwnDisk) writeFileSync(join(dataDir, 'filler'), Buffer.alloc(60 * 1024 ** 2))
  const manyObjects = JSON.stringify({ event_name: 1, of: Array.from({ length: 1_000_000 }, () => ({})) })
  const names = ['SlowLoop', 'Memory', 'BotAnswersSlow', 'Descriptors']
  await running.fire(
    [...names, ...(hasOwnDisk ? ['DiskNearlyFull'] : [])].map((name) => `Livechat${name}`),
    () =>
      Promise.all([
        ...[1, 2, 3, 4, 5, 6, 7, 8].map(() => post(own, manyObjects)),
        ...[1, 2, 3, 4].map((chat) => service.clientWrites(String(chat), 'Is anybody there?')),
      ]),
  )
  agent.destroy()
})

test('alerts fire for a process that is down, and for old records without an archiver', async () => {
  if (running === undefined) return
  const { kill, start, webhooks } = running.here
  await kill()
  await running.fire(['LivechatDown'])
  await start({ RETENTION_DAYS: '0.00001' })
  await running.fire(['LivechatRetentionOverdue'], webhooks)
})

test('an alert fires if MongoDB refuses the statistics', async () => {
  if (running === undefined) return
  const { mongo, webhooks } = running.here
  await using client = new MongoClient(mongo.url)
  const refuse = (validationLevel: 'strict' | 'off') =>
    client.db(mongo.database).command({ collMod: 'daily_stats', validator: { refused: true }, validationLevel })
  await refuse('strict')
  await running.fire(['LivechatStatisticsStale'], webhooks)
  await refuse('off')
})

test('an alert fires if persons wait for an operator before they are erased', async () => {
  if (running === undefined) return
  const { mongo, account, webhooks } = running.here
  await using client = new MongoClient(mongo.url)
  const states = client.db(mongo.database).collection<{ _id: string }>('retain_days')
  const [before, since] = [new Date(0), new Date()]
  await states.insertOne({ _id: account.id, waiting: { persons: 30, limit: 20, before, since } } as { _id: string })
  await running.fire(['LivechatErasuresWait'], webhooks)
  await states.deleteOne({ _id: account.id })
})

test('alerts fire if MongoDB is unavailable while events arrive, and if outcomes of replies cannot be published', async () => {
  if (running === undefined) return
  const { service, cluster, brokers, prefix, webhooks } = running.here
  let isAsked = false
  service.misbehave(() => {
    isAsked = true
    return { kind: 'delay', ms: 3_000 }
  })
  await service.clientWrites('6', 'Hello')
  await service.waitFor('a reply under way', () => isAsked)
  await withAdmin(brokers, (admin) => {
    const configEntries = [{ name: 'max.message.bytes', value: '100' }]
    const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: `${prefix}bot-conversations`, configEntries }]
    return admin.alterConfigs({ validateOnly: false, resources })
  })
  cluster.mongod.kill()
  const events = Array.from({ length: 2_000 }, (_, i) =>
    toRecord(anEvent('ChatUpdated', `behind-${i}`, at('10:00:00'))),
  )
  await produce('chats', events)
  const names = ['MongoAway', 'ConsumerStands', 'ConsumerBehind', 'OutcomesWait']
  await running.fire(
    names.map((name) => `Livechat${name}`),
    webhooks,
  )
})

test('alerts fire if Kafka is unavailable, for the journal and for consumers', async () => {
  if (running === undefined) return
  running.here.cluster.broker.kill()
  const names = ['KafkaAway', 'SendsFail', 'JournalFull', 'JournalOld', 'RequestsFail', 'ConsumerRestarts']
  await running.fire(
    names.map((name) => `Livechat${name}`),
    running.here.webhooks,
  )
})

test('alerts fire for a process without topics, with damaged or orphaned journals, and with repeated restarts', async () => {
  if (running === undefined) return
  const { kill, start, dataDir } = running.here
  await kill()
  cpSync(join(dataDir, 'journal/1'), join(dataDir, 'journal/2'), { recursive: true })
  const segment = globSync(join(dataDir, 'journal/1/**/*.segment')).sort().at(-1) ?? ''
  const bytes = readFileSync(segment)
  const middle = Math.floor(bytes.length / 2)
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle)
  writeFileSync(segment, bytes)
  await start()
  await running.fire(['LivechatJournalDamaged', 'LivechatJournalOrphaned', 'LivechatNotPrepared'])
  const startedAt = () => running.values('process_start_time_seconds')
  await running.fire(['LivechatRestartsOften'], async () => {
    const [before] = await startedAt()
    await kill()
    await start()
    await eventually('the new process to be seen', async () => {
      const [now] = await startedAt()
      return now !== undefined && now !== before
    })
  })
})

test('every alert has fired under a real fault', () => {
  if (running === undefined) return
  // Without the right to mount a file system, there is no small disk to fill.
  const without = running.here.hasOwnDisk ? [] : ['LivechatDiskNearlyFull']
  assert.equal([...running.fired(), ...without].sort(), alertNames.toSorted())
})

panels.run()
