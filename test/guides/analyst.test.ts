import { BSON, type Document } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { MetricName } from '../../contracts/metrics.ts'
import { computedStatistics } from '../../src/bridge/mongo/stats-compute.ts'
import { changesOfEvent } from '../../src/bridge/views/changes.ts'
import { anEvent, inLog } from '../support/given-events.ts'
import { testDatabase } from '../support/mongo.ts'
import { asked, guideText, type Names, questions } from './questions.ts'
import { shop } from './shop.ts'

const { EJSON } = BSON
const { db, connect, drop } = await testDatabase()
const bridge = connect()
await bridge.ensureIndexes()
await bridge.applyChanges(inLog(...shop).flatMap(changesOfEvent))
bridge.statsRefresher.start()
await bridge.statsRefresher.settled()
await bridge.statsRefresher.stop()

// Adds a hundred copies of all documents, of the year before and of other chats. No answer may contain them, and only a
// query that uses an index does not read them.
const collections = (await db.listCollections({ type: 'collection' }).toArray()).map(({ name }) => name)
for (const name of collections.filter((each) => !each.startsWith('system.'))) {
  const documents = await db.collection<{ _id: string }>(name).find().toArray()
  const earlier = (i: number) =>
    documents.map((document) => ({
      ...EJSON.parse(EJSON.stringify(document).replaceAll('2026-', '2025-')),
      _id: `${document._id}/${i}`,
      chatId: `earlier-${i}`,
    }))
  if (documents.length > 0)
    await db.collection<{ _id: string }>(name).insertMany(Array.from({ length: 100 }, (_, i) => earlier(i)).flat())
}

const names = {
  account: 'acme',
  from: new Date('2026-03-01'),
  to: new Date('2026-04-01'),
  timezone: 'UTC',
  chat: '304',
  now: new Date('2026-04-02'),
}

const guide = suite('guide for an analyst')

guide.after(drop)

guide('has twelve questions', () => {
  assert.equal(
    questions.map(({ title }) => Number.parseInt(title, 10)),
    Array.from({ length: 12 }, (_, i) => i + 1),
  )
})

for (const { title, query, answer } of questions) {
  guide(`${title} returns the result that the guide links to`, async () => {
    const { collection, pipeline } = asked(query, names)
    const found = await db.collection(collection).aggregate(pipeline).toArray()
    assert.equal(JSON.parse(JSON.stringify(found)), answer)
  })

  guide(`${title} uses an index that fits its filter`, async () => {
    const { collection, pipeline } = asked(query, names)
    const explained = await db.collection(collection).aggregate(pipeline).explain('queryPlanner')
    const plan = JSON.stringify(explained, (key, value) => (key === 'rejectedPlans' ? undefined : value))
    assert.not.match(plan, '"COLLSCAN"')
    const fields = [...plan.matchAll(/"indexName":"accountId_1_(.+?)_1[_"]/g)].map(([, field]) => field)
    assert.ok(fields.length > 0 && fields.every((field) => query.includes(`, ${field}: `)), plan)
  })
}

const others = [...guideText.matchAll(/^```js\n(db\..*?)^```$/gms)]
  .map(([, query = '']) => query)
  .filter((query) => !questions.some((question) => question.query === query))

guide('every other query returns rows', async () => {
  assert.ok(others.length > 0)
  for (const query of others) {
    const { collection, pipeline } = asked(query, names)
    assert.ok((await db.collection(collection).aggregate(pipeline).toArray()).length > 0, query)
  }
})

const inMarch = { accountId: 'acme', startedAt: { $gte: names.from, $lt: names.to } }

guide('the flat view of sessions has a row for each session, without arrays', async () => {
  const rows = await db.collection('analytics_sessions').find(inMarch).sort({ startedAt: 1 }).toArray()
  assert.equal(
    rows.map(({ _id, outcome, agentName = '-' }) => `${_id} ${outcome} ${agentName}`),
    [
      'acme/101/agent/1 finished Ann',
      'acme/301/bot/1 contained -',
      'acme/102/agent/1 finished Bob',
      'acme/302/bot/1 handed-over -',
      'acme/303/bot/1 handed-over -',
      'acme/304/bot/1 unavailable -',
      'acme/103/agent/1 finished Ann',
      'acme/104/agent/1 open Ann',
      'acme/105/agent/1 finished Bob',
    ],
  )
  assert.not.ok(rows.some((row) => Object.values(row).some((value) => Array.isArray(value))))
  const times = rows.flatMap(({ startedAt, endedAt }) => [startedAt, ...(endedAt === undefined ? [] : [endedAt])])
  assert.ok(times.length > rows.length && times.every((time) => time instanceof Date))
})

guide('the flat view of messages has a row for each message, of agents and of bots', async () => {
  const of = async (chatId: string) => {
    const rows = await db.collection('analytics_messages').find({ accountId: 'acme', chatId }).sort({ at: 1 }).toArray()
    return rows.map(({ kind, from, text, at }) => `${kind} ${from} ${text} ${at.toISOString()}`)
  }
  assert.equal(await of('101'), [
    'agent client Hi 2026-03-02T09:00:00.000Z',
    'agent agent Hello 2026-03-02T09:00:20.000Z',
  ])
  assert.equal(await of('301'), [
    'bot client When are you open? 2026-03-02T09:05:00.000Z',
    'bot bot Hello 2026-03-02T09:05:02.000Z',
  ])
})

for (const [view, question] of [
  ['analytics_sessions', inMarch],
  ['analytics_messages', { accountId: 'acme', chatId: '101' }],
] as const)
  guide(`${view} is read by an index that fits its queries`, async () => {
    const plan = JSON.stringify(await db.collection(view).find(question).explain('queryPlanner'))
    assert.not.match(plan, '"COLLSCAN"')
  })

/** The figures of daily_stats for the month of the questions: the sums of numerators and denominators. */
const figuresOfMonth = async () => {
  const days = Array.from({ length: 31 }, (_, i) => `acme/2026-03-${String(i + 1).padStart(2, '0')}`)
  const all = await Promise.all(days.map((day) => computedStatistics(db, day, () => 'UTC', names.now)))
  return (name: MetricName) => {
    const figures = all.map(({ day }) => day.figures[name])
    const sum = (part: 'numerator' | 'denominator') => figures.reduce((total, figure) => total + figure[part], 0)
    return sum('numerator') / sum('denominator')
  }
}

const answerTo = async (number: number): Promise<ReadonlyArray<Document>> => {
  const { collection, pipeline } = asked(questions[number - 1]?.query ?? '', names)
  return db.collection(collection).aggregate(pipeline).toArray()
}

guide('returns the same figures as daily_stats', async () => {
  const figure = await figuresOfMonth()
  const [bot] = await answerTo(6)
  const [queue] = await answerTo(8)
  const rated = await answerTo(4)
  const sum = (field: string) => rated.reduce((total, agent) => total + Number(agent[field]), 0)
  assert.equal(
    [bot?.containment, bot?.handOffRate, bot?.abandonment, queue?.serviceLevel, sum('good') / sum('rated')],
    [figure('containment'), figure('handOffRate'), figure('abandonment'), figure('serviceLevel'), figure('csat')],
  )
})

const namesBlock = /^```js\naccount = .*?^```$/ms.exec(guideText)?.[0].split('\n').slice(1, -1).join('\n') ?? ''

/** The names of the guide as mongosh would set them, with the results of their queries. */
const namesOfGuide = async (): Promise<Names> => {
  const asked: Document[][] = []
  const evaluate = (answers: ReadonlyArray<Date>) => {
    let count = 0
    const mongosh = {
      aggregate: (pipeline: Document[]) => ({ next: () => ({ at: answers[asked.push(pipeline) && count++] }) }),
    }
    return new Function(
      'db',
      `let account, timezone, chat, now, midnight, from, to; ${namesBlock}; return { account, timezone, chat, now, from, to }`,
    )(mongosh)
  }
  evaluate([])
  const answers = await Promise.all(asked.map((pipeline) => db.aggregate(pipeline).toArray()))
  return evaluate(answers.map(([row]) => row?.at))
}

guide('its days are local: a month of sessions agrees with daily_stats', async () => {
  const { from, to, timezone } = await namesOfGuide()
  assert.equal([from, to], [new Date('2026-02-28T23:00:00Z'), new Date('2026-03-31T22:00:00Z')])
  const began = { accountId: 'acme', startedAt: { $gte: from, $lt: to } }
  const sessions = await db.collection('sessions').countDocuments(began)
  const days = Array.from({ length: 31 }, (_, i) => `acme/2026-03-${String(i + 1).padStart(2, '0')}`)
  const all = await Promise.all(days.map((day) => computedStatistics(db, day, () => timezone, names.now)))
  const started = all.reduce((sum, { day }) => sum + day.sessions.agent.started + day.sessions.bot.started, 0)
  assert.equal([sessions, started], [10, 10])
})

guide('a session of a bot names the agent session after it, and the widget and campaign of their chat', async () => {
  const event = (type: DomainEvent['type'], id: string, time: string, part: object) =>
    ({ ...anEvent(type, id, time, { accountId: 'globex', chatId: '1', ...part }), subject: '1' }) as DomainEvent
  const utm = { session: { utmJson: { source: 'google' } } }
  const log = [
    event('ClientMessageReceived', 'g1', '2026-05-01T10:00:00.000Z', {}),
    event('AgentJoined', 'g2', '2026-05-01T10:01:00.000Z', {}),
    event('ChatAccepted', 'g3', '2026-05-01T10:01:02.000Z', {
      widgetId: 'w7',
      page: { url: 'https://a/b?c=d#e' },
      ...utm,
    }),
  ]
  await bridge.applyChanges(inLog(...log).flatMap(changesOfEvent))
  const rows = await db.collection('analytics_sessions').find({ accountId: 'globex' }).sort({ kind: -1 }).toArray()
  assert.equal(
    rows.map(({ _id, agentSessionId, agentAcceptedAt, widgetId, utmSource, page }) => [
      [_id, agentSessionId, agentAcceptedAt?.toISOString()],
      [widgetId, utmSource, page],
    ]),
    [
      [
        ['globex/1/bot/1', 'globex/1/agent/1', '2026-05-01T10:01:02.000Z'],
        ['w7', 'google', undefined],
      ],
      [
        ['globex/1/agent/1', undefined, undefined],
        ['w7', 'google', 'https://a/b'],
      ],
    ],
  )
})

guide.run()
