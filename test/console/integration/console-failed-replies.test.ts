import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../../contracts/primitives.ts'
import type { NotKnown } from '../../../src/bridge/mongo/source.ts'
import { type ReadSource, readingWith } from '../../../src/console/backend.ts'
import { failedGroups, failedReplies, maxFailed } from '../../../src/console/pages/statistics/failed-replies.ts'
import { left, right } from '../../support/either.ts'
import { testDatabase } from '../../support/mongo.ts'
import { given } from '../given-request.ts'
import { heldQueries, isOneAtATime } from '../held-queries.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()
await mongo.ensureIndexes()
const deliveries = db.collection<{ readonly _id: string; readonly [field: string]: unknown }>('deliveries')

const route = 'GET /api/accounts/:account/statistics/failed-replies'
const handlersOf = (read: ReadSource) =>
  failedReplies.handlers({
    now: () => '2026-03-10T22:30:00.000Z' as Instant,
    timeZoneOf: () => 'Europe/Berlin',
    read,
  })
const handlers = handlersOf(readingWith(mongo.query))
const ask = async (query: string, accountId = 'acme') =>
  right(await handlers[route]({ ...given({ query }), accountId })).body

type Attempts = ReadonlyArray<{ readonly status?: number; readonly code?: string }>
let made = 0
/** A reply with its outcome. Other fields of the document do not matter here. */
const reply = (chatId: string, finishedAt: string, fields: object, attempts: Attempts = []) => {
  made += 1
  return {
    _id: `acme/${chatId}/r${made}`,
    accountId: 'acme',
    chatId,
    commandType: 'BotMessage',
    state: 'failed',
    attempts,
    finishedAt: new Date(finishedAt),
    ...fields,
  }
}

const refused = [{ status: 503 }, { status: 400, code: 'invalid_request' }]
await deliveries.insertMany([
  // The day begins at 23:00 in Berlin's winter, seen from UTC.
  reply('1', '2026-03-08T22:59:59.999Z', { reason: 'rejected' }, refused),
  reply('1', '2026-03-08T23:00:00.000Z', { reason: 'rejected' }, refused),
  reply('2', '2026-03-09T10:00:00.000Z', { reason: 'rejected' }, refused),
  reply('2', '2026-03-09T11:00:00.000Z', { reason: 'rejected' }, refused),
  reply('3', '2026-03-09T12:00:00.000Z', { reason: 'rejected' }, [{ status: 422 }]),
  // The last attempt had no status, and the one before it no code.
  reply('4', '2026-03-09T12:10:00.000Z', { reason: 'attempts' }, [{ status: 503 }, { code: 'timeout' }]),
  reply(
    '5',
    '2026-03-09T12:20:00.000Z',
    { reason: 'attempts', because: 'no-reply-in-time', commandType: 'InviteAgent' },
    [{ code: 'timeout' }],
  ),
  reply('6', '2026-03-09T12:30:00.000Z', { reason: 'invalid', commandType: 'Mistyped' }),
  reply('7', '2026-03-09T12:40:00.000Z', { state: 'delivered' }, [{ status: 200 }]),
  reply('7', '2026-03-09T12:50:00.000Z', { state: 'suppressed', reason: 'overtaken' }),
  { ...reply('8', '2026-03-09T12:55:00.000Z', { reason: 'rejected' }), accountId: 'globex' },
  reply('9', '2026-03-09T23:00:00.000Z', { reason: 'deadline' }),
])

const rejected400 = {
  reason: 'rejected',
  by: 'bot',
  commandType: 'BotMessage',
  status: 400,
  code: 'invalid_request',
}
const ofMonday = [
  { ...rejected400, count: 3, lastAt: '2026-03-09T11:00:00.000Z', chats: ['2', '1'] },
  { reason: 'invalid', by: 'bot', commandType: 'Mistyped', count: 1, lastAt: '2026-03-09T12:30:00.000Z', chats: ['6'] },
  {
    reason: 'attempts',
    by: 'bridge',
    commandType: 'InviteAgent',
    code: 'timeout',
    count: 1,
    lastAt: '2026-03-09T12:20:00.000Z',
    chats: ['5'],
  },
  {
    reason: 'attempts',
    by: 'bot',
    commandType: 'BotMessage',
    code: 'timeout',
    count: 1,
    lastAt: '2026-03-09T12:10:00.000Z',
    chats: ['4'],
  },
  {
    reason: 'rejected',
    by: 'bot',
    commandType: 'BotMessage',
    status: 422,
    count: 1,
    lastAt: '2026-03-09T12:00:00.000Z',
    chats: ['3'],
  },
]
const ofTuesday = {
  reason: 'deadline',
  by: 'bot',
  commandType: 'BotMessage',
  count: 1,
  lastAt: '2026-03-09T23:00:00.000Z',
  chats: ['9'],
}

const failed = suite('why replies failed')

for (const [name, query, expected] of [
  [
    'of a day are grouped by reason, sender and last answer, the most frequent first, in the account’s time zone',
    'from=2026-03-09&to=2026-03-09',
    { from: '2026-03-09', to: '2026-03-09', count: 7, groups: ofMonday },
  ],
  [
    'of the next day are those from its midnight on',
    'from=2026-03-10&to=2026-03-10',
    { from: '2026-03-10', to: '2026-03-10', count: 1, groups: [ofTuesday] },
  ],
  [
    'are none in a period without one',
    'from=2026-02-01&to=2026-02-28',
    { from: '2026-02-01', to: '2026-02-28', count: 0, groups: [] },
  ],
] as const)
  failed(`replies that failed ${name}`, async () => {
    assert.equal(await ask(query), { ...expected, others: 0, cut: false })
  })

failed('without days they are those of the last 30', async () => {
  const { from, to, count } = await ask('')
  assert.equal({ from, to, count }, { from: '2026-02-09', to: '2026-03-10', count: 9 })
})

failed('another account has only its own', async () => {
  const { count, groups } = await ask('from=2026-03-09&to=2026-03-09', 'globex')
  assert.equal([count, groups[0]?.chats], [1, ['8']])
})

for (const [query, message] of [
  ['from=2026-03-09&to=2026-03-08', 'from, to: expected 1 to 400 days, the first one first'],
  ['from=2024-01-01&to=2026-03-08', 'from, to: expected 1 to 400 days, the first one first'],
  ['from=yesterday', 'from: expected a date as 2026-01-31'],
] as const)
  failed(`the days of ${query} are refused`, async () => {
    assert.is(left(await handlers[route](given({ query }))).message, message)
  })

failed(
  'what cannot be read is said, and the same query is only worth another try if it did not take too long',
  async () => {
    const refusalAfter = async (known: NotKnown) => {
      const { message, headers } = left(
        await handlersOf(readingWith(() => (async () => E.left(known)) as never))[route](given({ query: '' })),
      )
      return [message, headers?.['Retry-After']]
    }
    assert.equal(await refusalAfter({ reason: 'MongoDB: no server answers' }), ['MongoDB: no server answers', '2'])
    assert.equal(await refusalAfter({ reason: 'longer than 4 s', isTooMuch: true }), ['longer than 4 s', undefined])
  },
)

failed('a service with an error code of its own for each reply makes no long answer', async () => {
  const codes = Array.from({ length: 60 }, (_, n) =>
    reply(`many-${n}`, '2026-03-05T12:00:00.000Z', { reason: 'rejected' }, [{ status: 400, code: `request-${n}` }]),
  )
  await deliveries.insertMany(codes)
  const { count, others, groups } = await ask('from=2026-03-05&to=2026-03-05')
  assert.equal([count, others, groups.length], [60, 10, 50])
})

failed('a group names the five chats whose replies failed last', async () => {
  const minutes = [3, 1, 7, 5, 2, 6, 4]
  await deliveries.insertMany(
    [...minutes, 0].map((minute) =>
      reply(`chat-${minute || 3}`, `2026-03-04T12:0${minute}:00.000Z`, { reason: 'rejected' }, refused),
    ),
  )
  const { groups } = await ask('from=2026-03-04&to=2026-03-04')
  assert.equal(
    groups.map(({ count, chats }) => [count, chats]),
    [[8, ['chat-7', 'chat-6', 'chat-5', 'chat-4', 'chat-3']]],
  )
})

failed('only what is beyond the limit is left out, and that is said', async () => {
  const day = 'from=2026-03-03&to=2026-03-03'
  const many = (length: number) =>
    deliveries.insertMany(
      Array.from({ length }, () => ({
        ...reply('outage', '2026-03-03T12:00:00.000Z', { reason: 'attempts' }),
        accountId: 'outage',
      })),
    )
  const counted = async () => {
    const { count, cut } = await ask(day, 'outage')
    return { count, cut }
  }
  await many(maxFailed)
  assert.equal(await counted(), { count: maxFailed, cut: false })
  await many(1)
  assert.equal(await counted(), { count: maxFailed, cut: true })
})

failed('one answer is computed at a time', async () => {
  const { asked, read } = heldQueries()
  const busy = handlersOf(read)
  await isOneAtATime(() => busy[route](given({ query: '' })), asked)
})

failed('MongoDB reads only the replies that failed in the period', async () => {
  const hour = 3_600_000
  const from = new Date('2026-01-01T00:00:00Z')
  await deliveries.insertMany(
    Array.from({ length: 4_000 }, (_, n) =>
      reply(`busy-${n}`, new Date(from.getTime() + n * hour).toISOString(), {
        accountId: 'busy',
        requestedAt: new Date(from.getTime() + n * hour),
        ...(n % 40 === 0 ? { reason: 'rejected' } : { state: 'delivered' }),
      }),
    ),
  )
  const span = { from: new Date(from.getTime() + 400 * hour), to: new Date(from.getTime() + 1_200 * hour) }
  const explained = await deliveries.aggregate([...failedGroups('busy', span, 1_000).stages]).explain('executionStats')
  const { executionStats, queryPlanner } = explained.stages[0].$cursor
  assert.not.match(JSON.stringify(queryPlanner.winningPlan), /"stage":"(COLLSCAN|SORT)"/)
  assert.is(executionStats.totalDocsExamined, 20)
  assert.ok(executionStats.totalKeysExamined <= 22, `${executionStats.totalKeysExamined} keys`)
})

failed.after(drop)
failed.run()
