import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnySource, readIn } from '../../../src/bridge/mongo/source.ts'
import { readingFitting, readingWith } from '../../../src/console/backend.ts'
import { versionsWith } from '../../../src/console/pages/conversations/live.ts'
import { storyWith } from '../../../src/console/pages/conversations/story.ts'
import { entries } from '../../../src/console/pages/drift/page.ts'
import { sourcesOfNow } from '../../../src/console/pages/now/page.ts'
import { statsBy, statsOfDays } from '../../../src/console/pages/statistics/page.ts'
import { right } from '../../support/either.ts'
import { testDatabase } from '../../support/mongo.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()
await mongo.ensureIndexes()
const readSource = readingWith(mongo.query)
const readStory = storyWith({ read: readSource, readFitting: readingFitting(mongo.query) })
const readVersions = versionsWith(readSource)
const read = mongo.query(readIn)

const now = new Date('2026-03-01T12:00:00Z')
const at = (n: number) => new Date(now.getTime() - n * 60_000)
const count = 1_000
const of = (n: number) => ({ accountId: n % 2 === 0 ? 'acme' : 'globex', chatId: String(n % 100) })
const put = (view: string, one: (n: number) => object) =>
  db.collection<{ _id: string }>(view).insertMany(Array.from({ length: count }, (_, n) => ({ _id: `${n}`, ...one(n) })))

await put('chats', (n) => ({
  _id: `acme/${n}`,
  ...of(n),
  state: n % 9 === 0 ? 'open' : 'finished',
  lastEventAt: at(n),
}))
await put('conversations', (n) => ({
  _id: `acme/${n}`,
  ...of(n),
  state: ['bot', 'agent', 'closed'][n % 3],
  lastEventAt: at(n),
  ...(n % 50 === 0 && { awaitingReplySince: at(n) }),
}))
await put('sessions', (n) => ({ ...of(n), applied: {}, startedAt: at(n) }))
await put('deliveries', (n) => ({ ...of(n), applied: {}, requestedAt: at(n) }))
await put('timeline', (n) => ({ ...of(n), time: at(n), offset: n }))
const day = (n: number) => new Date(n * 24 * 3_600_000).toISOString().slice(0, 10)
await put('daily_stats', (n) => ({ ...of(n), day: day(n) }))
await put('daily_stats_by', (n) => ({ ...of(n), by: 'agent', id: `a${n % 7}`, day: day(n) }))
await put('drift', (n) => ({
  _id: `${of(n).accountId}/unknown-field/${n}`,
  ...of(n),
  kind: 'unknown-field',
  lastAt: at(n),
}))

type Profiled = {
  readonly ns: string
  readonly planSummary: string
  readonly docsExamined: number
  readonly keysExamined: number
  readonly hasSortStage?: boolean
}

/** What MongoDB has done for some questions, each as `timeline: IXSCAN, 20 documents`. */
const profiled = async (ask: () => Promise<unknown>) => {
  await db.command({ profile: 2 })
  await ask()
  await db.command({ profile: 0 })
  const profile = db.collection<Profiled>('system.profile')
  const found = await profile.find({ op: { $in: ['query', 'command'] }, planSummary: { $exists: true } }).toArray()
  await profile.drop()
  return found.map(({ ns, planSummary, docsExamined, hasSortStage }) => ({
    view: ns.slice(ns.indexOf('.') + 1),
    plan: `${planSummary.split(' ')[0]}${hasSortStage ? ' and a sort' : ''}`,
    docsExamined,
  }))
}
const inOrder = (all: Awaited<ReturnType<typeof profiled>>) => all.sort((a, b) => (a.view < b.view ? -1 : 1))

const profile = suite('the work of MongoDB for the console')

profile('a story is read by its chat, in the order of an index', async () => {
  const asked = await profiled(async () => right(await readStory({ accountId: 'acme', chatId: '4' })))
  assert.equal(inOrder(asked), [
    { view: 'chats', plan: 'IDHACK', docsExamined: 1 },
    { view: 'conversations', plan: 'IDHACK', docsExamined: 1 },
    ...['deliveries', 'sessions', 'timeline'].map((view) => ({ view, plan: 'IXSCAN', docsExamined: 10 })),
  ])
})

profile('a version reads no entry of timeline, and only the documents of the chat from other views', async () => {
  const asked = await profiled(async () => right(await readVersions([{ accountId: 'acme', chatId: '4' }])))
  assert.equal(inOrder(asked), [
    { view: 'chats', plan: 'IXSCAN', docsExamined: 1 },
    { view: 'conversations', plan: 'IXSCAN', docsExamined: 1 },
    { view: 'deliveries', plan: 'IXSCAN', docsExamined: 10 },
    { view: 'sessions', plan: 'IXSCAN', docsExamined: 10 },
    { view: 'timeline', plan: 'IXSCAN', docsExamined: 0 },
  ])
})

profile('the figures of Now are counted from indexes; only the documents of waiting clients are read', async () => {
  const span = { from: at(300), to: at(1) }
  const questions = sourcesOfNow('acme', { since: at(300), today: 'acme/2026-03-01', spans: [span, span], most: 5 })
  const asked = await profiled(() =>
    Promise.all(Object.values(questions).map(async (source: AnySource) => right(await read(source)))),
  )
  for (const { view, plan, docsExamined } of asked) {
    // Only the few who wait for an agent are sorted.
    assert.ok(['IXSCAN', 'IXSCAN and a sort', 'COUNT_SCAN', 'IDHACK'].includes(plan), `${view}: ${plan}`)
    assert.ok(docsExamined <= 20, `${view}: ${docsExamined} documents`)
  }
  assert.is(asked.length, 11)
})

profile('statistics and drift are read by their keys', async () => {
  const span = { from: day(100), to: day(119), limit: 5_000 }
  const asked = await profiled(async () => {
    right(await read(statsOfDays('acme', span)))
    right(await read(statsBy('acme', 'agent', span)))
    right(await read(statsBy('acme', 'agent', { ...span, id: 'a3' })))
    right(await read(entries('acme', { skip: 0, limit: 20 })))
  })
  assert.equal(
    asked.map(({ view, plan }) => `${view}: ${plan}`),
    ['daily_stats: IXSCAN', 'daily_stats_by: IXSCAN', 'daily_stats_by: IXSCAN', 'drift: IXSCAN and a sort'],
  )
  // The entries of drift are sorted, all those of the account and of no other: it has at most 1,000.
  for (const { view, docsExamined } of asked)
    assert.ok(docsExamined <= (view === 'drift' ? count / 2 : 20), `${view}: ${docsExamined} documents`)
})

profile.after(drop)
profile.run()
