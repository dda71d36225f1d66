import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findOf } from '../../../src/bridge/mongo/source.ts'
import { readingWith } from '../../../src/console/backend.ts'
import { actionsOf, audit } from '../../../src/console/pages/audit/page.ts'
import {
  type ConversationFilters,
  type ConversationSort,
  sessionsInOrder,
} from '../../../src/console/pages/conversations/page.ts'
import { right } from '../../support/either.ts'
import { testDatabase } from '../../support/mongo.ts'
import { given } from '../given-request.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()
await mongo.ensureIndexes()

const now = new Date('2026-03-01T12:00:00Z')
const count = 4_000
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)

/** One session every ten minutes. Each filter finds few sessions, and none of these is among the newest. */
const session = (n: number) => {
  const kind = n % 40 === 39 ? 'agent' : 'bot'
  const isOpen = n % 400 === 200 || n % 400 === 239
  const startedAt = minutesAgo(10 * n)
  return {
    _id: `acme/${n}/${kind}/1`,
    accountId: 'acme',
    chatId: String(n),
    clientId: `c${n}`,
    kind,
    number: 1,
    startedAt,
    channelId: `w${n % 50}`,
    agents: kind === 'agent' ? [{ id: `a${n % 9}` }] : [],
    ...(kind === 'agent'
      ? { outcome: isOpen ? 'open' : 'finished', ...(!isOpen && { endsAt: startedAt }) }
      : { outcome: n % 60 === 58 ? 'abandoned' : 'contained', endsAt: isOpen ? minutesAgo(-60) : startedAt }),
    ...(isOpen && kind === 'bot' && { awaitingSince: startedAt }),
    ...(n % 70 === 69 && { repliesFailed: 1 }),
  }
}
const all = Array.from({ length: count }, (_, n) => session(n))
await db.collection<{ _id: string }>('sessions').insertMany([
  ...all,
  // The same sessions of another account. They must not be in any answer.
  ...all.map((one) => ({ ...one, _id: `b${one._id}`, accountId: 'globex' })),
])

type Stage = { readonly stage: string; readonly inputStage?: Stage; readonly inputStages?: ReadonlyArray<Stage> }
const stagesOf = ({ stage, inputStage, inputStages = [] }: Stage): ReadonlyArray<string> => [
  stage,
  ...[...(inputStage ? [inputStage] : []), ...inputStages].flatMap(stagesOf),
]

const limit = 5
const explained = async (
  filters: ConversationFilters,
  after?: { readonly at: Date; readonly ids: string[] },
  sort: Exclude<ConversationSort, 'longest'> = 'newest',
) => {
  const { where, options } = findOf(
    sessionsInOrder('acme', { filters, sort, limit: limit + 1, ...(after && { after }) }, now),
  )
  const { executionStats } = await db
    .collection<{ _id: string }>('sessions')
    .find(where, options)
    .explain('executionStats')
  return {
    stages: stagesOf(executionStats.executionStages),
    examined: Number(executionStats.totalDocsExamined),
    found: Number(executionStats.nReturned),
  }
}

const indexes = suite('queries of the console')

const ordered: Readonly<Record<string, ConversationFilters>> = {
  nothing: {},
  outcome: { outcome: 'abandoned' },
  kind: { kind: 'agent' },
  agent: { agent: 'a3' },
  widget: { widget: 'w7' },
  failed: { failed: true },
  unanswered: { unanswered: true },
  day: { span: { from: minutesAgo(20_000), to: minutesAgo(18_560) } },
  over: { state: 'over' },
  id: { id: '2037' },
}
for (const [name, filters] of Object.entries(ordered))
  for (const page of ['first', 'later'] as const)
    indexes(`the ${page} page by ${name} reads only what it shows, in the order of an index`, async () => {
      const after = { at: minutesAgo(10 * 1_500), ids: ['acme/1500/bot/1'] }
      const { stages, examined, found } = await explained(filters, page === 'first' ? undefined : after)
      assert.ok(stages.includes('IXSCAN'), stages.join())
      assert.not.ok(stages.includes('SORT') || stages.includes('COLLSCAN'), stages.join())
      if (name !== 'id') assert.is(found, limit + 1)
      assert.ok(examined <= found + 2, `${examined} documents for ${found}`)
    })

indexes('the oldest sessions are read in the order of the same indexes', async () => {
  const after = { at: minutesAgo(10 * 1_500), ids: ['acme/1500/bot/1'] }
  for (const filters of [{}, { outcome: 'abandoned' }, { failed: true }] as const)
    for (const page of [undefined, after]) {
      const { stages, examined, found } = await explained(filters, page, 'oldest')
      assert.not.ok(stages.includes('SORT') || stages.includes('COLLSCAN'), stages.join())
      assert.is(found, limit + 1)
      assert.ok(examined <= found + 2, `${examined} documents for ${found}`)
    }
})

for (const [name, filters, sort] of [
  ['open', { state: 'open' }, 'newest'],
  ['waiting', { state: 'open', unanswered: true }, 'newest'],
  ['waiting, the longest first,', { state: 'open', unanswered: true }, 'waits'],
] satisfies ReadonlyArray<[string, ConversationFilters, ConversationSort]>)
  indexes(`${name} reads the sessions that are open now, and no others`, async () => {
    const open = all.filter(({ outcome, endsAt }) => outcome === 'open' || (endsAt ?? now) > now)
    assert.is(open.length, 20)
    const { stages, examined, found } = await explained(filters, undefined, sort)
    assert.not.ok(stages.includes('COLLSCAN'), stages.join())
    assert.is(found, limit + 1)
    assert.ok(examined <= open.length, `${examined} documents of ${open.length}`)
  })

indexes('two filters together read only the results of the rarer one', async () => {
  const { stages, examined } = await explained({ outcome: 'abandoned', widget: 'w8' })
  assert.not.ok(stages.includes('COLLSCAN'), stages.join())
  assert.ok(examined <= count / 50, `${examined} documents`)
})

const actions = Array.from({ length: count }, (_, n) => ({
  _id: `a${String(n).padStart(5, '0')}`,
  action: n % 50 === 8 ? 'erase' : 'unmask',
  who: n % 40 === 6 || n % 40 === 13 ? 'kim@desk' : 'lee@desk',
  at: minutesAgo(n - (n % 2)),
  detail: `find person, email, found client:${n} chats:1`,
  ...(n % 10 !== 3 && { accountId: n % 2 === 0 ? 'acme' : 'globex' }),
}))
await db.collection<{ _id: string }>('audit').insertMany(actions)

for (const [name, asked] of Object.entries({
  'of all actions': {},
  'of one action': { action: 'erase' },
  'of one person': { who: ['kim@desk'] },
  'of two persons': { who: ['kim@desk', 'lee@desk'] },
  'of some days': { from: minutesAgo(2_000), to: minutesAgo(1_000) },
  'of a person in some days': { who: ['kim@desk'], from: minutesAgo(2_000), to: minutesAgo(1_000) },
  'after another page': { after: { at: minutesAgo(2_000), _id: 'a02001' } },
  'of a person, after another page of some days': {
    who: ['kim@desk'],
    from: minutesAgo(3_500),
    to: minutesAgo(500),
    after: { at: minutesAgo(2_000), _id: 'a02001' },
  },
} satisfies Record<string, Partial<Parameters<typeof actionsOf>[1]>>))
  indexes(`a page of the audit log ${name} reads only what it shows, in the order of an index`, async () => {
    const { where, options } = findOf(actionsOf('acme', { limit, ...asked }))
    const found = await db.collection<{ _id: string }>('audit').find(where, options).toArray()
    const { executionStats } = await db
      .collection<{ _id: string }>('audit')
      .find(where, options)
      .explain('executionStats')
    const stages = stagesOf(executionStats.executionStages)

    assert.ok(stages.includes('IXSCAN'), stages.join())
    assert.not.ok(stages.includes('SORT') || stages.includes('COLLSCAN'), stages.join())
    assert.ok(executionStats.totalDocsExamined <= limit + 3, `${executionStats.totalDocsExamined} documents`)
    assert.ok(found.length > 0)
    const { action, who, from, to, after }: Partial<Parameters<typeof actionsOf>[1]> = asked
    const isMeant = (one: (typeof actions)[number]) =>
      one.accountId !== 'globex' &&
      (action === undefined || one.action === action) &&
      (who === undefined || who.includes(one.who)) &&
      (from === undefined || one.at >= from) &&
      (to === undefined || one.at < to)
    const isAfter = ({ at, _id }: (typeof actions)[number]) =>
      after === undefined || at < after.at || (at.getTime() === after.at.getTime() && _id < after._id)
    const newest = actions.filter((one) => isMeant(one) && isAfter(one))
    newest.sort((a, b) => b.at.getTime() - a.at.getTime() || (a._id < b._id ? 1 : -1))
    assert.equal(
      found.map(({ _id }) => _id),
      newest.slice(0, limit).map(({ _id }) => _id),
    )
  })

const auditHandlers = audit.handlers({ timeZoneOf: () => 'UTC', read: readingWith(mongo.query) })

for (const [name, asked, isMeant] of [
  ['a part of a name, in any case', { who: 'KIM' }, (n: number) => n % 40 === 6 || n % 40 === 13],
  ['a whole id', { about: '17' }, (n: number) => n === 17],
  ['a name and an id', { who: 'lee', about: '17' }, (n: number) => n === 17],
  ['nobody', { who: 'k.m' }, () => false],
] as const)
  indexes(`the audit log is found by ${name}`, async () => {
    const query = String(new URLSearchParams({ limit: '200', ...asked }))
    const request = given({ accountId: 'globex', query })
    const { body } = right(await auditHandlers['GET /api/accounts/:account/audit'](request))
    const ofGlobex = actions.filter(({ accountId }) => accountId !== 'acme')
    assert.equal(
      body.rows.map(({ _id }) => _id).toSorted(),
      ofGlobex.filter(({ _id }) => isMeant(Number(_id.slice(1)))).map(({ _id }) => _id),
    )
  })

indexes.after(drop)
indexes.run()
