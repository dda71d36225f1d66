import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { enrichmentFilter, findingEnrichments } from '../../../src/bridge/ingress/enrichment-filter.ts'
import {
  findEnrichments as findEnrichmentsIn,
  oldNotes as oldNotesIn,
  storeEnrichments as storeEnrichmentsIn,
} from '../../../src/bridge/mongo/enrichments.ts'
import { erasuresIn } from '../../../src/bridge/mongo/erasures.ts'
import type { RecordedEnrichment } from '../../../src/bridge/views/enrichments.ts'
import { sleep, testDatabase } from '../../support/mongo.ts'

const { db, connect, drop } = await testDatabase()
const { query } = connect()
const storeEnrichments = query((database) => storeEnrichmentsIn(database, sleep))
const findEnrichments = query(findEnrichmentsIn)
const erasures = query(erasuresIn)
const find = findingEnrichments(findEnrichments, enrichmentFilter())
const findEnrichment = (keys: ReadonlyArray<string>) =>
  find(() => keys, Promise.resolve(), new AbortController().signal)

const enrichments = suite('enrichments in MongoDB')

const recorded = (offset: number, key: string, value: RecordedEnrichment['value']): RecordedEnrichment => ({
  topic: 'enrichments',
  partition: 0,
  offset,
  key,
  value,
})
const token = 'acme/userToken:t'
const phone = 'acme/phone:+15550100'
const link = (crmLink: string) => ({ crmLink })

enrichments('are found by the first key that has one', async () => {
  await storeEnrichments([recorded(0, phone, link('by phone')), recorded(1, token, link('by token'))])
  assert.equal(await findEnrichment(['acme/userToken:other', token, phone]), link('by token'))
  assert.equal(await findEnrichment([phone, token]), link('by phone'))
  assert.is(await findEnrichment(['acme/userToken:other']), undefined)
  assert.is(await findEnrichment([]), undefined)
})

enrichments('stay removed, even after a replay', async () => {
  await storeEnrichments([recorded(2, token, null)])
  assert.equal(await findEnrichment([token, phone]), link('by phone'))
  await storeEnrichments([recorded(0, phone, link('by phone')), recorded(1, token, link('by token'))])
  assert.is(await findEnrichment([token]), undefined)
  assert.equal(await db.collection<{ _id: string }>('enrichments').findOne({ _id: token }), {
    _id: token,
    applied: { 'enrichments/0': 2 },
  })
})

enrichments('have the newest of several records in one slice', async () => {
  await storeEnrichments([3, 4, 5].map((offset) => recorded(offset, token, link(`at ${offset}`))))
  assert.equal(await findEnrichment([token]), link('at 5'))
})

enrichments('have keys that are listed for one account only', async () => {
  const others = ['acm/phone:1', 'acme-2/phone:1', 'acme0/phone:1', 'b/phone:1']
  await storeEnrichments(others.map((key, i) => recorded(6 + i, key, link('other'))))
  const keys: string[] = []
  for await (const key of erasures.enrichedKeys('acme')) keys.push(key)
  assert.equal(keys, [phone, token])
})

enrichments('of chats are old when the newest event of their chat is', async () => {
  const oldNotes = query(oldNotesIn)
  const timeline = db.collection<{ _id: string; accountId: string; chatId: string; time: Date; offset: number }>(
    'timeline',
  )
  const event = (chatId: string, time: string) => ({
    _id: `acme/${chatId}/bot/${time}`,
    accountId: 'acme',
    chatId,
    time: new Date(time),
    offset: 1,
  })
  await timeline.insertMany([
    event('1', '2026-01-01'),
    event('2', '2026-01-01'),
    event('2', '2026-02-01'),
    event('3', '2026-01-01'),
  ])
  await storeEnrichments(
    ['1', '2', 'unknown', '3'].map((chat, i) => recorded(20 + i, `acme/chatId:${chat}`, link('note'))),
  )
  await storeEnrichments([recorded(24, 'acme/chatId:3', null), recorded(25, 'other/chatId:1', link('note'))])
  const keys: string[] = []
  for await (const key of oldNotes(['acme'], new Date('2026-01-15'))) keys.push(key)
  assert.equal(keys, ['acme/chatId:1'])
})

enrichments.after(drop)
enrichments.run()
