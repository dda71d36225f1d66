import { inTurn } from '../../../src/simulator/behaviour.ts'
import { chatRated } from '../../../src/simulator/payloads.ts'
import { eventually } from '../../support/eventually.ts'
import { sample } from '../../support/samples.ts'
import type { ConsoleWorld } from './world.ts'

const days = 27
/** A number between 0 and 1, the same in each run. */
const wave = (day: number, of: number) => (Math.sin(day * 1.7 + of * 0.6) + Math.sin(day * 0.45 + of) + 2) / 4

/** Figures of a usual contact centre: shares, or milliseconds. */
const usual: Readonly<Record<string, number>> = {
  containment: 0.58,
  strictContainment: 0.54,
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
  const wanted = (usual[name] ?? 0) * (0.85 + 0.3 * wave(day, name.length))
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
export const stagedDay = (before: number): string =>
  new Date(Date.now() - before * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)

/**
 * Writes statistics of earlier days to the database directly: the bridge takes its times from the clock. It recomputes
 * the last days, so these are left out.
 */
const stageDays = async ({ db }: ConsoleWorld) => {
  const stats = db.collection<{ _id: string; day: string }>('daily_stats')
  const today = await eventually('the statistics of today', async () => {
    const found = await stats.findOne({ accountId: 'acme' }, { sort: { day: -1 } })
    return found ?? undefined
  })
  const { _id, nextAt, ...rest } = today as typeof today & { readonly nextAt?: Date }
  await stats.insertMany(
    Array.from({ length: days }, (_, i) => {
      const day = stagedDay(i + 4)
      const counts = countsOf(rest, i + 4) as typeof rest
      return { ...counts, figures: figuresOf(i + 4, 140), _id: `acme/${day}`, day }
    }),
  )
  await stats.updateOne({ _id }, { $set: { figures: figuresOf(0, 90) } })
  await stageTeam({ db })
}

const team = ['Mia Lindqvist', 'Jonas Weber', 'Amira Haddad', 'Tomás Rivera', 'Grace Okafor', 'Felix Novak']

/** The figures of each agent of a team, and a session of each, from which the page has the names. */
const stageTeam = async ({ db }: Pick<ConsoleWorld, 'db'>) => {
  const by = db.collection<{ _id: string }>('daily_stats_by')
  await by.insertMany(
    team.flatMap((_, n) =>
      Array.from({ length: 7 }, (_, i) => {
        const [id, day] = [String(n + 21), stagedDay(i + 4)]
        const { firstResponseAgent, responseTimeAgent, handleTime, csat, csatResponseRate, concurrency } = figuresOf(
          i + n,
          12 + n,
        )
        return {
          _id: `acme/${day}/agent/${id}`,
          accountId: 'acme',
          day,
          by: 'agent',
          id,
          asOf: new Date(),
          sessions: { agent: { started: 12 + n + (i % 3), open: 0 }, bot: { started: 0, open: 0 } },
          figures: { firstResponseAgent, responseTimeAgent, handleTime, csat, csatResponseRate, concurrency },
        }
      }),
    ),
  )
  const sessions = db.collection<{ _id: string }>('sessions')
  const like = await sessions.findOne({ accountId: 'acme', kind: 'agent' })
  const startedAt = new Date(Date.now() - 5 * 24 * 60 * 60 * 1000)
  await sessions.insertMany(
    team.map((name, n) => ({
      ...like,
      _id: `acme/4700${n}/agent/1`,
      chatId: `4700${n}`,
      startedAt,
      lastEventAt: startedAt,
      agents: [{ id: String(n + 21), name, part: 'accepted', messages: 3 }],
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
    const ids = { id, accountId: 'acme', chatId, clientId: '1233' }
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

/** Adds what the demo does not play: waiting clients, dead letters, requests in quarantine and days of statistics. */
export const stage = async (here: ConsoleWorld): Promise<void> => {
  const { service, produce } = here
  const accepted = JSON.parse(sample('webhooks', 'chat_accepted'))
  for (let i = 0; i < 14; i++) {
    const chat = 480_100 + i
    await service.webhook('acme', { ...accepted, chat_id: chat, visitor: { ...accepted.visitor, number: String(i) } })
    if (i % 3 !== 0) await service.webhook('acme', { ...chatRated(chat, i % 4 === 0 ? 'bad' : 'good') })
    await service.clientWrites(`${480_300 + i}`, 'Is this still in stock?')
    if (i % 4 !== 0) await service.closeChat(`${480_300 + i}`)
  }
  for (const [i, buttons] of [[], [1, 2, 3, 4], []].entries()) {
    const message = {
      type: 'BUTTONS',
      title: 'When shall we call you?',
      buttons: buttons.map((id) => ({ id, text: `${id} pm` })),
    }
    const ids = { id: `letter-${i}`, accountId: 'acme', chatId: `${480_400 + i}`, clientId: '1233' }
    await produce('bot-replies', `acme/${ids.chatId}`, JSON.stringify({ type: 'BotMessage', ...ids, message }))
    await service.webhook('acme', { ...accepted, chat_id: {} })
  }
  await stageTalk(here)
  await stageDays(here)
}
