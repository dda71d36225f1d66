import type { MongoClient } from 'mongodb'
import { dated } from '../../../../../src/bridge/domain/dated.ts'
import { ensureIndexes } from '../../../../../src/bridge/mongo/indexes.ts'
import { changesOfEvent } from '../../../../../src/bridge/views/changes.ts'
import { anEvent, at, inLog } from '../../../../support/given-events.ts'
import { memoryViews } from '../../../../support/memory-views.ts'
import { accountId } from '../../account.ts'

type Db = ReturnType<MongoClient['db']>
type Document = { readonly [field: string]: unknown; readonly _id: string }

const text = (words: string) => ({ type: 'TEXT', text: words, timestamp: at('10:00:00') })
const second = (n: number) => at(`10:00:${String(n).padStart(2, '0')}`)
const words = 'I have ordered shoes last week and they have not arrived yet, could you please look where they are? '

/** Twenty events: messages of the client, every third answered by the bot, then an agent who finishes the chat. */
const events = [
  ...Array.from({ length: 12 }, (_, n) => [
    anEvent('ClientMessageReceived', `m${n}`, second(2 * n), { message: text(words) }),
    ...(n % 3 === 2 ? [anEvent('BotReplyDelivered', `r${n}`, second(2 * n + 1), { commandId: `r${n}` })] : []),
  ]).flat(),
  anEvent('AgentInvited', 'i', second(30)),
  anEvent('AgentJoined', 'j', second(40)),
  anEvent('ChatAccepted', 'a', second(41)),
  anEvent('ChatFinished', 'f', second(59)),
]
export const eventsEach = events.length

/** The documents of one such chat in the views. */
const folded = async (): Promise<ReadonlyArray<readonly [view: string, document: Document]>> => {
  const views = memoryViews()
  const changes = inLog(...events).flatMap((recorded, offset) => changesOfEvent({ ...recorded, offset }))
  await views.applyChanges(changes)
  return Object.entries(views.documents()).map(([key, document]) => [
    key.slice(0, key.indexOf(' ')),
    document as unknown as Document,
  ])
}

/** The same documents for another chat at another time: with its ids and times. */
const moved = (value: unknown, ids: ReadonlyMap<string, string>, ms: number): unknown => {
  if (typeof value === 'string') return ids.get(value) ?? value
  if (value instanceof Date) return new Date(value.getTime() + ms)
  if (Array.isArray(value)) return value.map((item) => moved(item, ids, ms))
  if (typeof value !== 'object' || value === null) return value
  const fields: Record<string, unknown> = {}
  for (const name in value) fields[name] = moved(value[name as keyof typeof value], ids, ms)
  return fields
}

const first = Date.parse(at('10:00:00'))
const dayMs = 24 * 3_600_000

/** The sessions differ by chat, newest first: some are open, some have rare outcomes or failed replies. */
const sessionOf = (document: Document, n: number): Document => {
  const isBot = document.kind === 'bot'
  const isOpen = n % 500 === 7
  const { endsAt, ...open } = document
  const outcome = n % 1_000 === 11 ? 'abandoned' : document.outcome
  return {
    ...(isOpen && !isBot ? { ...open, outcome: 'open' } : { ...document, outcome: isBot ? outcome : document.outcome }),
    ...(isOpen && isBot && { endsAt: new Date(Date.now() + dayMs), awaitingSince: document.startedAt }),
    channelId: `w${n % 50}`,
    ...(isBot ? {} : { agents: [{ id: `a${n % 40}`, part: 'accepted', messages: 3, name: 'Bob' }] }),
    ...(isBot && n % 800 === 13 && { repliesFailed: 1 }),
  }
}

export const chatIdOf = (n: number): string => String(1_000_000 + n)
/** The times are spread over 90 days. */
const startOf = (n: number, count: number) => Date.now() - 60_000 - (n * 90 * dayMs) / count
const atOnce = 250

const documentsOf = (template: Awaited<ReturnType<typeof folded>>, n: number, count: number) => {
  const chatId = chatIdOf(n)
  const ids = new Map([
    ['2037', chatId],
    ['1233', `c${n}`],
  ])
  return template.map(([view, document]) => {
    const _id = `${document._id.replace('/2037', `/${chatId}`)}${view === 'timeline' ? `-${n}` : ''}`
    const one = { ...(moved(document, ids, startOf(n, count) - first) as Document), _id }
    return [view, view === 'sessions' ? sessionOf({ ...one, latestOf: _id }, n) : one] as const
  })
}

/** Inserts chats into the views, without the bridge, and one chat with `long` events; then creates the indexes. */
export const fillStore = async (db: Db, count: number, long: number): Promise<void> => {
  const template = await folded()
  const insert = (view: string, documents: Document[]) =>
    db.collection<Document>(view).insertMany(documents, { ordered: false, writeConcern: { w: 1 } })
  for (let from = 0; from < count; from += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - from) }, (_, i) =>
      documentsOf(template, from + i, count),
    ).flat()
    const views = Map.groupBy(some, ([view]) => view)
    await Promise.all(
      [...views].map(([view, found]) =>
        insert(
          view,
          found.map(([, document]) => document),
        ),
      ),
    )
  }
  const [message] = events
  const { data, type } = dated(message ?? anEvent('ClientMessageReceived', 'm', second(0)))
  const entries = Array.from({ length: long }, (_, n) => ({
    _id: `${accountId}/bot/long-${n}`,
    accountId,
    chatId: 'long',
    clientId: 'long',
    type,
    data,
    time: new Date(first + n * 1_000),
    topic: 'bot-conversations',
    partition: 0,
    offset: n,
  }))
  await insert('timeline', entries)
  await ensureIndexes(db)
}
