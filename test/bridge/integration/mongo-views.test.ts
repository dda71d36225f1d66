import { deepStrictEqual as same } from 'node:assert'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { ClientDocument } from '../../../contracts/views/client.ts'
import { classify } from '../../../src/bridge/mongo/classify.ts'
import { storeEnrichments } from '../../../src/bridge/mongo/enrichments.ts'
import { writeIfUnchanged } from '../../../src/bridge/mongo/store.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { evolveClient } from '../../../src/bridge/views/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at, inLog } from '../../support/given-events.ts'
import { aLog, deliveriesOf, type Entry } from '../../support/logs.ts'
import { changesOfEntries, foldOf } from '../../support/memory-views.ts'
import { sleep, testDatabase } from '../../support/mongo.ts'
import { storedViews, storyViews } from '../../support/stored-views.ts'

const { db, connect, drop } = await testDatabase()
const [one, two] = [connect(), connect()]

const clear = () => Promise.all([...storyViews, 'stats_due'].map((name) => db.collection(name).deleteMany({})))
const stored = () => storedViews(db)

const views = suite('views in MongoDB')
views.before.each(async () => {
  await clear()
})

const deliveredLog = aLog.chain((log) => fc.tuple(fc.constant(log), deliveriesOf(log)))

views('equal a plain fold of the log under replays, and a second replay changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(deliveredLog, async ([log, slices]) => {
      await clear()
      for (const slice of slices) await one.applyChanges(changesOfEntries(slice))
      const expected = await foldOf(log)
      same(await stored(), expected)
      await one.applyChanges(changesOfEntries(log))
      same(await stored(), expected)
    }),
    { numRuns: 15, includeErrorInReport: true },
  )
})

views('equal the fold when two instances process the same partitions at once', async () => {
  // A majority may not have yet what the other instance has written: a consumer redelivers the slice then.
  const redelivered = (error: unknown) => (classify(error).kind === 'transient' ? false : Promise.reject(error))
  const whole = async (instance: typeof one, slices: ReadonlyArray<ReadonlyArray<Entry>>) => {
    for (const slice of slices)
      await eventually('a slice in the views', () =>
        instance.applyChanges(changesOfEntries(slice)).then(() => true, redelivered),
      )
  }
  const twice = aLog.chain((log) => fc.tuple(fc.constant(log), deliveriesOf(log), deliveriesOf(log)))
  await fc.assert(
    fc.asyncProperty(twice, async ([log, some, others]) => {
      await clear()
      await Promise.all([whole(one, some), whole(two, others)])
      same(await stored(), await foldOf(log))
    }),
    { numRuns: 15, includeErrorInReport: true },
  )
})

/** A client's document before and after its second event. */
const aClient = () => {
  const [first, second] = inLog(
    anEvent('ClientUpdated', 'e1', at('10:00:00')),
    anEvent('ClientUpdated', 'e2', at('10:00:01')),
  )
  assert.ok(first && second)
  const write = writeIfUnchanged<ClientDocument>(db)
  const before = evolveClient(undefined, first)
  return { write, before, after: evolveClient(before, second) }
}

views('are not overwritten by a writer that read before another writer wrote', async () => {
  const { write, before, after } = aClient()
  const outcomes = [
    await write('clients', [{ before: undefined, after: before }]),
    await write('clients', [{ before: undefined, after: before }]),
    await write('clients', [{ before, after }]),
    await write('clients', [{ before, after: { ...after, seen: [] } }]),
  ]
  assert.equal(outcomes, ['written', 'overtaken', 'written', 'overtaken'])
  assert.equal(await one.readDocument('clients', 'acme/1233'), after)
})

views('are written where they differ, so a note that came meanwhile stays', async () => {
  const { write, before, after } = aClient()
  await write('clients', [{ before: undefined, after: before }])
  await db.collection<{ _id: string }>('clients').updateOne({ _id: before._id }, { $set: { note: 'ours' } })
  assert.is(await write('clients', [{ before, after }]), 'written')
  assert.equal(await one.readDocument('clients', before._id), { ...after, note: 'ours' })
})

views(
  'are folded from majority reads, and so are enrichments and entries of timeline that are there already',
  async () => {
    const changes = inLog(anEvent('ClientUpdated', 'e1', at('10:00:00'))).flatMap(changesOfEvent)
    await one.applyChanges(changes)
    await db.command({ profile: 2 })
    await one.applyChanges(changes)
    await one.query((database) => storeEnrichments(database, sleep))([
      { topic: 'enrichments', partition: 0, offset: 0, key: 'acme/clientId:1', value: {} },
    ])
    await db.command({ profile: 0 })
    const reads = await db
      .collection('system.profile')
      .find({ 'command.filter._id': { $type: 'object' } })
      .toArray()
    assert.equal([...new Set(reads.map(({ command }) => `${command.find} ${command.readConcern?.level}`))].sort(), [
      'clients majority',
      'enrichments majority',
      'timeline majority',
    ])
  },
)

views('process events of a document that was created by hand', async () => {
  const clients = db.collection<{ _id: string; applied?: null }>('clients')
  for (const made of [{ _id: 'acme/1233' }, { _id: 'acme/1233', applied: null }]) {
    await clients.replaceOne({ _id: made._id }, made, { upsert: true })
    const recorded = inLog(anEvent('ClientUpdated', 'e1', at('10:00:00')))
    await one.applyChanges(recorded.flatMap(changesOfEvent))
    assert.equal((await one.readDocument('clients', made._id))?.applied, { 'clients/0': 0 })
  }
})

views('process more documents at once than fit into one bulk write', async () => {
  const events = Array.from({ length: 700 }, (_, i) =>
    anEvent('OfflineMessageReceived', `e${i}`, at('10:00:00'), { offlineMessageId: `${i}` }),
  )
  const changes = inLog(...events).flatMap(changesOfEvent)
  await Promise.all([one.applyChanges(changes), one.applyChanges(changes)])
  assert.is(await db.collection('offline_messages').countDocuments(), 700)
  assert.is(await db.collection('timeline').countDocuments(), 700)
})

views('refuse only a document above 16 MB, and store the other documents of its slice', async () => {
  const [good, large] = inLog<DomainEvent>(
    anEvent('ClientUpdated', 'e1', at('10:00:00')),
    anEvent('OfflineMessageReceived', 'e2', at('10:00:00'), { message: 'x'.repeat(17_000_000) }),
  )
  assert.ok(good && large)
  const outcomes = await Promise.allSettled([
    one.applyChanges(changesOfEvent(good).slice(0, 1)),
    one.applyChanges(changesOfEvent(good).slice(1)),
    one.applyChanges(changesOfEvent(large)),
  ])
  assert.equal(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  )
  assert.equal(Object.keys(await stored()).sort(), ['clients acme/1233', 'timeline acme/client:1233/webhooks/e1'])
})

views('store a chat with a log of 8 MiB, which no document has completely', async () => {
  const message = 'Ж'.repeat(1_000)
  const messages = Array.from({ length: 4_000 }, () => ({ type: 'client', message, timestamp: at('10:00:00') }))
  const event = anEvent('ChatFinished', 'e1', at('10:05:00'), { chat: { messages, blacklisted: false } })
  const [finished] = inLog(event)
  assert.ok(finished)
  await one.applyChanges(changesOfEvent({ ...finished, bytes: Buffer.byteLength(JSON.stringify(event.data)) }))
  const chat = await one.readDocument('chats', 'acme/2037')
  assert.is((chat?.messages.length ?? 0) + (chat?.messagesOmitted ?? 0), 4_000)
  const entry = await one.readDocument('timeline', 'acme/2037/webhooks/e1')
  assert.equal([entry?.topic, entry?.offset, entry?.chatId, entry?.data], ['chats', 0, '2037', undefined])
})

views('can be read one document at a time', async () => {
  await one.applyChanges(inLog(anEvent('ClientUpdated', 'e1', at('10:00:00'))).flatMap(changesOfEvent))
  const client = await one.readDocument('clients', 'acme/1233')
  assert.is(client?.clientId, '1233')
  assert.is(await one.readDocument('clients', 'acme/absent'), undefined)
})

views.after(drop)
views.run()
