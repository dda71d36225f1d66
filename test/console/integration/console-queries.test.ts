import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import { type TopicName, topicOf } from '../../../contracts/topics.ts'
import { dated } from '../../../src/bridge/domain/dated.ts'
import type { Refusal } from '../../../src/bridge/http/answer.ts'
import { erasuresIn } from '../../../src/bridge/mongo/erasures.ts'
import { redrivesIn } from '../../../src/bridge/mongo/redrives.ts'
import { optionsOf, type RecordAction } from '../../../src/bridge/operations/audit.ts'
import { monotonic } from '../../../src/bridge/shared/time.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { viewNames } from '../../../src/bridge/views/index.ts'
import { type Backend, readingFitting, readingWith } from '../../../src/console/backend.ts'
import { handlersWith } from '../../../src/console/handlers.ts'
import type { Answer, ConsoleRequest, Grant, Session, Unmasked } from '../../../src/console/page.ts'
import type { ConversationsAnswer } from '../../../src/console/pages/conversations/page.ts'
import type { ConversationAnswer, UnmaskAnswer } from '../../../src/console/pages/conversations/story.ts'
import type { DriftAnswer } from '../../../src/console/pages/drift/page.ts'
import type { MinutesAnswer, NowAnswer } from '../../../src/console/pages/now/page.ts'
import type { StatisticsAnswer } from '../../../src/console/pages/statistics/page.ts'
import type { SystemAnswer } from '../../../src/console/pages/system/page.ts'
import type { RecordAnswer } from '../../../src/console/record-answer.ts'
import type { ConsoleRoute } from '../../../src/console/routes.ts'
import { connectTestKafka, newPrefix, withinMs } from '../../bridge/kafka/connect.ts'
import { left, right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at, date } from '../../support/given-events.ts'
import { sleep, testDatabase } from '../../support/mongo.ts'
import { plainClient } from '../../support/plain-consumer.ts'
import { servers } from '../../support/servers.ts'

const prefix = newPrefix()
const kafka = await connectTestKafka(prefix)
await kafka.ensureTopics()
const { db, connect, drop } = await testDatabase()
const mongo = connect()
await mongo.ensureIndexes()

/** The collection of a view, used with the plain driver. */
const documents = (view: string) => db.collection<{ readonly [field: string]: unknown; readonly _id: string }>(view)

const clock = { now: at('12:00:00') }
const recorded: Array<Parameters<RecordAction>[0] & { readonly who: string }> = []
const audit = { isAway: false }
const recordActionOf =
  (who: string): RecordAction =>
  async (asked) => {
    if (audit.isAway) return E.left({ kind: 'transient', reason: 'no broker answers' })
    recorded.push({ who, ...asked })
    return E.right(undefined)
  }

const backend = {
  accounts: [],
  redrives: mongo.query(redrivesIn),
  read: readingWith(mongo.query),
  readFitting: readingFitting(mongo.query),
  erasures: mongo.query(erasuresIn),
  kafka,
  recordActionOf,
  sleep,
  monotonic,
  version: '1.2.3',
  now: () => clock.now as Instant,
  timeZoneOf: () => 'Europe/Berlin',
  readiness: async () => ({ ready: true, checks: {} }),
  groups: [
    { group: 'projector', topics: ['chats', 'calls'] },
    { group: 'nobody', topics: ['chats'] },
  ] as const,
  gates: () => [],
  operations: [],
}
const handlers = handlersWith(backend as unknown as Backend)

const sessionOf = (role: Grant['role']): Session & { grants: Grant[]; unmasked: Unmasked[] } => {
  const unmasked: Unmasked[] = []
  return {
    who: `${role}@desk`,
    csrf: '',
    expiresAt: date('20:00:00'),
    unmasked,
    grants: [{ role, accounts: new Set(['acme']) }],
    unmask: async (it) => void unmasked.push(it),
  }
}
const [viewer, lead, operator] = [sessionOf('viewer'), sessionOf('lead'), sessionOf('operator')]

type Asked = Partial<Pick<ConsoleRequest, 'session' | 'chatId' | 'body' | 'signal' | 'accountId'>> & {
  readonly query?: string
}
const call = (route: ConsoleRoute, { query = '', ...asked }: Asked) => {
  const usual = { session: viewer, accountId: 'acme', chatId: '2037', body: undefined }
  const signal = asked.signal ?? new AbortController().signal
  const answered: Promise<E.Either<Refusal, Answer>> = handlers[route]({
    ...usual,
    ...asked,
    signal,
    query: new URLSearchParams(query),
  })
  return answered
}
const ask = async <A>(route: ConsoleRoute, asked: Asked = {}): Promise<A> => {
  const answer = right(await call(route, asked))
  if (!('body' in answer)) throw new Error('expected a body')
  // The page receives the answer as JSON.
  return (typeof answer.body === 'string' ? answer.body : JSON.parse(JSON.stringify(answer.body))) as A
}
const refused = async (route: ConsoleRoute, asked: Asked) => {
  const { status, message } = left(await call(route, asked))
  return { status, message }
}

const offsets = new Map<TopicName, number>()
/** Applies the events to the views, each at the next offset of its topic. */
const take = async (...events: ReadonlyArray<DomainEvent>) => {
  for (const event of events) {
    const topic = topicOf(event).name
    const offset = offsets.get(topic) ?? 0
    offsets.set(topic, offset + 1)
    await mongo.applyChanges(changesOfEvent({ event: dated(event), topic, partition: 0, offset }))
  }
}

const conversation = 'GET /api/accounts/:account/conversations/:chat'
const conversations = 'GET /api/accounts/:account/conversations'
const unmask = 'POST /api/accounts/:account/conversations/:chat/unmask'
const record = 'POST /api/accounts/:account/record'

const placeOf = async (key: string) => {
  const event = { ...anEvent('ClientMessageReceived', `raw-${key}`, at('10:00:00')), subject: key } as DomainEvent
  const before = await kafka.endOffsets('bot-conversations')
  right(await kafka.publish({ ...event, data: { ...event.data, chatId: key } } as DomainEvent, withinMs))
  const after = await kafka.endOffsets('bot-conversations')
  const [partition = 0] = [...after].find(([each, end]) => end > (before.get(each) ?? 0)) ?? []
  return { topic: 'bot-conversations', partition, offset: before.get(partition) ?? 0 }
}

const text = (words: string) => ({ type: 'TEXT', text: words, timestamp: at('10:00:00') })
await take(
  anEvent('ClientMessageReceived', 'e1', at('10:00:00'), { message: text('I am Ann') }),
  anEvent('BotReplyDelivered', 'e2', at('10:00:02')),
  anEvent('BotReplyFailed', 'e3', at('10:00:03'), { commandId: 'r2' }),
  anEvent('AgentJoined', 'e4', at('10:01:00')),
  anEvent('ChatAccepted', 'w1', at('10:01:01')),
  anEvent('ClientUpdated', 'w2', at('10:01:02')),
)
const silent = { chatId: '77', clientId: '88' }
await take({ ...anEvent('ClientMessageReceived', 'e5', at('11:59:30'), silent), subject: '77' } as DomainEvent)

const reading = suite('what the console shows')

reading('Now has the waiting clients, open chats, latest events, and days in the account’s time zone', async () => {
  const answer = await ask<NowAnswer>('GET /api/accounts/:account/now')
  const { containment } = answer.lastWeek.figures
  assert.equal(
    { ...answer, lastWeek: { ...answer.lastWeek, figures: { containment } } },
    {
      asOf: at('12:00:00'),
      waiting: { count: 1, longest: [{ chatId: '77', since: at('11:59:30') }] },
      waitingForAgent: { count: 0, longest: [] },
      conversations: { bot: 1, invited: 0, agent: 1, unavailable: 0 },
      agentChats: 1,
      started: { today: { bot: 2, agent: 1 }, lastWeek: { bot: 0, agent: 0 } },
      today: { day: '2026-01-31', stats: null },
      lastWeek: { day: '2026-01-24', figures: { containment: { numerator: 0, denominator: 0 } } },
    },
  )
})

reading('today is compared with what was over a week ago at the same time of day', async () => {
  const session = (n: number, began: string, ended: string, outcome: string) => ({
    _id: `weekly/${n}/bot/1`,
    accountId: 'weekly',
    chatId: `${n}`,
    kind: 'bot',
    startedAt: new Date(`2026-01-24T${began}Z`),
    endsAt: new Date(`2026-01-24T${ended}Z`),
    outcome,
    clientMessages: 1,
    agents: [],
    invitations: [],
    responseTimesMs: [],
    turns: 1,
  })
  const sessions = [
    session(1, '10:00:00', '11:00:00', 'contained'),
    session(2, '10:00:00', '11:30:00', 'handed-over'),
    session(3, '11:00:00', '12:30:00', 'contained'),
    session(4, '12:10:00', '12:20:00', 'contained'),
  ]
  await documents('sessions').insertMany(sessions)
  const { started, lastWeek } = await ask<NowAnswer>('GET /api/accounts/:account/now', { accountId: 'weekly' })
  assert.equal([started.lastWeek.bot, lastWeek.figures.containment], [3, { numerator: 1, denominator: 2 }])
  await documents('sessions').deleteMany({ accountId: 'weekly' })
})

reading('events are counted by minute from the index of the timeline', async () => {
  const { minutes } = await ask<MinutesAnswer>('GET /api/accounts/:account/minutes')
  assert.equal(
    [minutes.at(-1), minutes.some(({ at: minute }) => minute < at('00:00:00'))],
    [{ at: at('11:59:00'), events: 1 }, false],
  )
})

reading(
  'the last hour is compared with the same hour a week ago, also a quiet one, unless nothing was stored then',
  async () => {
    const weekAgo = async () =>
      (await ask<MinutesAnswer>('GET /api/accounts/:account/minutes', { accountId: 'weekly' })).weekAgo
    const store = (...times: ReadonlyArray<string>) =>
      documents('timeline').insertMany(
        times.map((time) => ({ _id: `hourly/${time}`, accountId: 'weekly', time: new Date(`2026-01-24T${time}Z`) })),
      )
    await store('12:00:00', '12:00:01')
    assert.is(await weekAgo(), null)
    await store('10:59:00', '11:00:59')
    assert.is(await weekAgo(), 0)
    await store('11:01:00', '11:59:59')
    assert.is(await weekAgo(), 2)
    await documents('timeline').deleteMany({ accountId: 'weekly' })
  },
)

const session = {
  number: 1,
  clientMessages: 0,
  replies: 0,
  repliesFailed: 0,
  channelId: 'unknown',
  agents: [],
  differences: 0,
}
const row = {
  ...session,
  chatId: '2037',
  kind: 'bot',
  startedAt: at('10:00:00'),
  lastEventAt: at('10:01:00'),
  outcome: 'handed-over',
  isOpen: false,
  clientMessages: 1,
  replies: 1,
  repliesFailed: 1,
  clientId: '1233',
}
const agentRow = {
  ...session,
  chatId: '2037',
  kind: 'agent',
  startedAt: at('10:01:01'),
  lastEventAt: at('10:01:01'),
  outcome: 'open',
  isOpen: true,
  channelId: 'w1',
  agents: ['a1'],
}
const waitingRow = {
  ...session,
  chatId: '77',
  kind: 'bot',
  startedAt: at('11:59:30'),
  lastEventAt: at('11:59:30'),
  outcome: 'unanswered',
  isOpen: true,
  clientMessages: 1,
  clientId: '88',
  waitingSince: at('11:59:30'),
}

for (const [query, rows, accountId = 'acme'] of [
  ['', [waitingRow, agentRow, row]],
  ['state=open', [waitingRow, agentRow]],
  ['state=over', [row]],
  ['unanswered=true', [waitingRow]],
  ['unanswered=true&state=over', []],
  ['from=2026-01-31T12:59&to=2026-01-31T13:01', [waitingRow]],
  ['outcome=handed-over', [row]],
  ['kind=agent', [agentRow]],
  ['agent=a1', [agentRow]],
  ['widget=w1', [agentRow]],
  ['from=2026-01-31&to=2026-01-31', [waitingRow, agentRow, row]],
  ['from=2026-01-30&to=2026-01-30', []],
  ['failed=true', [row]],
  ['id=2037', [agentRow, row]],
  ['id=88', [waitingRow]],
  ['state=over&kind=agent', []],
  ['state=open', [], 'globex'],
  ['sort=oldest', [row, agentRow, waitingRow]],
  ['sort=waits', [waitingRow]],
] as const)
  reading(`conversations of ${accountId} with ${query || 'no filter'}, in their order`, async () => {
    assert.equal(await ask<ConversationsAnswer>(conversations, { query, accountId }), {
      rows,
      count: rows.length,
      countIsMin: false,
    })
  })

reading('the CSV of conversations has durations, waits, and the state in the words of the page', async () => {
  const [head = [], ...lines] = (await ask<string>(`${conversations}.csv`))
    .slice('\uFEFF'.length)
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
  const names = ['chatId', 'kind', 'durationMs', 'outcome', 'state', 'waitingMs']
  assert.equal(
    lines.map((cells) => names.map((name) => cells[head.indexOf(name)])),
    [
      ['77', 'bot', '30000', 'unanswered', 'Waiting for the bot', '30000'],
      ['2037', 'agent', '7139000', 'open', 'With an agent', ''],
      ['2037', 'bot', '60000', 'handed-over', 'Handed over to an agent', ''],
    ],
  )
})

reading('the pages of conversations have each one once', async () => {
  const first = await ask<ConversationsAnswer>(conversations, { query: 'limit=2' })
  assert.equal(first.rows, [waitingRow, agentRow])
  const second = await ask<ConversationsAnswer>(conversations, { query: `limit=2&cursor=${first.next}` })
  assert.equal(second, { rows: [row] })
})

reading('conversations in each order have the same pages as the whole list', async () => {
  const start = (n: number) => date(`11:${10 + n}:00`)
  await documents('sessions').insertMany(
    [3, 0, 2, 1].map((n) => ({
      _id: `orders/${n}/bot/1`,
      accountId: 'orders',
      chatId: `${n}`,
      kind: 'bot',
      number: 1,
      startedAt: start(n),
      // The first and the last wait.
      lastEventAt: new Date(start(n).getTime() + (n === 1 ? 9_000 : n * 1_000)),
      outcome: 'unanswered',
      channelId: 'w1',
      clientMessages: 1,
      replies: 0,
      agents: [],
      ...(n % 3 === 0 && { awaitingSince: new Date(start(3).getTime() - n) }),
      // One has ended.
      endsAt: date(n === 1 ? '11:30:00' : '13:00:00'),
    })),
  )
  const asked = async (query: string) => {
    const { rows, next } = await ask<ConversationsAnswer>(conversations, { accountId: 'orders', query })
    return { ids: rows.map(({ chatId }) => chatId).join(''), next }
  }
  for (const [sort, ids] of [
    ['', '3210'],
    ['sort=oldest', '0123'],
    ['state=open&sort=waits', '30'],
  ] as const) {
    const [first, second] = [ids.slice(0, 1), ids.slice(1)]
    const page = await asked(`${sort}&limit=1`)
    const rest = await asked(`${sort}&cursor=${page.next}`)
    assert.equal([(await asked(sort)).ids, page.ids, rest.ids], [ids, first, second], sort)
  }
  assert.equal(
    [await asked('sort=longest'), await asked('sort=longest&limit=2')],
    [
      { ids: '0231', next: undefined },
      { ids: '02', next: undefined },
    ],
  )
  // The client of the session that has ended waited for 15 minutes, the other ones wait for 47.
  await documents('sessions').updateOne({ _id: 'orders/1/bot/1' }, { $set: { awaitingSince: date('11:15:00') } })
  assert.equal(
    [await asked('sort=waits'), await asked('sort=waits&limit=1'), await asked('state=over&sort=waits')],
    [
      { ids: '301', next: undefined },
      { ids: '3', next: undefined },
      { ids: '1', next: undefined },
    ],
  )
  const [head = '', line = ''] = (
    await ask<string>(`${conversations}.csv`, { accountId: 'orders', query: 'state=over&sort=waits' })
  ).split('\r\n')
  assert.is(line.split(',')[head.split(',').indexOf('waitingMs')], String(15 * 60_000))
  await documents('sessions').deleteMany({ accountId: 'orders' })
})

reading('a conversation is the whole story, masked', async () => {
  const answer = await ask<ConversationAnswer>(conversation)
  assert.equal(
    answer.events.map(({ id, topic, partition, offset }) => [id, `${topic}/${partition}/${offset}`]),
    [
      ['acme/2037/bot/e1', 'bot-conversations/0/0'],
      ['acme/2037/egress/e2', 'bot-conversations/0/1'],
      ['acme/2037/egress/e3', 'bot-conversations/0/2'],
      ['acme/2037/bot/e4', 'bot-conversations/0/3'],
      ['acme/2037/webhooks/w1', 'chats/0/0'],
    ],
  )
  assert.is(answer.masked, true)
  assert.is(answer.chat?.state, 'open')
  assert.is(answer.conversation?.state, 'agent')
  assert.equal(
    answer.sessions.map(({ kind, number }) => [kind, number]),
    [
      ['agent', 1],
      ['bot', 1],
    ],
  )
  assert.equal(answer.deliveries.map(({ commandId, state }) => [commandId, state]).sort(), [
    ['r1', 'delivered'],
    ['r2', 'failed'],
  ])
  const bytes = JSON.stringify(answer)
  for (const personal of ['Ann', 'Bob', 'Hello']) assert.not.ok(bytes.includes(personal), personal)
})

reading('after an unmask that is recorded, only this user sees clear text, for 15 minutes', async () => {
  const granted = await ask<UnmaskAnswer>(unmask, { session: lead })
  assert.equal(granted, { unmaskedUntil: at('12:15:00') })
  assert.equal(recorded.splice(0), [
    {
      who: 'lead@desk',
      action: 'unmask',
      command: 'conversation',
      options: optionsOf({ chat: '2037' }),
      accountId: 'acme',
    },
  ])
  const seen = await ask<ConversationAnswer>(conversation, { session: lead })
  assert.is(seen.unmaskedUntil, at('12:15:00'))
  assert.equal(seen.events[0]?.data, { ...seen.events[0]?.data, message: text('I am Ann') })
  assert.equal(seen.chat?.agents, [{ id: 'a1', name: 'Bob' }])
  assert.is((await ask<ConversationAnswer>(conversation, { session: lead, chatId: '77' })).masked, true)
  assert.is((await ask<ConversationAnswer>(conversation, { session: sessionOf('lead') })).masked, true)
  clock.now = at('12:15:00')
  assert.is((await ask<ConversationAnswer>(conversation, { session: lead })).masked, true)
  clock.now = at('12:00:00')
})

reading('a user who lost the role sees it masked again', async () => {
  const session = { ...sessionOf('lead'), grants: [{ role: 'viewer', accounts: new Set(['acme']) }] } as const
  session.unmasked.push({ accountId: 'acme', chatId: '2037', until: date('12:10:00') })
  assert.is((await ask<ConversationAnswer>(conversation, { session })).masked, true)
})

reading('nothing is shown if that cannot be recorded', async () => {
  const session = sessionOf('lead')
  const body = await placeOf('unrecorded')
  const message = 'Nothing was done, since it cannot be recorded on the topic audit: no broker answers'
  audit.isAway = true
  for (const [route, asked] of [
    [unmask, { session }],
    [record, { session, body }],
    ['POST /api/accounts/:account/drift/unmask', { session: operator }],
  ] as const)
    assert.equal(await refused(route, asked), { status: 503, message })
  audit.isAway = false
  assert.equal(session.unmasked, [])
})

reading('a long story has pages, each with the oldest event first, without gaps and repetitions', async () => {
  const entries = Array.from({ length: 1_203 }, (_, n) => ({
    _id: `acme/bot/long-${n}`,
    accountId: 'acme',
    chatId: 'long',
    type: 'AgentJoined',
    // Seven entries have the same time, so that some pages end between entries of one time.
    time: new Date(date('08:00:00').getTime() + Math.floor(n / 7)),
    topic: 'bot-conversations',
    partition: n % 3,
    offset: n,
    data: { accountId: 'acme', chatId: 'long' },
  }))
  await documents('timeline').insertMany(entries)
  const pages: ConversationAnswer[] = []
  for (let query = ''; pages.length < 5; query = `before=${pages[0]?.earlier}`) {
    pages.unshift(await ask<ConversationAnswer>(conversation, { chatId: 'long', query }))
    if (pages[0]?.earlier === undefined) break
  }
  assert.equal(
    pages.map(({ events }) => events.length),
    [203, 500, 500],
  )
  assert.equal(
    pages.flatMap(({ events }) => events.map(({ id }) => id)),
    entries.map(({ _id }) => _id),
  )
})

reading('large events make a page shorter, so that the answer stays small', async () => {
  const entries = Array.from({ length: 30 }, (_, n) => ({
    _id: `acme/bot/large-${n}`,
    accountId: 'acme',
    chatId: 'large',
    type: 'AgentJoined',
    time: new Date(n),
    topic: 'bot-conversations',
    partition: 0,
    offset: n,
    data: { note: 'x'.repeat(1024 * 1024 - 1024) },
  }))
  await documents('timeline').insertMany(entries)
  const { events, earlier } = await ask<ConversationAnswer>(conversation, { chatId: 'large' })
  assert.is(events.length, 8)
  const before = await ask<ConversationAnswer>(conversation, { chatId: 'large', query: `before=${earlier}` })
  assert.is(before.events.at(-1)?.id, 'acme/bot/large-21')
})

const changes: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
  ['an event', () => take(anEvent('ChatUpdated', 'w9', at('10:05:00')))],
  ['an event that was late', () => take(anEvent('AgentUnavailable', 'e9', at('09:00:00')))],
  [
    'the audit of the transcript',
    () =>
      documents('sessions').updateOne(
        { _id: 'acme/2037/agent/1' },
        { $set: { audit: { state: 'compared', differences: [{}] } } },
      ),
  ],
  [
    'a command',
    () =>
      documents('deliveries').insertOne({
        _id: 'acme/2037/r3',
        accountId: 'acme',
        chatId: '2037',
        applied: {},
        requestedAt: new Date(),
      }),
  ],
  ['an erasure', () => documents('chats').updateOne({ _id: 'acme/2037' }, { $set: { 'applied.chats/0': 99 } })],
]
for (const [what, change] of changes)
  reading(`${what} changes the version of its story, and of no other`, async () => {
    const versionOf = async (chatId: string) => (await ask<ConversationAnswer>(conversation, { chatId })).version
    const [before, other] = [await versionOf('2037'), await versionOf('77')]
    assert.is(await versionOf('2037'), before)
    await change()
    assert.is.not(await versionOf('2037'), before)
    assert.is(await versionOf('77'), other)
  })

reading('a stream reports an event within seconds, with the version of the next answer', async () => {
  const gone = new AbortController()
  const live = 'GET /api/accounts/:account/conversations/:chat/live'
  const answer = right(await call(live, { chatId: '77', signal: gone.signal }))
  if (!('stream' in answer)) throw new Error('expected a stream')
  const told = answer.stream[Symbol.asyncIterator]()
  const next = async () => String((await told.next()).value)
  assert.is(await next(), 'retry: 2000\n\n')
  const first = await next()
  assert.is(
    first,
    `data: ${JSON.stringify({ version: (await ask<ConversationAnswer>(conversation, silent)).version })}\n\n`,
  )
  await take({ ...anEvent('AgentInvited', 'e6', at('11:59:40'), silent), subject: '77' } as DomainEvent)
  // Views are written one after another, so the stream may send a version between two writes.
  await eventually('the version of the answer', async () => {
    const { version } = await ask<ConversationAnswer>(conversation, silent)
    return (await next()) === `data: ${JSON.stringify({ version })}\n\n`
  })
  gone.abort()
  assert.is((await told.next()).done, true)
})

reading('a raw record is shown completely, and the look is recorded', async () => {
  recorded.length = 0
  const body = await placeOf('raw')
  const answer = await ask<RecordAnswer>(record, { session: lead, body })
  assert.equal(
    { ...answer, time: '', headers: answer.headers.filter(({ name }) => name === 'ce_id') },
    {
      ...body,
      time: '',
      key: { text: 'acme/raw' },
      value: {
        text: JSON.stringify({ accountId: 'acme', chatId: 'raw', clientId: '1233', message: text('Hi') }),
      },
      headers: [{ name: 'ce_id', value: { text: 'raw-raw' } }],
    },
  )
  const options = optionsOf(body)
  assert.equal(recorded.splice(0), [
    { who: 'lead@desk', action: 'unmask', command: 'record', options, accountId: 'acme' },
  ])
  assert.is((await refused(record, { session: lead, body: { topic: 'chats' } })).status, 400)
})

reading('a record of a person who was erased later is not shown', async () => {
  const body = await placeOf('gone')
  const hash = (await mongo.query(erasuresIn).hmac())('chat acme/gone')
  await documents('erasures').insertOne({ _id: 'erasure', keys: [hash], requestedAt: new Date(Date.now() + 60_000) })
  const message = 'offset: the person of this record was erased'
  assert.equal(await refused(record, { session: lead, body }), { status: 404, message })
})

const none = 'offset: expected a record of this account; the topic has none there'
const topics = 'chats, calls, clients, offline-messages, bot-conversations, bot-replies'
const others = ['audit', 'quarantine', 'dead-letters', 'archive-chats', 'enrichments', '__consumer_offsets']
const notShown: ReadonlyArray<
  readonly [what: string, change: object, status: number, message: string, whose?: string]
> = [
  ['of another account', {}, 404, none, 'globex'],
  ['at an offset that the topic does not have', { offset: 1_000 }, 404, none],
  ['of a partition that the topic does not have', { partition: 99 }, 404, none],
  ...others.map((topic) => [`of ${topic}`, { topic }, 400, `topic: expected one of ${topics}`] as const),
]
for (const [what, change, status, message, accountId = 'acme'] of notShown)
  reading(`a record ${what} is not shown`, async () => {
    const body = { ...(await placeOf('mine')), ...change }
    assert.equal(await refused(record, { session: lead, body, accountId }), { status, message })
  })

const statistics = 'GET /api/accounts/:account/statistics'
const noChat = 'chat: expected the id of a chat that the views know'
const days = 'from, to: expected 1 to 400 days, the first one first'
for (const [what, route, asked, status, message] of [
  ['a filter with a wrong value', conversations, { query: 'state=opne' }, 400, 'state: expected open or over'],
  ['an unknown chat', conversation, { chatId: '1' }, 404, noChat],
  ['a chat of another account', conversation, { accountId: 'globex' }, 404, noChat],
  ['more than 400 days', statistics, { query: 'from=2025-01-01&to=2026-02-28' }, 400, days],
] as const)
  reading(`${what} is refused, and the answer names what was wrong`, async () => {
    assert.equal(await refused(route, asked), { status, message })
  })

reading('for a record that its topic no longer has, the answer says where it may be', async () => {
  const body = await placeOf('old')
  await kafka.deleteBefore('bot-conversations', new Map([[body.partition, body.offset + 1]]))
  const { status, message } = await refused(record, { session: lead, body })
  assert.is(status, 404)
  assert.ok(message.includes('livechat-bridge archive replay'), message)
})

const share = (numerator: number, denominator: number) => ({ numerator, denominator, value: numerator / denominator })
const dayOf = (day: string, started: number) => ({
  _id: `acme/${day}`,
  accountId: 'acme',
  day,
  asOf: date('09:00:00'),
  sessions: { bot: { started, open: 0 } },
  figures: { containment: share(1, 2) },
  offlineMessages: 0,
})

const idOf = (row: StatisticsAnswer['rows'][number]) => ('id' in row ? row.id : undefined)

reading('statistics of some days, each number with its definition, and as CSV', async () => {
  await documents('daily_stats').insertMany([dayOf('2026-01-11', 3), dayOf('2026-01-10', 2), dayOf('2026-01-09', 1)])
  const query = 'from=2026-01-10&to=2026-01-11'
  const answer = await ask<StatisticsAnswer>(statistics, { query })
  assert.equal(
    { ...answer, definitions: answer.definitions.find(({ name }) => name === 'figures.containment') },
    {
      from: '2026-01-10',
      to: '2026-01-11',
      by: 'day',
      definitions: {
        name: 'figures.containment',
        definition:
          'Sessions with bots: sessions that the bot answered and in which nobody requested an agent: outcome contained, divided by sessions',
        unit: 'share',
      },
      rows: [dayOf('2026-01-10', 2), dayOf('2026-01-11', 3)].map((day) => JSON.parse(JSON.stringify(day))),
    },
  )
  const file = await ask<string>('GET /api/accounts/:account/statistics.csv', { query })
  const lines = file.split('\r\n')
  const column = lines[0]?.split(',').indexOf('sessions.bot.started') ?? -1
  assert.equal(
    lines.slice(1, 3).map((line) => [line.split(',')[2], line.split(',')[column]]),
    [
      ['2026-01-10', '2'],
      ['2026-01-11', '3'],
    ],
  )
})

reading(
  'the last day of statistics may end at this time of day: a week so far is compared with as much of the week before',
  async () => {
    const session = (n: number, agent: string, began: string, ended: string | undefined) => ({
      _id: `soFar/${n}/agent/1`,
      accountId: 'soFar',
      chatId: `${n}`,
      kind: 'agent',
      channelId: 'w1',
      startedAt: new Date(`2026-01-24T${began}Z`),
      ...(ended && { endsAt: new Date(`2026-01-24T${ended}Z`), handleMs: 60_000 * n }),
      clientMessages: 1,
      agents: [{ id: agent, name: 'Bob' }],
      invitations: [],
      responseTimesMs: [],
    })
    await documents('sessions').insertMany([
      session(1, 'a1', '09:00:00', '09:10:00'),
      session(2, 'a1', '11:50:00', '12:10:00'),
      session(3, 'a2', '11:00:00', '11:10:00'),
      session(4, 'a1', '12:00:00', '12:10:00'),
      { ...session(5, 'a1', '09:00:00', '09:10:00'), _id: 'soFar/5/bot/1', kind: 'bot' },
    ])
    const started = (count: number) => ({ agent: { started: count, open: 0 } })
    const whole = { accountId: 'soFar', asOf: date('09:00:00'), sessions: started(7) }
    await documents('daily_stats').insertMany(
      ['2026-01-23', '2026-01-24'].map((day) => ({ ...whole, _id: `soFar/${day}`, day })),
    )
    const read = async (query: string) => {
      const { rows } = await ask<StatisticsAnswer>(statistics, {
        accountId: 'soFar',
        query: `from=2026-01-23&to=2026-01-24&until=now${query}`,
      })
      return rows.map((row) => {
        const { day, sessions, figures } = row
        const handleTime = figures?.handleTime
        return [day, idOf(row), sessions.agent.started, handleTime?.numerator, handleTime?.denominator]
      })
    }
    assert.equal(await read(''), [
      ['2026-01-23', undefined, 7, undefined, undefined],
      ['2026-01-24', undefined, 3, 240_000, 2],
    ])
    assert.equal((await read('&by=agent')).toSorted(), [
      ['2026-01-24', 'a1', 2, 60_000, 1],
      ['2026-01-24', 'a2', 1, 180_000, 1],
    ])
    assert.equal(await read('&by=agent&id=a2'), [['2026-01-24', 'a2', 1, 180_000, 1]])
    clock.now = at('00:30:00')
    assert.equal(await read(''), [['2026-01-23', undefined, 7, undefined, undefined]])
    clock.now = at('12:00:00')
    await documents('sessions').deleteMany({ accountId: 'soFar' })
    await documents('daily_stats').deleteMany({ accountId: 'soFar' })
  },
)

reading('statistics by agent have ids and no names, also as CSV', async () => {
  const by = { accountId: 'acme', day: '2026-01-10', by: 'agent', asOf: date('09:00:00'), name: 'Bob' }
  await documents('daily_stats_by').insertMany([
    { ...by, _id: 'acme/2026-01-10/agent/a1', id: 'a1' },
    { ...by, _id: 'acme/2026-01-10/agent/=a2', id: '=a2' },
    { ...by, _id: 'acme/2026-01-10/widget/a1', id: 'a1', by: 'widget' },
  ])
  const query = 'from=2026-01-10&to=2026-01-10&by=agent'
  const { rows } = await ask<StatisticsAnswer>(statistics, { query })
  assert.equal(rows.map((row) => [idOf(row), 'name' in row ? row.name : undefined]).sort(), [
    ['=a2', undefined],
    ['a1', undefined],
  ])
  const one = await ask<StatisticsAnswer>(statistics, { query: `${query}&id=a1` })
  assert.equal(
    one.rows.map(({ _id }) => _id),
    ['acme/2026-01-10/agent/a1'],
  )
  assert.not.ok((await ask<string>('GET /api/accounts/:account/statistics.csv', { query })).includes('Bob'))
})

reading(
  'drift is shown without fields and examples, to operators with fields, and with examples after that is recorded',
  async () => {
    await take(anEvent('ClientUpdated', 'w7', at('10:06:00'), { extra: { loyalty: 'Gold9', tier: 2 } }))
    recorded.length = 0
    const list = 'GET /api/accounts/:account/drift'
    const masked = await ask<DriftAnswer>(list)
    assert.equal(
      masked.rows.map(({ _id, path, count, example, ...rest }) => [_id, path, count, example, 'applied' in rest]),
      ['', ''].map((_id) => [_id, undefined, 1, undefined, false]),
    )
    assert.equal(recorded, [])
    const named = await ask<DriftAnswer>(list, { session: operator })
    assert.equal(
      named.rows.map(({ _id, path, example }) => [_id, path, example]),
      [
        ['', 'loyalty', undefined],
        ['', 'tier', undefined],
      ],
    )
    assert.equal([named.masked, recorded], [true, []])
    const clear = await ask<DriftAnswer>('POST /api/accounts/:account/drift/unmask', { session: operator })
    assert.equal(
      clear.rows.map(({ path, example }) => [path, example]),
      [
        ['loyalty', 'text of 5: Aaaa9'],
        ['tier', 'number: 9'],
      ],
    )
    assert.equal(recorded.splice(0), [
      { who: 'operator@desk', action: 'unmask', command: 'examples of drift', options: [], accountId: 'acme' },
    ])
    const first = await ask<DriftAnswer>(list, { query: 'limit=1' })
    const second = await ask<DriftAnswer>(list, { query: `limit=1&cursor=${first.next}` })
    assert.equal(
      [first, second].map(({ rows, next }) => [rows.map(({ types }) => types), next !== undefined]),
      [
        [[['text']], true],
        [[['number']], false],
      ],
    )
    assert.not.match(Buffer.from(`${first.next}`, 'base64url').toString(), 'loyalty')
    assert.equal((await ask<DriftAnswer>(list, { query: 'kind=others' })).rows, [])
  },
)

reading('the page System has the lag of consumer groups, where they have committed offsets', async () => {
  const admin = plainClient((await servers()).brokers).admin()
  await admin.connect()
  for (const _ of [1, 2, 3]) right(await kafka.publish(anEvent('ChatAccepted', 'lag', at('10:00:00')), withinMs))
  const ends = await kafka.endOffsets('chats')
  const committed = [...ends].map(([partition, end]) => ({ partition, offset: String(Math.max(0, end - 2)) }))
  await admin.setOffsets({ groupId: `${prefix}projector`, topic: `${prefix}chats`, partitions: committed })
  await admin.disconnect()
  const { consumers, views } = await ask<SystemAnswer>('GET /api/system')
  assert.equal(consumers, [
    { group: 'projector', topic: 'chats', behind: 2 },
    { group: 'projector', topic: 'calls', behind: null },
    { group: 'nobody', topic: 'chats', behind: null },
  ])
  assert.equal(views, [...viewNames])
})

reading('Now lists the five longest waits, or all that it counts, the longest first', async () => {
  const waits = Array.from({ length: 7 }, (_, n) => ({
    _id: `queue/${n}`,
    accountId: 'queue',
    chatId: `${n}`,
    state: 'bot',
    awaitingReplySince: date(`11:0${n}:00`),
    lastEventAt: date(`11:0${n}:00`),
  }))
  await documents('conversations').insertMany(waits.toReversed())
  const ids = async (query: string) => {
    const { waiting } = await ask<NowAnswer>('GET /api/accounts/:account/now', { accountId: 'queue', query })
    return [waiting.count, waiting.longest.map(({ chatId }) => chatId).join('')] as const
  }
  assert.equal(
    [await ids(''), await ids('waits=all')],
    [
      [7, '01234'],
      [7, '0123456'],
    ],
  )
  const { status } = await refused('GET /api/accounts/:account/now', { query: 'waits=some' })
  assert.is(status, 400)
  await documents('conversations').deleteMany({ accountId: 'queue' })
})

reading('a client for whom an agent was invited still waits, both on Now and in the list', async () => {
  const invited = { chatId: '99', clientId: '100' }
  await take(
    { ...anEvent('ClientMessageReceived', 'e98', at('11:50:00'), invited), subject: '99' } as DomainEvent,
    { ...anEvent('AgentInvited', 'e99', at('11:50:01'), invited), subject: '99' } as DomainEvent,
  )
  const { waiting } = await ask<NowAnswer>('GET /api/accounts/:account/now')
  assert.equal(waiting.longest[0], { chatId: '99', since: at('11:50:00'), agentCalled: true })
  const { rows } = await ask<ConversationsAnswer>(conversations, { query: 'unanswered=true' })
  const { waiting: all } = await ask<NowAnswer>('GET /api/accounts/:account/now', { query: 'waits=all' })
  assert.equal(all, waiting)
  assert.equal(rows.map(({ chatId }) => chatId).sort(), waiting.longest.map(({ chatId }) => chatId).sort())
})

reading(
  'a client who has an answer and waits for an agent is counted apart, with the time of the request',
  async () => {
    const waits = [
      { chatId: 'asked', state: 'invited', invitedAt: date('11:20:00') },
      {
        chatId: 'refused',
        state: 'bot',
        handOverFailed: { id: 'f1', at: date('11:10:00') },
        silentSince: date('11:10:00'),
      },
      { chatId: 'unanswered', state: 'invited', invitedAt: date('11:30:00'), awaitingReplySince: date('11:29:00') },
      { chatId: 'joined', state: 'agent', invitedAt: date('11:30:00') },
      { chatId: 'silent', state: 'bot', awaitingReplySince: date('11:31:00'), silentSince: date('11:31:00') },
    ]
    await documents('conversations').insertMany(
      waits.map((each) => ({
        _id: `agents/${each.chatId}`,
        accountId: 'agents',
        lastEventAt: date('11:40:00'),
        ...each,
      })),
    )
    const now = await ask<NowAnswer>('GET /api/accounts/:account/now', { accountId: 'agents' })
    assert.equal(now.waitingForAgent, {
      count: 2,
      longest: [
        { chatId: 'refused', since: at('11:10:00') },
        { chatId: 'asked', since: at('11:20:00') },
      ],
    })
    assert.equal(now.waiting, {
      count: 2,
      longest: [
        { chatId: 'unanswered', since: at('11:29:00'), agentCalled: true },
        { chatId: 'silent', since: at('11:31:00') },
      ],
    })
    await documents('conversations').deleteMany({ accountId: 'agents' })
  },
)

reading.after(async () => {
  await kafka.stop()
  await drop()
})
reading.run()
