import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AuditDocument } from '../../contracts/views/audit.ts'
import { ErasureDocument } from '../../contracts/views/erasure.ts'
import type { AuditAnswer, ErasureAnswer, ErasuresAnswer } from '../../src/console/answers.ts'
import { auditHandlers } from '../../src/console/api/audit.ts'
import { erasuresHandlers } from '../../src/console/api/erasures.ts'
import type { IncomingRecord } from '../../src/domain/ports.ts'
import type { ReadTopic } from '../../src/kafka/read-topic.ts'
import type { AuditAsked } from '../../src/mongo/console-privacy.ts'
import { givenErasures } from '../operations/erase/given-erasures.ts'
import { topicOf } from '../operations/redrive/given-letters.ts'
import { right } from '../support/either.ts'
import { given } from './given-request.ts'

const day = (n: number) => new Date(Date.UTC(2026, 0, n))

const audit = suite('the audit log in the console')
const route = 'GET /api/accounts/:account/audit'

const actionOn = (n: number) =>
  right(
    AuditDocument.decode({
      _id: `a${n}`,
      action: 'erase',
      who: 'kim',
      at: day(n),
      detail: 'erase, chat 1',
      accountId: 'acme',
    }),
  )

/** The audit view in memory, newest first. */
const view = () => {
  const asked: AuditAsked[] = []
  const readAudit = async (_: string, question: AuditAsked) => {
    asked.push(question)
    const older = [3, 2, 1].map(actionOn).filter(({ at }) => question.after === undefined || at < question.after.at)
    return E.right(older.slice(0, question.limit))
  }
  const ask = async (query: string) =>
    (
      right(await auditHandlers({ mongoQuery: () => readAudit as never })[route](given({ query }))) as {
        body: AuditAnswer
      }
    ).body
  return { asked, ask }
}

audit('has the names of the operators, page after page', async () => {
  const { ask } = view()
  const first = await ask('limit=2')
  const second = await ask(`limit=2&cursor=${first.next}`)
  assert.equal(first.rows[0], {
    _id: 'a3',
    action: 'erase',
    who: 'kim',
    at: '2026-01-03T00:00:00.000Z',
    detail: 'erase, chat 1',
    accountId: 'acme',
  })
  assert.equal(
    [first, second].map(({ rows }) => rows.map(({ _id }) => _id)),
    [['a3', 'a2'], ['a1']],
  )
  assert.is(second.next, undefined)
})

audit('is filtered by action; a wrong query is refused by its field', async () => {
  const { ask, asked } = view()
  await ask('action=unmask')
  assert.equal(asked, [{ action: 'unmask', limit: 51 }])
  const refused = async (query: string) => {
    const answered = await auditHandlers({ mongoQuery: () => assert.unreachable() as never })[route](given({ query }))
    return E.isLeft(answered) && answered.left.message
  }
  assert.equal(
    [await refused('action=look'), await refused('cursor=x')],
    [
      'action: expected one of rebuild, redrive, erase, export, replay, rewrap, unmask, sign-in, topics',
      'cursor: expected the `next` of an earlier answer',
    ],
  )
})

audit.run()

const receipts = suite('receipts in the console')

const receipt = (_id: string, more: object = {}) =>
  right(
    ErasureDocument.decode({
      _id,
      accountId: 'acme',
      state: 'started',
      requestedBy: 'kim',
      requestedAt: day(1),
      request: 'hash',
      keys: ['hash'],
      markers: 5,
      found: { chats: 1 },
      remains: [{ where: 'event topics', until: 'later' }],
      plan: { chats: ['2037'], clients: [], enrichments: ['acme/email:ann@example.com'] },
      ...more,
    }),
  )
const confirmation = (erasureId: string, group: string, accountId = 'acme'): IncomingRecord => ({
  topic: 'erasure-confirmations',
  partition: 0,
  offset: 0,
  timestamp: 0,
  key: null,
  headers: {},
  value: Buffer.from(JSON.stringify({ accountId, erasureId, group, erasedAt: day(2).toISOString() })),
})

/** MongoDB and Kafka in memory. `saved`: the receipts that were saved. */
const handlersOf = (all: ReadonlyArray<ErasureDocument>, topic: ReadonlyArray<IncomingRecord>, saved: object[] = []) =>
  erasuresHandlers({
    kafka: {
      readTopic: ((name, ...rest) =>
        topicOf(name === 'erasure-confirmations' ? topic : [])(name, ...rest)) satisfies ReadTopic,
      ranges: async () => new Map(),
      committedOffsets: async () => new Map(),
      deadLetter: () => async () => E.right(undefined),
    },
    erasures: givenErasures([], {
      find: async ({ _id }) => all.filter((each) => each._id === _id),
      hmac: async () => String,
      save: async (each) => void saved.push(each),
    }).erasures,
    mongoQuery: () => async () => E.right(all),
    recordActionOf: () => async () => E.right(undefined),
  } as unknown as Parameters<typeof erasuresHandlers>[0])

receipts('are checked at once when a person asks for it, one of the account at a time', async () => {
  const saved: object[] = []
  const all = [
    receipt('e1', { state: 'published', markers: 0, ticket: 'GDPR-117' }),
    receipt('e2', { accountId: 'other' }),
  ]
  const handlers = handlersOf(all, [confirmation('e1', 'crm')], saved)
  const check = (id: string) => handlers['POST /api/accounts/:account/erasures/check'](given({ body: { id } }))

  const answered = right(await check('e1')) as { body: ErasureAnswer }

  const { receipt: checked, confirmedBy } = answered.body
  assert.equal([checked.state, checked.ticket, checked.stillFound, confirmedBy], ['complete', 'GDPR-117', {}, ['crm']])
  assert.equal([saved.length, 'plan' in checked], [1, false])
  for (const id of ['e2', 'e3']) {
    const refused = await check(id)
    assert.ok(E.isLeft(refused) && refused.left.status === 404, id)
  }
  assert.is(saved.length, 1)
})

receipts('name the groups that have confirmed by now or at the last check, and not the person', async () => {
  const all = [receipt('e1', { confirmedBy: ['crm', 'old'] }), receipt('e2')]
  const topic = [confirmation('e1', 'crm'), confirmation('e1', 'shop'), confirmation('e2', 'crm', 'other')]
  const handlers = handlersOf(all, topic)

  const answered = right(await handlers['GET /api/accounts/:account/erasures'](given())) as { body: ErasuresAnswer }

  const { cut, erasures } = answered.body
  assert.equal([cut, erasures.map(({ confirmedBy }) => confirmedBy)], [false, [['crm', 'old', 'shop'], []]])
  assert.equal(Object.keys(erasures[0]?.receipt ?? {}).sort(), [
    '_id',
    'accountId',
    'found',
    'markers',
    'remains',
    'requestedAt',
    'requestedBy',
    'state',
  ])
  assert.not.match(JSON.stringify(erasures), /2037|ann|hash/)
})

receipts.run()
