import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AuditDocument } from '../../contracts/views/audit.ts'
import { ErasureDocument } from '../../contracts/views/erasure.ts'
import type { IncomingRecord } from '../../src/bridge/domain/log/record.ts'
import type { ReadTopic } from '../../src/bridge/kafka/read-topic.ts'
import type { Find, Source } from '../../src/bridge/mongo/source.ts'
import { audit as auditPage } from '../../src/console/pages/audit/page.ts'
import { type ErasureAnswer, type ErasuresAnswer, erasures } from '../../src/console/pages/privacy/erasures.ts'
import { topicOf } from '../bridge/operations/redrive/given-letters.ts'
import { givenErasures } from '../bridge/privacy/erase/given-erasures.ts'
import { left, right } from '../support/either.ts'
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
      command: 'erase',
      options: [{ name: 'chat', value: '1' }],
      accountId: 'acme',
    }),
  )

type Where = { readonly $or?: ReadonlyArray<{ readonly at?: { readonly $lt: Date } }> }
type Asked = Omit<Find<AuditDocument>, 'where'> & { readonly where: Where }

/** The audit view in memory, newest first, and the queries of it. The only name in it is kim. */
const view = (documents = [3, 2, 1].map(actionOn)) => {
  const asked: Asked[] = []
  const read = async (source: Source<never>): Promise<E.Either<never, never>> => {
    if ('stages' in source) return E.right([{ _id: 'kim' }] as never)
    const query = source as unknown as Asked
    asked.push(query)
    const before = query.where.$or?.[0]?.at?.$lt
    const older = documents.filter(({ at }) => before === undefined || at < before)
    return E.right(older.slice(0, query.limit) as never)
  }
  const handlers = auditPage.handlers({ timeZoneOf: () => 'Europe/Berlin', read: read as never })
  const ask = async (query: string) => right(await handlers[route](given({ query }))).body
  return { asked, ask, handlers }
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
    command: 'erase',
    options: [{ name: 'chat', value: '1' }],
    accountId: 'acme',
  })
  assert.equal(
    [first, second].map(({ rows }) => rows.map(({ _id }) => _id)),
    [['a3', 'a2'], ['a1']],
  )
  assert.is(second.next, undefined)
})

for (const [query, where] of [
  ['action=unmask', { action: 'unmask' }],
  ['who=KI', { who: { $in: ['kim'] } }],
  ['who=lee', { who: { $in: [] } }],
  ['about=1701', { detail: { $regex: '(?<![\\w@.-])1701(?![\\w@.-])' } }],
  ['from=2026-01-02', { at: { $gte: new Date('2026-01-01T23:00:00Z') } }],
  ['to=2026-01-02', { at: { $lt: new Date('2026-01-02T23:00:00Z') } }],
  [
    'from=2026-07-02&to=2026-07-02T12:30&who=kim&action=erase',
    {
      action: 'erase',
      who: { $in: ['kim'] },
      at: { $gte: new Date('2026-07-01T22:00:00Z'), $lt: new Date('2026-07-02T10:30:00Z') },
    },
  ],
] as const)
  audit(`is filtered by ${query}, with days of the account’s time zone`, async () => {
    const { ask, asked } = view()
    await ask(query)
    assert.equal(
      asked.map(({ where: found, limit }) => [found, limit]),
      [[{ accountId: { $in: ['acme', null] }, ...where }, 51]],
    )
  })

for (const [query, message] of [
  ['action=look', 'action: expected one of rebuild, redrive, erase, export, replay, rewrap, unmask, sign-in, topics'],
  ['cursor=x', 'cursor: expected the `next` of an earlier answer'],
  ['from=2026-01-02&to=2026-01-01', 'from, to: expected a time, and a later one'],
  ['from=yesterday', 'from: expected a day, or a day and a time such as 2026-01-31T17:05'],
] as const)
  audit(`refuses ${query}, as a list and as a spreadsheet`, async () => {
    const { handlers, asked } = view()
    for (const each of [route, `${route}.csv`] as const)
      assert.is(left<{ readonly message: string }>(await handlers[each](given({ query }))).message, message)
    assert.equal(asked, [])
  })

audit('is a spreadsheet in which no name is a formula', async () => {
  const rows = Array.from({ length: 1_201 }, (_, n) => ({
    ...actionOn(1),
    _id: `a${n}`,
    at: new Date(day(1).getTime() - n * 1_000),
    who: n === 1_200 ? '=cmd|"calc"' : `kim-${n}`,
  }))
  const { handlers } = view(rows)
  const { body, headers } = right(await handlers[`${route}.csv`](given()))
  const lines = body.trimEnd().split('\r\n')
  assert.equal(
    [lines.length, lines[0], lines[1], lines.at(-1), headers?.['Content-Disposition']],
    [
      1_202,
      '\uFEFFWhen (Europe/Berlin),Who,Action,About,Chat,Time (UTC),Account,Id',
      '2026-01-01 01:00:00,kim-0,Erased a person,Person: chat 1,,2026-01-01T00:00:00.000Z,acme,a0',
      `2026-01-01 00:40:00,"'=cmd|""calc""",Erased a person,Person: chat 1,,2025-12-31T23:40:00.000Z,acme,a1200`,
      'attachment; filename="acme-audit.csv"',
    ],
  )
})

for (const [query, name] of [
  ['', 'acme-audit.csv'],
  ['from=2026-01-02', 'acme-audit-from-2026-01-02.csv'],
  ['from=2026-01-02&to=2026-01-02', 'acme-audit-2026-01-02.csv'],
  ['from=2026-01-02T10:30&to=2026-01-05T11:00', 'acme-audit-2026-01-02-to-2026-01-05.csv'],
  ['to=2026-01-05', 'acme-audit-to-2026-01-05.csv'],
] as const)
  audit(`is the file ${name} if it is asked for by ${query || 'nothing'}`, async () => {
    const { handlers } = view()
    const { headers } = right(await handlers[`${route}.csv`](given({ query })))
    assert.is(headers?.['Content-Disposition'], `attachment; filename="${name}"`)
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
      remains: [{ store: 'oplog', endsWhen: 'space-reused' }],
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
  erasures.handlers({
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
    read: async () => E.right(all),
    recordActionOf: () => async () => E.right(undefined),
  } as unknown as Parameters<typeof erasures.handlers>[0])

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

  const { cut, erasures: listed } = answered.body
  assert.equal([cut, listed.map(({ confirmedBy }) => confirmedBy)], [false, [['crm', 'old', 'shop'], []]])
  assert.equal(Object.keys(listed[0]?.receipt ?? {}).sort(), [
    '_id',
    'accountId',
    'found',
    'markers',
    'remains',
    'requestedAt',
    'requestedBy',
    'state',
  ])
  assert.not.match(JSON.stringify(listed), /2037|ann|hash/)
})

receipts.run()
