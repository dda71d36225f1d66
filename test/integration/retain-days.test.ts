import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { ErasureDocument } from '../../contracts/views/erasure.ts'
import { createMetrics } from '../../src/app/metrics.ts'
import { kafkaSettings } from '../../src/app/servers.ts'
import { createLog } from '../../src/app/telemetry.ts'
import { newKeyFile } from '../../src/archive/key-file.ts'
import { now } from '../../src/domain/clock.ts'
import { connectKafka } from '../../src/kafka/kafka.ts'
import { right } from '../support/either.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { anEvent } from '../support/given-events.ts'
import { readTopics } from '../support/plain-consumer.ts'
import { world } from '../support/world.ts'

const here = await world({ retainDays: 30 })
const archiveKeyFile = join(temporaryFolder(), 'keys.json')
writeFileSync(archiveKeyFile, newKeyFile('first'))
const client = await MongoClient.connect(here.mongo.url)
const db = client.db()
const settings = kafkaSettings({ brokers: here.brokers, ssl: false }, { prefix: here.prefix, partitions: 4 }, 'retain')
const kafka = connectKafka(settings, { log: createLog('silent'), measure: createMetrics().measure, now })

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const secret = 'CANARY-of-a-silent-person'
const visitor = (number: string) => ({ number, chatsCount: 1, name: secret })
const accepted = (chatId: string, number: string, days: number) =>
  ({
    ...anEvent('ChatAccepted', `e${chatId}`, daysAgo(days), { chatId, visitor: visitor(number) }),
    subject: chatId,
  }) as DomainEvent

/** Visitor 1 has not returned. Visitor 2 was here long ago and again yesterday. */
const events = [accepted('11', '1', 40), accepted('12', '1', 31), accepted('21', '2', 40), accepted('22', '2', 1)]
const telling = async () => {
  const found = await db.collection<{ _id: string }>('chats').find().toArray()
  return found.flatMap((each) => (JSON.stringify(each).includes(secret) ? [each._id] : [])).sort()
}

const retaining = suite('privacy.retainDays')
retaining.after(async () => {
  await kafka.stop()
  await here.stop()
  await client.close()
})

retaining('two archivers erase silent persons once, and nobody else', async () => {
  const projector = await here.start(['projector'])
  for (const event of events) right(await kafka.publish(event, 20_000))
  await eventually('the views', async () => (await telling()).length === 4)
  await Promise.all([1, 2].map(() => here.start(['archiver'], undefined, { archiveKeyFile })))
  await eventually('the erasure', async () => (await telling()).length === 2, 90_000)
  assert.equal(await telling(), ['acme/21', 'acme/22'])
  const receipts = await db.collection<ErasureDocument>('erasures').find().toArray()
  assert.equal(
    receipts.map(({ requestedBy, state, markers }) => [requestedBy, state, markers]),
    [['privacy.retainDays', 'published', 8]],
  )
  const { records } = await readTopics(here.brokers, here.prefix, ['chats', 'audit'])
  const erased = records.filter(({ headers }) => `${headers.ce_type}`.startsWith('livechat.ChatErased'))
  assert.equal(erased.map(({ key }) => `${key}`).sort(), ['acme/11', 'acme/12'])
  const actions = records.flatMap(({ topic, value }) => (topic === 'audit' ? [JSON.parse(`${value}`)] : []))
  assert.equal(
    actions.map(({ action, who, accountId }) => [action, who, accountId]),
    [['erase', 'privacy.retainDays', 'acme']],
  )
  await projector.stop()
})

retaining.run()
