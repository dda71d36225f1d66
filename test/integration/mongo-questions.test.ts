import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ViewName } from '../../contracts/views.ts'
import { testDatabase } from '../support/mongo.ts'

const { db, connect, drop } = await testDatabase()
const { ensureIndexes } = connect()

const questions = suite("analysts' questions")

questions('have their indexes, which can be made again', async () => {
  await ensureIndexes()
  await ensureIndexes()
  const names = await db.collection('timeline').indexes()
  assert.equal(
    names.map(({ name }) => name),
    [
      '_id_',
      'accountId_1_chatId_1_time_1_offset_1',
      'accountId_1_time_1',
      'accountId_1_type_1_time_1',
      'accountId_1_clientId_1_time_1',
    ],
  )
})

const [from, to] = [new Date('2026-01-31'), new Date('2026-02-01')]
const asked: ReadonlyArray<readonly [ViewName, object]> = [
  ['chats', { accountId: 'acme', 'visitor.email': 'a@example.com' }],
  ['chats', { accountId: 'acme', 'agents.id': 'a1' }],
  [
    'chats',
    {
      $or: [
        { accountId: 'acme', acceptedAt: { $gte: from, $lt: to } },
        { accountId: 'acme', finishedAt: { $gte: from, $lt: to } },
      ],
    },
  ],
  ['calls', { accountId: 'acme', phone: '+15550100' }],
  ['conversations', { accountId: 'acme', awaitingReplySince: { $lt: from } }],
  ['timeline', { accountId: 'acme', chatId: '2037' }],
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

questions.after(drop)
questions.run()
