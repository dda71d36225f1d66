import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { DailyStatsByDocument, DailyStatsDocument } from '../../../contracts/views/daily-stats.ts'
import { applyWith } from '../../../src/bridge/mongo/apply.ts'
import { classify } from '../../../src/bridge/mongo/classify.ts'
import { ensureFlatViews } from '../../../src/bridge/mongo/indexes.ts'
import { optimisticUpdate } from '../../../src/bridge/mongo/optimistic-update.ts'
import { computeDayIn, computedStatistics } from '../../../src/bridge/mongo/stats-compute.ts'
import { markDays, readDue } from '../../../src/bridge/mongo/stats-due.ts'
import { allDays, recomputeDays } from '../../../src/bridge/mongo/stats-recompute.ts'
import { idsWhere, readPresent, writeIfUnchanged } from '../../../src/bridge/mongo/store.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import type { ViewDocument } from '../../../src/bridge/views/document.ts'
import type { ViewName } from '../../../src/bridge/views/index.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at, inLog } from '../../support/given-events.ts'
import { sleep, testDatabase } from '../../support/mongo.ts'

const { db, connect, drop } = await testDatabase()
let [one, two] = [connect(), connect()]

const stats = suite('daily statistics in MongoDB')
stats.before.each(async () => {
  // What has stopped never starts again.
  ;[one, two] = [connect(), connect()]
  for (const { name } of await db.listCollections().toArray()) await db.collection(name).deleteMany({})
})
stats.after.each(async () => {
  for (const { stop } of [one, two]) await stop()
})

const utc = () => 'UTC'
const day = 'acme/2026-01-31'
const statsOf = (_id: string) => db.collection<DailyStatsDocument>('daily_stats').findOne({ _id })
const due = () => db.collection('stats_due').countDocuments()
const changes = (...events: ReadonlyArray<DomainEvent>) => inLog(...events).flatMap(changesOfEvent)
const message = (id: number) =>
  anEvent('OfflineMessageReceived', `e${id}`, at('10:00:00'), { offlineMessageId: `${id}` })
const computed = (asOf?: Date) => computedStatistics(db, day, utc, asOf)

/** An instance that crashes after it has written the documents and before it marks their days. */
const crashing = applyWith(
  optimisticUpdate<ViewDocument>({
    read: readPresent(db, 'majority'),
    write: writeIfUnchanged(db),
    written: async () => {
      throw new Error('crash')
    },
    sleep,
  }),
  idsWhere(db),
)
const crash = (error: Error) => assert.is(error.message, 'crash')

stats('follow the documents, with two instances that refresh in parallel', async () => {
  for (const { statsRefresher } of [one, two]) statsRefresher.start()
  for (let i = 0; i < 30; i++) await (i % 2 === 0 ? one : two).applyChanges(changes(message(i)))
  await one.statsRefresher.settled()
  const found = await statsOf(day)
  assert.is(found?.offlineMessages, 30)
  assert.equal(found, (await computed(found?.asOf)).day)
})

stats('keep a session on the day of its start when the chat is opened again on another day', async () => {
  one.statsRefresher.start()
  const chat = { chat: { messages: [], blacklisted: false, rate: 'bad' } }
  await one.applyChanges(
    changes(
      anEvent('ChatAccepted', 'e1', at('10:00:00')),
      anEvent('ChatFinished', 'e2', at('11:00:00'), chat),
      anEvent('ChatAccepted', 'e3', '2026-02-02T09:00:00.000Z'),
    ),
  )
  await one.statsRefresher.settled()
  const [first, second] = [await statsOf(day), await statsOf('acme/2026-02-02')]
  assert.equal(first?.chats, { accepted: 1, finished: 1, ratedGood: 0, ratedBad: 1 })
  assert.equal(first?.figures.reopenRate, { numerator: 1, denominator: 1, value: 1 })
  assert.equal([second?.chats.accepted, second?.sessions.agent], [1, { started: 1, open: 1 }])
})

stats('exist by agent, widget and bot too', async () => {
  one.statsRefresher.start()
  await one.applyChanges(
    changes(
      anEvent('ChatAccepted', 'e1', at('10:00:00')),
      anEvent('ClientMessageReceived', 'e2', at('10:01:00'), { extra: { channel: { id: 77, type: 'widget' } } }),
    ),
  )
  await one.statsRefresher.settled()
  const found = await db.collection<DailyStatsByDocument>('daily_stats_by').find().sort({ _id: 1 }).toArray()
  assert.equal(
    found.map(({ _id, sessions }) => [_id, sessions.agent.started, sessions.bot.started]),
    [
      [`${day}/agent/a1`, 1, 0],
      [`${day}/bot/unknown`, 0, 1],
      [`${day}/widget/77`, 0, 1],
      [`${day}/widget/w1`, 1, 0],
    ],
  )
})

stats('are computed again when a session ends by time only, and no more when all sessions have ended', async () => {
  await one.applyChanges(changes(anEvent('ClientMessageReceived', 'e1', at('10:00:00'))))
  const early = async () => computed(new Date(at('12:00:00')))
  const [read] = await readDue(db)
  assert.ok(read)
  await computeDayIn(db, utc, early)(read)
  assert.equal((await statsOf(day))?.sessions.bot, { started: 1, open: 1 })
  one.statsRefresher.start()
  await eventually('the session to be over', async () => (await statsOf(day))?.sessions.bot.open === 0)
  assert.is((await statsOf(day))?.nextAt, undefined)
})

stats(
  'count calls, offline messages and replies of the day by their content, for each account separately',
  async () => {
    const times = [
      new Date('2026-01-30T23:59:59.999Z'),
      new Date('2026-01-31T00:00:00.000Z'),
      new Date('2026-01-31T23:59:59.999Z'),
      new Date('2026-02-01T00:00:00.000Z'),
    ]
    const put = (view: ViewName, ...all: ReadonlyArray<(time: Date) => object>) => {
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
    assert.equal(found.day.calls, {
      total: 6,
      byType: { callback: 4, incoming: 2, outgoing: 0 },
      byOutcome: { ended: 2, failed: 2, open: 2 },
    })
    assert.is(found.day.offlineMessages, 2)
    assert.equal(found.day.replies, { delivered: 2, failed: 0, suppressed: 2 })
  },
)

stats('are marked again when a slice is repeated, since the first mark may be missing', async () => {
  await crashing(changes(message(1))).catch(crash)
  assert.is(await due(), 0)
  await one.applyChanges(changes(message(1)))
  one.statsRefresher.start()
  await one.statsRefresher.settled()
  assert.is((await statsOf(day))?.offlineMessages, 1)
})

stats('of all sessions of a chain are marked again when their slice is repeated', async () => {
  const chat = { chat: { messages: [], blacklisted: false } }
  const slice = changes(
    anEvent('ChatAccepted', 'e1', at('10:00:00')),
    anEvent('ChatFinished', 'e2', at('11:00:00'), chat),
    anEvent('ChatAccepted', 'e3', '2026-02-02T09:00:00.000Z'),
    anEvent('ChatFinished', 'e4', '2026-02-02T10:00:00.000Z', chat),
    anEvent('ChatAccepted', 'e5', '2026-02-04T09:00:00.000Z'),
  )
  await crashing(slice).catch(crash)
  await one.applyChanges(slice)
  const days = (await readDue(db)).map(({ _id }) => _id)
  assert.equal(days.sort(), [day, 'acme/2026-02-02', 'acme/2026-02-04'])
})

/** A refresher that has computed a day. It writes the result when the test calls the returned function. */
const holding = async () => {
  const [read] = await readDue(db)
  assert.ok(read)
  const hasRead = Promise.withResolvers<void>()
  const goesOn = Promise.withResolvers<void>()
  const over = computeDayIn(db, utc, async () => {
    const statistics = await computed()
    hasRead.resolve()
    await goesOn.promise
    return statistics
  })(read)
  await hasRead.promise
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
  assert.is(await due(), 0)
})

stats('of an older computation are replaced, and it clears no newer mark', async () => {
  await one.applyChanges(changes(message(1)))
  const older = await holding()
  await one.applyChanges(changes(message(1), message(2)))
  const newer = await holding()
  await older()
  assert.is(await due(), 1)
  await newer()
  assert.equal([(await statsOf(day))?.offlineMessages, await due()], [2, 0])
})

stats('of a day without any documents are removed by a rebuild', async () => {
  await db.collection('daily_stats').insertOne({ _id: day as never, offlineMessages: 99 })
  await recomputeDays(db, utc, [day], () => {})
  assert.is(await statsOf(day), null)
})

/** The database, where something happens directly before the statistics of a day are written. */
const before = (happens: () => Promise<unknown>): typeof db => {
  const collection = (name: string) => {
    const own = db.collection(name)
    if (name !== 'daily_stats_by') return own
    const deleteMany = async (filter: object) => {
      await happens()
      return own.deleteMany(filter)
    }
    return Object.assign(Object.create(own), { deleteMany })
  }
  return Object.assign(Object.create(db), { collection })
}

stats(
  'of a day without any documents stay away if a rebuild removes them while a refresher computes that day',
  async () => {
    await db.collection('daily_stats').insertOne({ _id: day as never, offlineMessages: 99 })
    await markDays(db, [day])
    const [read] = await readDue(db)
    assert.ok(read)
    await computeDayIn(
      before(() => recomputeDays(db, utc, [day], () => {})),
      utc,
    )(read)
    assert.equal([await statsOf(day), await due()], [null, 0])
  },
)

stats('of a day that has lost its documents are zeros until a rebuild removes them', async () => {
  await one.applyChanges(changes(message(1)))
  for (const each of await readDue(db)) await computeDayIn(db, utc)(each)
  await db.collection('offline_messages').deleteMany({})
  await markDays(db, [day])
  for (const each of await readDue(db)) await computeDayIn(db, utc)(each)
  assert.equal([(await statsOf(day))?.offlineMessages, await due()], [0, 0])
})

stats('by agent, widget and bot are also removed by a rebuild if their day has no documents', async () => {
  const rows = db.collection<{ _id: string; [field: string]: unknown }>('daily_stats_by')
  await rows.insertOne({
    _id: `${day}/agent/a1`,
    accountId: 'acme',
    day: '2026-01-31',
  })
  assert.equal(await allDays(db, utc), [day])
  await recomputeDays(db, utc, [day], () => {})
  assert.equal([await rows.countDocuments(), await statsOf(day)], [0, null])
})

stats('have flat views, which never replace a collection of another owner', async () => {
  await db.createCollection('analytics_sessions')
  const refused = await ensureFlatViews(db).catch((error: unknown) => classify(error).reason)
  assert.match(String(refused), /analytics_sessions is a collection that the bridge did not create/)
  assert.is(await db.dropCollection('analytics_sessions'), true)
})

stats('of a day that never had documents are not created', async () => {
  await markDays(db, [day])
  one.statsRefresher.start()
  await one.statsRefresher.settled()
  assert.is(await statsOf(day), null)
})

stats('are correct in the end when several processes refresh at full speed while documents change', async () => {
  const compute = computeDayIn(db, utc)
  let writing = true
  const refreshing = Array.from({ length: 4 }, async () => {
    while (writing) for (const each of await readDue(db)) await compute(each)
  })
  for (let i = 0; i < 60; i++) await (i % 2 === 0 ? one : two).applyChanges(changes(message(i)))
  writing = false
  await Promise.all(refreshing)
  one.statsRefresher.start()
  await one.statsRefresher.settled()
  assert.is((await statsOf(day))?.offlineMessages, 60)
})

stats('are computed by the next instance that starts if the refresher died during its work', async () => {
  await one.applyChanges(changes(message(1)))
  await readDue(db)
  await computed()
  two.statsRefresher.start()
  await eventually('the day to be computed', async () => (await statsOf(day))?.offlineMessages === 1)
})

stats.after(drop)
stats.run()
