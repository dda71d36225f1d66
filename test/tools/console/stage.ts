import { inTurn } from '../../../src/simulator/behaviour.ts'
import { chatRated } from '../../../src/simulator/payloads.ts'
import { eventually } from '../../support/eventually.ts'
import { sample } from '../../support/samples.ts'
import type { ConsoleWorld } from './world.ts'

const days = 27
/** A number between 0 and 1, the same in each run. */
const wave = (day: number, of: number) => (Math.sin(day * 1.7 + of * 0.6) + Math.sin(day * 0.45 + of) + 2) / 4

/** The figures of a day, a little different from today's, so that a chart has something to show. */
const likeToday = (value: unknown, day: number, path = ''): unknown => {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (typeof field !== 'number') return [name, likeToday(field, day, `${path}.${name}`)]
      if (name === 'value') return [name, field * (0.7 + 0.6 * wave(day, path.length))]
      return [name, Math.round(field * (8 + 6 * wave(day, path.length + name.length)))]
    }),
  )
}

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
      return { ...(likeToday(rest, i + 4) as typeof rest), _id: `acme/${day}`, day }
    }),
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
    await service.webhook('acme', { ...accepted, visitor: { ...accepted.visitor, chats_count: -1 } })
  }
  await stageTalk(here)
  await stageDays(here)
}
