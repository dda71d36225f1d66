import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findLinksIn, linkQueries } from '../../../src/bridge/mongo/persons.ts'
import { markerTypes } from '../../../src/bridge/mongo/silent-persons.ts'
import type { ViewName } from '../../../src/bridge/views/index.ts'
import { testDatabase } from '../../support/mongo.ts'

const { db, connect, drop } = await testDatabase()
const { ensureIndexes } = connect()

const questions = suite("analysts' queries")

questions('have their indexes, which can be created again, and keep those of others', async () => {
  await ensureIndexes()
  const own = { key: { accountId: 1, 'data.status': 1 }, name: 'ours' } as const
  await db.collection('timeline').createIndexes([own])
  await ensureIndexes()
  const names = await db.collection('timeline').indexes()
  assert.equal(
    names.map(({ name }) => name),
    [
      '_id_',
      'accountId_1_chatId_1_time_1_offset_1',
      'accountId_1_time_1',
      'accountId_1_clientId_1_time_1',
      'accountId_1_data.erasureId_1',
      'ours',
    ],
  )
})

const [from, to] = [new Date('2026-01-31'), new Date('2026-02-01')]
const asked: ReadonlyArray<readonly [ViewName, object]> = [
  ['chats', { accountId: 'acme', 'visitor.email': 'a@example.com' }],
  ['chats', { accountId: 'acme', acceptedAt: { $gte: from, $lt: to } }],
  ['calls', { accountId: 'acme', phone: '+15550100' }],
  ['conversations', { accountId: 'acme', awaitingReplySince: { $lt: from } }],
  ['timeline', { accountId: 'acme', chatId: '2037' }],
  ['timeline', { accountId: 'acme', type: { $in: markerTypes }, 'data.erasureId': 'e1' }],
  ['deliveries', { accountId: 'acme', state: 'failed' }],
]
for (const [view, question] of asked) {
  questions(`to ${view} about ${Object.keys(question).at(-1)} are answered from an index`, async () => {
    await ensureIndexes()
    const plan = JSON.stringify(
      (await db.collection(view).find(question).explain('queryPlanner')).queryPlanner.winningPlan,
    )
    assert.ok(plan.includes('IXSCAN') && !plan.includes('COLLSCAN'), plan)
  })
}

const kinds = ['chat', 'client', 'visitor', 'email', 'phone', 'userToken'] as const
for (const kind of kinds) {
  questions(`for a person by ${kind} are answered from an index in every view`, async () => {
    await ensureIndexes()
    for (const { view, conditions, options } of linkQueries('acme', [{ kind, value: '14085550123' }], 'ending alike')) {
      for (const where of conditions) {
        const { queryPlanner } = await db.collection<{ _id: string }>(view).find(where, options).explain('queryPlanner')
        // In an empty collection the planner may choose any of the suitable indexes.
        const plans = JSON.stringify([queryPlanner.winningPlan, queryPlanner.rejectedPlans])
        const { _id, accountId, ...others } = where as Record<string, unknown>
        const key = `"keyPattern":{[^}]*"${Object.keys(others)[0] ?? '_id'}"`
        assert.match(plans, new RegExp(`${key}|"IDHACK"`))
      }
    }
  })
}

questions('for a person by an address ignore its case, and find persons of that account only', async () => {
  const client = (accountId: string, clientId: string) => ({
    _id: `${accountId}/${clientId}`,
    accountId,
    clientId,
    visitor: { email: 'Mary@Example.com' },
  })
  await db.collection<{ _id: string }>('clients').insertMany([client('acme', '1'), client('Acme', '2')])
  assert.equal(await findLinksIn(db, 'acme', async () => [])([{ kind: 'email', value: 'mary@example.com' }]), [
    [
      { kind: 'client', value: '1' },
      { kind: 'email', value: 'Mary@Example.com' },
    ],
  ])
})

questions(
  'for a person by a typed phone number find all that end alike, in any form, and a short one as a whole',
  async () => {
    const stored = [
      ...['+1 (408) 555-0123', '14085550123', '408-555-0123', '+44 20 5501 23', '+1 408 555 01234', '0101 23', 'none'],
      ...['(00)1-23'],
    ]
    const call = (phone: string, i: number) => ({
      _id: `acme/call-${i}`,
      accountId: 'acme',
      chatId: `call-${i}`,
      phone,
    })
    await db.collection<{ _id: string }>('calls').insertMany(stored.map(call))
    const find = findLinksIn(db, 'acme', async () => [])
    const found = async (value: string, ...how: 'ending alike'[]) =>
      (await find([{ kind: 'phone', value }], ...how))
        .map((each) => each.find(({ kind }) => kind === 'phone')?.value)
        .sort()
    const alike = ['+1 (408) 555-0123', '+44 20 5501 23', '14085550123', '408-555-0123']
    assert.equal(await found('+1 408 555 01 23', 'ending alike'), alike)
    assert.equal(await found('550123', 'ending alike'), alike)
    assert.equal(await found('123', 'ending alike'), ['(00)1-23'])
    assert.equal(await found('none', 'ending alike'), ['none'])
    assert.equal(await found('14085550123'), ['14085550123'])
  },
)

questions.after(drop)
questions.run()
