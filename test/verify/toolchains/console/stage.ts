import { join } from 'node:path'
import { dayMs } from '../../../../src/bridge/shared/time.ts'
import { inTurn } from '../../../../src/tools/simulator/behaviour.ts'
import { chatRated } from '../../../../src/tools/simulator/payloads.ts'
import { eventually } from '../../../support/eventually.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { sample } from '../../../support/samples.ts'
import type { ConsoleWorld } from './world.ts'

const days = 30
/** A number between 0 and 1, the same in each run. */
const wave = (day: number, of: number) => (Math.sin(day * 1.7 + of * 0.6) + Math.sin(day * 0.45 + of) + 2) / 4

/** Figures of a usual contact centre: shares, or milliseconds. */
const usual: Readonly<Record<string, number>> = {
  containment: 0.58,
  strictContainment: 0.51,
  handOffRate: 0.36,
  abandonment: 0.08,
  queueTime: 95_000,
  serviceLevel: 0.78,
  firstResponseBot: 2_400,
  responseTimeBot: 2_900,
  botTurns: 4.2,
  interventions: 0.02,
  firstResponseAgent: 38_000,
  responseTimeAgent: 46_000,
  handleTime: 412_000,
  csat: 0.86,
  csatResponseRate: 0.41,
  reopenRate: 0.06,
  concurrency: 2.3,
}

const figureOf = (name: string, day: number, denominator: number) => {
  // Both kinds of containment rise and fall together: the strict one is always the smaller.
  const of = name === 'strictContainment' ? 'containment'.length : name.length
  const wanted = (usual[name] ?? 0) * (0.85 + 0.3 * wave(day, of))
  const numerator = Math.round(wanted * denominator)
  const value = numerator / denominator
  const isTime = (usual[name] ?? 0) > 1_000
  return { numerator, denominator, value, ...(isTime && { median: value * 0.8, p95: value * 2.6 }) }
}

/** The counts of a day, a little different from day to day, so that a chart has something to show. */
const countsOf = (value: unknown, day: number, path = ''): unknown => {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      typeof field === 'number'
        ? Math.round((field + 1) * (4 + 3 * wave(day, path.length + name.length)))
        : countsOf(field, day, `${path}.${name}`),
    ]),
  )
}

const figuresOf = (day: number, denominator: number) =>
  Object.fromEntries(Object.keys(usual).map((name) => [name, figureOf(name, day, denominator)]))

/** The date of the day this many days before today. */
export const stagedDay = (before: number): string => new Date(Date.now() - before * dayMs).toISOString().slice(0, 10)

type Database = Pick<ConsoleWorld, 'db'>

const put = (
  collection: ReturnType<ConsoleWorld['db']['collection']>,
  documents: ReadonlyArray<{ readonly _id: string }>,
) =>
  collection.bulkWrite(
    documents.map((document) => ({
      replaceOne: { filter: { _id: document._id as never }, replacement: document, upsert: true },
    })),
  )

/**
 * Writes statistics of earlier days to the database directly: the bridge takes its times from the clock. It recomputes
 * the last three days when a bot session changes, for example when it invites an agent for a client who waits. So this
 * may be called again.
 */
export const stageStatistics = async ({ db }: Database): Promise<void> => {
  const due = db.collection('stats_due')
  await eventually(
    'every day to be computed',
    async () => (await due.countDocuments({ since: { $exists: true } })) === 0,
  )
  const stats = db.collection<{ _id: string; day: string }>('daily_stats')
  const today = await eventually('the statistics of today', async () => {
    const found = await stats.findOne({ accountId: 'acme' }, { sort: { day: -1 } })
    return found ?? undefined
  })
  const { _id, nextAt, ...rest } = today as typeof today & { readonly nextAt?: Date }
  await put(
    db.collection('daily_stats'),
    Array.from({ length: days }, (_, i) => {
      const day = stagedDay(i + 1)
      const counts = countsOf(rest, i + 1) as typeof rest
      return { ...counts, figures: figuresOf(i + 1, 140), _id: `acme/${day}`, day }
    }),
  )
  await stageTeamFigures({ db })
  // Without `nextAt` the day is not computed again when the next session has ended.
  await stats.updateOne({ _id }, { $set: { figures: figuresOf(0, 90) }, $unset: { nextAt: '' } })
}

const stageDays = async ({ db }: Database) => {
  await stageStatistics({ db })
  await stageTeam({ db })
  await stageLastWeek({ db })
  await stageMinutes({ db })
  await stageTimes({ db })
  await stageTalkTimes({ db })
}

/** Sessions of the same weekday last week, up to this time of day, with which Now compares today. */
const stageLastWeek = async ({ db }: Database) => {
  const now = Date.now()
  const from = Math.floor(now / dayMs) * dayMs - 7 * dayMs
  const figures = figuresOf(7, 100)
  const sessions = db.collection<{ _id: string }>('sessions')
  await sessions.insertMany(
    Array.from({ length: 42 }, (_, n) => {
      const kind = n % 3 === 0 ? 'agent' : 'bot'
      const startedAt = new Date(from + ((now % dayMs) * n) / 50)
      const isContained = n % 8 < 5
      return {
        _id: `acme/46${1000 + n}/${kind}/1`,
        accountId: 'acme',
        chatId: `46${1000 + n}`,
        number: 1,
        kind,
        channelId: '12345678',
        startedAt,
        lastEventAt: startedAt,
        endsAt: startedAt,
        outcome: kind === 'agent' ? 'finished' : isContained ? 'contained' : 'handed-over',
        clientMessages: 4,
        turns: 4,
        replies: 4,
        agents: kind === 'agent' ? [{ ...agentOf(n / 3), part: 'accepted', messages: 3 }] : [],
        responseTimesMs: [],
        invitations:
          kind === 'agent' || isContained ? [] : [{ by: 'bot', at: startedAt, queueMs: figures.queueTime?.value }],
        firstResponseMs: (kind === 'bot' ? figures.firstResponseBot : figures.firstResponseAgent)?.value,
        ...(kind === 'agent' && { handleMs: figures.handleTime?.value, rating: n % 7 === 0 ? 'bad' : 'good' }),
      }
    }),
  )
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
/** How long a session lasted: a bot answers in minutes, an agent needs longer. */
const lastedMs = (kind: string, n: number) =>
  kind === 'bot' ? (40 + ((n * 53) % 200)) * secondMs : (180 + ((n * 97) % 480)) * secondMs

type Staged = {
  readonly _id: string
  readonly chatId: string
  readonly kind: string
  readonly awaitingSince?: Date
  readonly endsAt?: Date
  readonly firstResponseMs?: number
  readonly handleMs?: number
}

/** The times of a session that were measured in milliseconds, as a contact centre has them. */
const measured = ({ kind, firstResponseMs, handleMs }: Staged, n: number) => {
  const first = kind === 'bot' ? 1_400 + ((n * 331) % 2_000) : (18 + ((n * 7) % 40)) * secondMs
  return {
    ...(firstResponseMs !== undefined && { firstResponseMs: first, responseTimesMs: [first] }),
    ...(handleMs !== undefined && { handleMs: lastedMs(kind, n) }),
  }
}

/** Moves what was played just now back in time: sessions began over the last hours, and clients wait for minutes. */
const stageTimes = async ({ db }: Database) => {
  const now = Date.now()
  const sessions = db.collection<Staged>('sessions')
  const recent = { accountId: 'acme', chatId: { $ne: stagedChat }, startedAt: { $gt: new Date(now - dayMs) } }
  let waits = 0
  for (const [n, session] of (await sessions.find(recent).sort({ startedAt: -1 }).toArray()).entries()) {
    const { _id, chatId, kind, awaitingSince, endsAt } = session
    const isWaiting = awaitingSince !== undefined && Number(endsAt) > now
    if (isWaiting) waits += 1
    const startedAt = new Date(now - (isWaiting ? waits * 95 * secondMs : 6 * minuteMs + n * 110 * secondMs))
    const lastEventAt = new Date(Math.min(now - 20 * secondMs, startedAt.getTime() + lastedMs(kind, n)))
    const since = {
      lastEventAt: isWaiting ? startedAt : lastEventAt,
      ...(awaitingSince !== undefined && { awaitingSince: startedAt }),
    }
    await sessions.updateOne({ _id }, { $set: { startedAt, ...since, ...measured(session, n) } })
    await db
      .collection('conversations')
      .updateOne({ chatId, awaitingReplySince: { $exists: true } }, { $set: { awaitingReplySince: startedAt } })
    await db.collection('timeline').updateMany({ accountId: 'acme', chatId }, { $set: { time: startedAt } })
  }
}

/** When each event of the staged chat happened, in seconds after its first one. */
const talkSeconds = [0, 2.4, 43, 51.2, 96, 97.1, 358]
/** An attempt takes a tenth of a second, and the next one follows after seconds. */
const stretch = 12

/** Spreads the events of the staged chat over six minutes, up to a minute ago. */
const stageTalkTimes = async ({ db }: Database) => {
  const timeline = db.collection<{ _id: string; time: Date }>('timeline')
  const events = await timeline.find({ chatId: stagedChat }).sort({ time: 1, offset: 1 }).toArray()
  const first = Date.now() - minuteMs - (talkSeconds.at(-1) ?? 0) * secondMs
  const times = talkSeconds.map((seconds) => new Date(first + seconds * secondMs))
  const moved = (value: unknown, from: number, to: number): unknown => {
    if (value instanceof Date) return new Date(to + (value.getTime() - from) * stretch)
    if (Array.isArray(value)) return value.map((each) => moved(each, from, to))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        name === 'durationMs' ? 60 + Number(each) * stretch : moved(each, from, to),
      ]),
    )
  }
  for (const [i, { _id, time, ...event }] of events.entries()) {
    const at = times[i] ?? time
    await timeline.updateOne({ _id }, { $set: { ...(moved(event, time.getTime(), at.getTime()) as object), time: at } })
  }
  const [startedAt, answeredAt, , , , invitedAt, joinedAt] = times
  const firstResponseMs = Number(answeredAt) - Number(startedAt)
  await db.collection('sessions').updateOne(
    { chatId: stagedChat, kind: 'bot' },
    {
      $set: {
        startedAt,
        lastEventAt: joinedAt,
        endsAt: joinedAt,
        firstResponseMs,
        invitations: [{ by: 'bot', at: invitedAt, joinedAt, queueMs: Number(joinedAt) - Number(invitedAt) }],
      },
    },
  )
  await db
    .collection('conversations')
    .updateOne({ chatId: stagedChat }, { $set: { startedAt, lastEventAt: joinedAt, joinedAt, invitedAt } })
}

/** Entries of the timeline of the last 24 hours, most of them by day, and of one more hour a week ago. */
const stageMinutes = async ({ db }: Database) => {
  const now = Date.now()
  const minutesBefore = (last: number, size: number) => Array.from({ length: size }, (_, i) => last - (i + 2) * 60_000)
  const minutes = [...minutesBefore(now, 24 * 60), ...minutesBefore(now - 7 * dayMs, 60)]
  const times = minutes.flatMap((time) => {
    const busy = Math.max(0, Math.sin(((time % dayMs) / dayMs) * 2 * Math.PI - Math.PI / 2) + 0.35)
    const count = Math.round(14 * busy * (0.6 + 0.8 * wave(time / 4_000_000, 3)) + 2 * wave(time / 60_000, 9))
    return Array.from({ length: count }, (_, n) => new Date(time + n * 1_000))
  })
  await db
    .collection<{ _id: string }>('timeline')
    .insertMany(times.map((time, n) => ({ _id: `staged-${n}`, accountId: 'acme', chatId: '450000', time })))
}

const team = ['Mia Lindqvist', 'Jonas Weber', 'Amira Haddad', 'Tomás Rivera', 'Grace Okafor', 'Felix Novak']
const agentOf = (n: number) => ({ id: String(21 + (n % team.length)), name: team[n % team.length] })
const teamFigures = ['firstResponseAgent', 'responseTimeAgent', 'handleTime', 'csat', 'csatResponseRate', 'concurrency']

/** The statistics of each agent on a day. */
const teamOf = (i: number) =>
  team.map((_, n) => {
    const [{ id }, day] = [agentOf(n), stagedDay(i)]
    const figures = Object.entries(figuresOf(i + n, 12 + n)).filter(([name]) => teamFigures.includes(name))
    return {
      _id: `acme/${day}/agent/${id}`,
      accountId: 'acme',
      day,
      by: 'agent',
      id,
      asOf: new Date(),
      sessions: { agent: { started: 12 + n + (i % 3), open: 0 }, bot: { started: 0, open: 0 } },
      figures: Object.fromEntries(figures) as Record<string, ReturnType<typeof figureOf>>,
    }
  })

/** The figures of each agent of a team, and those of all together. */
const stageTeamFigures = async ({ db }: Database) => {
  const stats = db.collection<{ _id: string }>('daily_stats')
  for (let i = 1; i <= days; i++) {
    const agents = teamOf(i)
    await put(db.collection('daily_stats_by'), agents)
    const sums = teamFigures.map((name) => {
      const sum = (part: 'numerator' | 'denominator') =>
        agents.reduce((all, { figures }) => all + (figures[name]?.[part] ?? 0), 0)
      const [numerator, denominator] = [sum('numerator'), sum('denominator')]
      return [`figures.${name}`, { numerator, denominator, value: numerator / denominator }]
    })
    const started = agents.reduce((all, { sessions }) => all + sessions.agent.started, 0)
    await stats.updateOne(
      { _id: `acme/${stagedDay(i)}` },
      { $set: { ...Object.fromEntries(sums), 'sessions.agent.started': started } },
    )
  }
}

/** A session of each agent of the team, from which the page has the names. */
const stageTeam = async ({ db }: Database) => {
  const sessions = db.collection<{ _id: string }>('sessions')
  const like = await sessions.findOne({ accountId: 'acme', kind: 'agent' })
  // Before the days of the charts: it does not change their figures.
  const startedAt = new Date(Date.now() - 40 * dayMs)
  await sessions.insertMany(
    team.map((_, n) => ({
      ...like,
      _id: `acme/4700${n}/agent/1`,
      chatId: `4700${n}`,
      startedAt,
      lastEventAt: startedAt,
      agents: [{ ...agentOf(n), part: 'accepted', messages: 3 }],
    })),
  )
}

type Say = readonly [who: 'client' | 'bot' | 'agent', text: string]

/** A bot's conversation that an agent takes over. One reply is delivered at the third attempt. */
const talk: ReadonlyArray<Say> = [
  ['client', 'Hello, my parcel has not come yet. It was due on Friday.'],
  ['bot', 'Hello! May I have the number of your order?'],
  ['client', 'It is 4711-22.'],
  ['bot', 'Thank you. Order 4711-22 left our warehouse on Thursday and is on its way.'],
  ['client', 'The tracking page says that it was returned. Can somebody look at that, please?'],
  ['agent', ''],
]

export const stagedChat = '480219'

const stageTalk = async ({ service, produce, db }: ConsoleWorld) => {
  const chatId = stagedChat
  let number = 0
  const command = async (type: string, more: object) => {
    number += 1
    const id = `staged-${number}`
    const ids = { id, accountId: 'acme', chatId, clientId: '1233', group: 'shop-bot' }
    await produce('bot-replies', `acme/${chatId}`, JSON.stringify({ type, ...ids, ...more }))
    await eventually(`the outcome of ${id}`, () =>
      db
        .collection('deliveries')
        .findOne({ chatId, commandId: id, state: { $ne: 'pending' } })
        .then(Boolean),
    )
  }
  for (const [who, text] of talk) {
    if (who === 'client') await service.clientWrites(chatId, text, { clientId: '1233' })
    if (who === 'bot') {
      if (number === 1)
        service.misbehave(inTurn({ kind: 'error', status: 503 }, { kind: 'error', status: 500 }), chatId)
      await command('BotMessage', { message: { type: 'TEXT', text } })
    }
    if (who === 'agent') {
      await command('InviteAgent', {})
      await service.agentJoins(chatId, { clientId: '1233' })
    }
  }
}

/** The client of the page Privacy: one of a family uses the same computer, and another client has the same address. */
export const stagedClient = '1501'

const stagePerson = async ({ service }: Pick<ConsoleWorld, 'service'>) => {
  const [accepted, updated] = ['chat_accepted', 'client_updated'].map((name) => JSON.parse(sample('webhooks', name)))
  const [nora, emil] = ['nora.lind@example.com', 'emil.lind@example.com']
  const visitor = (number: string, name: string, email: string) => ({ number, name, email })
  const noraAt = (number: string) => visitor(number, 'Nora Lind', nora)
  for (const [client, number] of [
    [stagedClient, '5120'],
    ['1502', '5121'],
  ] as const)
    await service.webhook('acme', {
      ...updated,
      client_id: client,
      user_token: `token-${number}`,
      visitor: noraAt(number),
    })
  for (const [chat, by] of [
    [480_501, noraAt('5120')],
    [480_502, noraAt('5120')],
    [480_503, noraAt('5120')],
    [480_504, visitor('5120', 'Emil Lind', emil)],
    [480_505, visitor('5120', 'Emil Lind', emil)],
    [480_506, noraAt('5121')],
  ] as const)
    await service.webhook('acme', { ...accepted, chat_id: chat, user_token: `token-${by.number}`, visitor: by })
}

const questions = [
  'Is the grey jacket still in stock in size M?',
  'Where is my parcel? It was due on Friday.',
  'I was charged twice for order 4711-22.',
  'Can I change the address of my order?',
  'How do I return a pair of shoes?',
]

/** Adds what the demo does not play: waiting clients, dead letters, requests in quarantine and days of statistics. */
export const stage = async (here: ConsoleWorld): Promise<void> => {
  const { service, produce, db } = here
  const accepted = JSON.parse(sample('webhooks', 'chat_accepted'))
  for (let i = 0; i < 14; i++) {
    const chat = 480_100 + i
    const agent = { ...accepted.agent, ...agentOf(i) }
    await service.webhook('acme', {
      ...accepted,
      chat_id: chat,
      agent,
      visitor: { ...accepted.visitor, number: String(i) },
    })
    if (i % 3 !== 0) {
      const { chat: log, ...finished } = chatRated(chat, i % 4 === 0 ? 'bad' : 'good')
      const messages = log.messages.map((each) => (each.type === 'agent' ? { ...each, agent_id: agent.id } : each))
      await service.webhook('acme', { ...finished, agents: [agent], chat: { ...log, messages } })
    }
    const [chatId, clientId] = [`${480_300 + i}`, `${1_300 + i}`]
    await service.clientWrites(chatId, questions[i % questions.length] ?? '', { clientId })
    if (i % 4 === 0) continue
    if (i % 4 < 3) {
      const message = { type: 'TEXT', text: 'Thank you. I am looking into it.' }
      const ids = { id: `staged-answer-${i}`, accountId: 'acme', chatId, clientId }
      await produce('bot-replies', `acme/${chatId}`, JSON.stringify({ type: 'BotMessage', ...ids, message }))
      await eventually('the answer', () =>
        db.collection('deliveries').findOne({ commandId: ids.id, state: 'delivered' }).then(Boolean),
      )
    }
    await service.closeChat(chatId)
  }
  for (const [i, buttons] of [undefined, [1, 2, 3, 4], []].entries()) {
    const message =
      buttons === undefined
        ? { type: 'TEXT' }
        : {
            type: 'BUTTONS',
            title: 'When shall we call you?',
            buttons: buttons.map((id) => ({ id, text: `${id} pm` })),
          }
    const [chatId, clientId] = [`${480_400 + i}`, `${1_400 + i}`]
    await service.clientWrites(chatId, questions[i] ?? '', { clientId })
    const send = (id: string, message: object) => {
      const command = { type: 'BotMessage', id, accountId: 'acme', chatId, clientId, message }
      return produce('bot-replies', `acme/${chatId}`, JSON.stringify(command))
    }
    await send(`letter-${i}`, message)
    await send(`staged-excuse-${i}`, { type: 'TEXT', text: 'I am sorry, something went wrong. Please ask again.' })
    await eventually('both outcomes', async () => {
      const over = { chatId, commandId: /^(letter|staged-excuse)-/, state: { $ne: 'pending' } }
      return (await db.collection('deliveries').countDocuments(over)) === 2
    })
    await service.webhook('acme', { ...accepted, chat_id: {} })
  }
  await stageTalk(here)
  await stagePerson(here)
  const [ticket, receipt] = ['GDPR-117', join(temporaryFolder(), 'receipt.json')]
  const erased = await here.command(
    ...['erase', '--account', 'acme', '--client', '1301', '--ticket', ticket, '--by', 'kim@example.com'],
    ...['--receipt', receipt, '--yes'],
  )
  if (erased.code !== 0) throw new Error(`the erasure failed: ${erased.out}${erased.err}`)
  await stageDays(here)
}
