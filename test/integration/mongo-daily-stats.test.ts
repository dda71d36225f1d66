import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { DailyStatsDocument } from '../../contracts/views/daily-stats.ts'
import type { ViewName, Views } from '../../contracts/views.ts'
import { applyWith } from '../../src/mongo/apply.ts'
import { optimisticUpdate } from '../../src/mongo/optimistic-update.ts'
import { announceDays } from '../../src/mongo/stats-announce.ts'
import { computeDayIn, computedStatistics } from '../../src/mongo/stats-documents.ts'
import { dueDays, markDays } from '../../src/mongo/stats-due.ts'
import { recomputeDays } from '../../src/mongo/stats-recompute.ts'
import { readPresent, writeIfUnchanged } from '../../src/mongo/store.ts'
import { changesOfEvent } from '../../src/projections/changes.ts'
import { eventually } from '../support/eventually.ts'
import { anEvent, at, inLog } from '../support/given-events.ts'
import { sleep, testDatabase } from '../support/mongo.ts'

const { db, connect, drop } = await testDatabase()
const calmMs = 400
const instances = [connect({ calmMs }), connect({ calmMs })]
const patient = connect({ calmMs: 2_000 })
const [one] = instances
assert.ok(one)

const stats = suite('daily statistics in MongoDB')
stats.before.each(async () => {
  for (const { name } of await db.listCollections().toArray()) await db.collection(name).deleteMany({})
})
stats.after.each(async () => {
  for (const { statsRefresher } of [...instances, patient]) await statsRefresher.stop()
})

const day = 'acme/2026-01-31'
const statsOf = (_id: string) =>
  db.collection<DailyStatsDocument>('daily_stats').findOne({ _id }, { projection: { version: 0 } })
const due = () => db.collection('stats_due').countDocuments()
const changes = (...events: ReadonlyArray<DomainEvent>) => inLog(...events).flatMap(changesOfEvent)
const message = (id: number) =>
  anEvent('OfflineMessageReceived', `e${id}`, at('10:00:00'), { offlineMessageId: `${id}` })
const computed = () => computedStatistics(db, day)

/** An instance that stops for good where it is told: `written` is after the documents and before their second mark. */
const crashing = (where: 'announced' | 'written') =>
  applyWith(
    optimisticUpdate<Views[ViewName]>({
      read: readPresent(db, 'majority'),
      write: async (collection, writes) => {
        if (where === 'announced') throw new Error('crash')
        return writeIfUnchanged<Views[ViewName]>(db)(collection, writes)
      },
      announce: announceDays({
        mark: async (ids, fresh) => {
          if (fresh) throw new Error('crash')
          await markDays(db, ids, fresh)
        },
        clock: () => performance.now(),
      }),
      mayWrite: async () => true,
      sleep,
    }),
  )
const crash = (error: Error) => assert.is(error.message, 'crash')

stats('follow the documents, on two instances that refresh side by side', async () => {
  for (const { statsRefresher } of instances) statsRefresher.start()
  for (let i = 0; i < 30; i++) await instances[i % 2]?.applyChanges(changes(message(i)))
  await one.statsRefresher.settled()
  assert.is((await statsOf(day))?.offlineMessages, 30)
  await eventually('no day to be due', async () => (await due()) === 0)
  assert.equal(await statsOf(day), await computed())
})

stats('move when a document leaves a day', async () => {
  one.statsRefresher.start()
  const chat = [anEvent('ChatAccepted', 'e1', at('10:00:00')), anEvent('ChatFinished', 'e2', at('11:00:00'))]
  await one.applyChanges(changes(...chat))
  await one.statsRefresher.settled()
  assert.is((await statsOf(day))?.chats.accepted, 1)
  await one.applyChanges(changes(...chat, anEvent('ChatAccepted', 'e3', '2026-02-01T09:00:00.000Z')))
  await one.statsRefresher.settled()
  assert.equal([(await statsOf(day))?.chats.accepted, (await statsOf('acme/2026-02-01'))?.chats.accepted], [0, 1])
})

stats('count calls, offline messages and replies of the day by what they say, and of the account alone', async () => {
  const times = [
    '2026-01-30T23:59:59.999Z',
    '2026-01-31T00:00:00.000Z',
    '2026-01-31T23:59:59.999Z',
    '2026-02-01T00:00:00.000Z',
  ]
  const put = (view: ViewName, ...all: ReadonlyArray<(time: string) => object>) => {
    const of = (accountId: string) => all.flatMap((fields) => times.map((time) => ({ accountId, ...fields(time) })))
    return db.collection(view).insertMany(['acme', 'other'].flatMap(of))
  }
  await put(
    'calls',
    (firstEventAt) => ({ firstEventAt, type: 'incoming', state: 'end' }),
    (firstEventAt) => ({ firstEventAt, type: 'callback', state: 'error' }),
    (firstEventAt) => ({ firstEventAt, type: 'callback', state: 'queued' }),
  )
  await put('offline_messages', (receivedAt) => ({ receivedAt }))
  await put(
    'deliveries',
    (finishedAt) => ({ finishedAt, state: 'delivered' }),
    (finishedAt) => ({ finishedAt, state: 'suppressed' }),
    (requestedAt) => ({ requestedAt, state: 'pending' }),
  )
  const found = await computed()
  assert.equal(found?.calls, {
    total: 6,
    byType: { callback: 4, incoming: 2, outgoing: 0 },
    byOutcome: { ended: 2, failed: 2, open: 2 },
  })
  assert.is(found?.offlineMessages, 2)
  assert.equal(found?.replies, { delivered: 2, failed: 0, suppressed: 2 })
})

stats('come out right when the writer dies between the documents and their second mark', async () => {
  await crashing('written')(changes(message(1))).catch(crash)
  one.statsRefresher.start()
  await eventually(
    'the day to be computed',
    async () => (await statsOf(day))?.offlineMessages === 1 && (await due()) === 0,
  )
})

stats(
  'come out right when they were computed between the mark and the documents, and the writer dies then',
  async () => {
    const { statsRefresher } = patient
    await markDays(db, [day], true)
    statsRefresher.start()
    await statsRefresher.settled()
    assert.is(await statsOf(day), null)
    const unannounced = optimisticUpdate<Views[ViewName]>({
      read: readPresent(db, 'majority'),
      write: writeIfUnchanged(db),
      announce: async () => async () => {},
      mayWrite: async () => true,
      sleep,
    })
    await applyWith(unannounced)(changes(message(1)))
    await eventually(
      'the day to be computed',
      async () => (await statsOf(day))?.offlineMessages === 1 && (await due()) === 0,
    )
  },
)

stats('are computed though the writer dies before the documents are written, and again when they are', async () => {
  await crashing('announced')(changes(message(1))).catch(crash)
  one.statsRefresher.start()
  await eventually('no day to be due', async () => (await due()) === 0)
  assert.is(await statsOf(day), null)
  await one.applyChanges(changes(message(1)))
  await one.statsRefresher.settled()
  assert.is((await statsOf(day))?.offlineMessages, 1)
})

stats('are marked again when a slice comes again, since it is not known whether its second mark was set', async () => {
  await crashing('written')(changes(message(1))).catch(crash)
  await db.collection('stats_due').deleteMany({})
  await one.applyChanges(changes(message(1)))
  one.statsRefresher.start()
  await one.statsRefresher.settled()
  assert.is((await statsOf(day))?.offlineMessages, 1)
})

/** A refresher that has read the documents and waits with what it has computed until it is told to go on. */
const holding = async () => {
  const [due] = await dueDays(db, calmMs)
  assert.ok(due)
  const read = Promise.withResolvers<void>()
  const goesOn = Promise.withResolvers<void>()
  const over = computeDayIn(db, async () => {
    const statistics = await computed()
    // A day without a document is read twice: before it gets one, and after.
    if ((await statsOf(day)) === null) return statistics
    read.resolve()
    await goesOn.promise
    return statistics
  })(due)
  await read.promise
  return async () => {
    goesOn.resolve()
    await over
  }
}

stats('of an older computation never replace those of a newer one', async () => {
  await one.applyChanges(changes(message(1)))
  const older = await holding()
  await one.applyChanges(changes(message(1), message(2)))
  const newer = await holding()
  await newer()
  await older()
  assert.is((await statsOf(day))?.offlineMessages, 2)
  assert.is(await db.collection('stats_due').countDocuments({ fresh: true }), 0)
})

stats('of a newer computation that an older one has overtaken are computed again', async () => {
  await one.applyChanges(changes(message(1)))
  const older = await holding()
  await one.applyChanges(changes(message(1), message(2)))
  const newer = await holding()
  await older()
  await newer()
  assert.is((await statsOf(day))?.offlineMessages, 1)
  one.statsRefresher.start()
  await one.statsRefresher.settled()
  assert.is((await statsOf(day))?.offlineMessages, 2)
})

stats('that are computed late do not come back for a day that has gone meanwhile', async () => {
  await one.applyChanges(changes(message(1)))
  const late = await holding()
  await db.collection('offline_messages').deleteMany({})
  await recomputeDays(db, [day], () => {})
  await late()
  assert.is(await statsOf(day), null)
  one.statsRefresher.start()
  await eventually('no day to be due', async () => (await due()) === 0)
  assert.is(await statsOf(day), null)
})

stats('of a day that nothing belongs to go, whoever computes it, and however often', async () => {
  await db.collection('daily_stats').insertOne({ _id: day as never, offlineMessages: 99 })
  await markDays(db, [day], true)
  const [read] = await dueDays(db, calmMs)
  assert.ok(read)
  for (let times = 0; times < 2; times++) {
    await computeDayIn(db)(read)
    assert.is(await statsOf(day), null)
  }
  await recomputeDays(db, [day], () => {})
  assert.is(await statsOf(day), null)
})

stats('are right in the end when several refresh at once, each as fast as it can, while documents change', async () => {
  const compute = computeDayIn(db, computed)
  let writing = true
  const refreshing = Array.from({ length: 4 }, async () => {
    while (writing) for (const each of await dueDays(db, calmMs)) await compute(each)
  })
  for (let i = 0; i < 60; i++) await instances[i % 2]?.applyChanges(changes(message(i)))
  writing = false
  await Promise.all(refreshing)
  one.statsRefresher.start()
  await one.statsRefresher.settled()
  assert.is((await statsOf(day))?.offlineMessages, 60)
})

stats('are computed by whichever instance starts next when the refresher died in the middle', async () => {
  await one.applyChanges(changes(message(1)))
  await dueDays(db, calmMs)
  await computed()
  const [, two] = instances
  two?.statsRefresher.start()
  await eventually('the day to be computed', async () => (await statsOf(day))?.offlineMessages === 1)
})

stats.after(drop)
stats.run()
