import * as E from 'fp-ts/lib/Either.js'
import { DomainEvent } from '../../contracts/events/index.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import { sourceAt, sourceOfType } from '../../contracts/source.ts'
import { topicOf } from '../../contracts/topics.ts'
import { dated } from '../../src/bridge/domain/dated.ts'
import type { Recorded } from '../../src/bridge/views/document.ts'

type Type = DomainEvent['type']
type Of<T extends Type> = Extract<DomainEvent, { type: T }>

const visitor = { number: '2746', chatsCount: 3, name: 'Ann' }
const webhook = { accountId: 'acme', widgetId: 'w1', visitor }
const chat = { ...webhook, chatId: '2037', agent: { id: 'a1', name: 'Bob' } }
const conversation = { accountId: 'acme', chatId: '2037', clientId: '1233' }
const text = (words: string) => ({ type: 'TEXT', text: words, timestamp: '2026-01-31T10:00:00.000Z' })
const reply = {
  ...conversation,
  commandId: 'r1',
  commandType: 'BotMessage',
  requestedAt: '2026-01-31T10:00:01.000Z',
  attempts: [{ at: '2026-01-31T10:00:01.100Z', durationMs: 20, status: 200 }],
  message: text('Hello'),
}

const data: Readonly<Record<Type, object>> = {
  ChatAccepted: chat,
  ChatAssigned: chat,
  ChatUpdated: chat,
  ChatFinished: { ...webhook, chatId: '2037', agents: [], chat: { messages: [], blacklisted: false } },
  CallStatusChanged: { ...webhook, chatId: '2037', call: { type: 'incoming', phone: '+15550100', status: 'start' } },
  ClientUpdated: { ...webhook, clientId: '1233' },
  OfflineMessageReceived: { ...webhook, chatId: '2037', message: 'Hello?', offlineMessageId: '77' },
  ClientMessageReceived: { ...conversation, message: text('Hi') },
  AgentInvited: { ...conversation, invitedBy: 'service' },
  AgentJoined: conversation,
  AgentUnavailable: conversation,
  ChatClosed: conversation,
  BotReplyDelivered: reply,
  BotReplyFailed: { ...reply, reason: 'rejected' },
  BotReplySuppressed: { ...reply, reason: 'agent-joined' },
  ClientErased: { accountId: 'acme', clientId: '1233', erasureId: 'erasure' },
  ChatErased: { ...conversation, erasureId: 'erasure', topic: 'chats' },
}
/** `10:00:05` on 31 January 2026. */
export const at = (time: string) => `2026-01-31T${time}.000Z`

/** The same time, as documents store it. */
export const date = (time: string) => new Date(at(time))

/** A valid event with the given parts of its data; throws if they are invalid. */
export const anEvent = <T extends Type>(type: T, id: string, time: string, part: object = {}): Of<T> => {
  const subject = type === 'ClientUpdated' || type === 'ClientErased' ? '1233' : '2037'
  const source = sourceAt('acme', sourceOfType(type))
  const event = DomainEvent.decode({ type, id, source, subject, time, data: { ...data[type], ...part } })
  if (E.isLeft(event)) throw new Error(describe(problemsOf(event.left)))
  return event.right as Of<T>
}

/** The events at offsets 0, 1, 2, … of partition 0 of their topic. */
export const inLog = <E extends DomainEvent>(...events: ReadonlyArray<E>): ReadonlyArray<Recorded<E>> =>
  events.map((event, offset) => ({ event: dated(event), topic: topicOf(event).name, partition: 0, offset }))
