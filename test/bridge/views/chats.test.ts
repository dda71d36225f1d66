import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ChatEvent } from '../../../contracts/events/index.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import type { ChatDocument } from '../../../contracts/views/chat.ts'
import { dated } from '../../../src/bridge/domain/dated.ts'
import { evolveChat } from '../../../src/bridge/views/chats.ts'
import { anEvent, at, date, inLog } from '../../support/given-events.ts'

const chats = suite('chats')

const chatOf = (...events: ReadonlyArray<ChatEvent>) =>
  inLog(...events).reduce<ChatDocument | undefined>(evolveChat, undefined)

const accepted = anEvent('ChatAccepted', 'e1', at('10:00:00'), { organization: { id: 'o1', name: 'Acme' } })
const finished = anEvent('ChatFinished', 'e2', at('10:05:00'), {
  agents: [{ id: 'a1', name: 'Bob B.' }, { id: 'a2' }],
  visitor: { number: '2746', chatsCount: 4 },
  chat: {
    messages: [
      { message: 'May I help?', timestamp: at('09:59:00'), type: 'agent', agentId: 'a1' },
      { message: 'Hi', timestamp: at('10:00:01'), type: 'visitor' },
      { message: 'Hello', timestamp: at('10:00:08'), type: 'agent', agentId: 'a1' },
    ],
    blacklisted: false,
    rate: 'good',
  },
})

chats('a finished chat has all data of its events', () => {
  assert.equal(chatOf(accepted, finished), {
    _id: 'acme/2037',
    accountId: 'acme',
    applied: { 'chats/0': 1 },
    seen: ['webhooks/e1', 'webhooks/e2'],
    chatId: '2037',
    widgetId: 'w1',
    state: 'finished',
    visitor: { number: '2746', chatsCount: 4 },
    organization: { id: 'o1', name: 'Acme' },
    agents: [{ id: 'a1', name: 'Bob B.' }, { id: 'a2' }],
    messages: dated(finished).data.chat?.messages,
    rate: 'good',
    blacklisted: false,
    firstResponseMs: 7_000,
    totalMs: 300_000,
    firstEventAt: date('10:00:00'),
    lastEventAt: date('10:05:00'),
    acceptedAt: date('10:00:00'),
    finishedAt: date('10:05:00'),
  })
})

chats('a chat keeps its first acceptance when a second agent accepts it', () => {
  const second = anEvent('ChatAccepted', 'e3', at('10:01:00'), { agent: { id: 'a2' } })
  const { acceptedAt, agents } = chatOf(accepted, second) ?? {}
  assert.equal(
    { acceptedAt, agents },
    { acceptedAt: date('10:00:00'), agents: [{ id: 'a1', name: 'Bob' }, { id: 'a2' }] },
  )
})

chats('a chat that is accepted again is open, and keeps the data of its last end until the next', () => {
  const again = anEvent('ChatAccepted', 'e3', at('11:00:00'))
  const { state, acceptedAt, finishedAt, totalMs, rate } = chatOf(accepted, finished, again) ?? {}
  assert.equal(
    { state, acceptedAt, finishedAt, totalMs, rate },
    { state: 'open', acceptedAt: date('11:00:00'), finishedAt: date('10:05:00'), totalMs: 300_000, rate: 'good' },
  )
  const end = anEvent('ChatFinished', 'e4', at('11:00:10'))
  const after = chatOf(accepted, finished, again, end)
  assert.equal(after?.totalMs, 10_000)
  assert.not.ok(after && ('rate' in after || 'firstResponseMs' in after))
})

for (const [title, time, then] of [
  [
    'up to 15 s after its end stays finished',
    '10:05:15',
    { state: 'finished', acceptedAt: date('10:05:00'), finishedAt: date('10:05:00') },
  ],
  [
    'before its end, although the end came first, stays finished',
    '10:04:00',
    { state: 'finished', acceptedAt: date('10:04:00'), finishedAt: date('10:05:00') },
  ],
  [
    'later than that is open again',
    '10:05:16',
    { state: 'open', acceptedAt: date('10:05:16'), finishedAt: date('10:05:00') },
  ],
] as const)
  chats(`a chat that was never accepted before, and is accepted ${title}`, () => {
    const { state, acceptedAt, finishedAt, totalMs } =
      chatOf(finished, { ...accepted, time: at(time) as Instant }) ?? {}
    assert.equal({ state, acceptedAt, finishedAt, totalMs }, { ...then, totalMs: undefined })
  })

chats('a chat that was accepted before is open again, however soon after its end it is accepted', () => {
  assert.is(chatOf(accepted, finished, anEvent('ChatAccepted', 'e3', at('10:05:01')))?.state, 'open')
})

chats('a repeated acceptance neither opens a finished chat nor moves its times', () => {
  const before = chatOf(accepted, finished)
  const after = chatOf(accepted, finished, { ...accepted, time: at('10:06:00') as typeof accepted.time })
  assert.equal(after, { ...before, applied: { 'chats/0': 2 } })
})

chats('an assignment and an update have their own times and leave a finished chat finished', () => {
  const assigned = anEvent('ChatAssigned', 'e3', at('10:06:00'), { assignTo: 'https://crm.example.com/1' })
  const updated = anEvent('ChatUpdated', 'e4', at('10:07:00'))
  const { state, assignTo, assignedAt, updatedAt } = chatOf(accepted, finished, assigned, updated) ?? {}
  assert.equal(
    { state, assignTo, assignedAt, updatedAt },
    {
      state: 'finished',
      assignTo: 'https://crm.example.com/1',
      assignedAt: date('10:06:00'),
      updatedAt: date('10:07:00'),
    },
  )
})

chats('a step that comes again after another one counts, although its body is the same as before', () => {
  const hashed = (event: ChatEvent, id: string, contentHash: string) => ({ ...event, id, contentHash }) as ChatEvent
  const again = [hashed(accepted, 'a1', 'A'), hashed(finished, 'f1', 'F'), hashed(accepted, 'a2', 'A')]
  assert.is(chatOf(...again)?.state, 'open')
  assert.is(chatOf(...again, hashed(accepted, 'a3', 'A'), hashed(finished, 'f2', 'F'))?.state, 'finished')
  const updated = anEvent('ChatUpdated', 'e4', at('10:07:00'))
  const assigned = anEvent('ChatAssigned', 'e3', at('10:06:00'))
  const undone = [hashed(updated, 'u1', 'U'), hashed(assigned, 's1', 'S'), hashed(updated, 'u2', 'U')]
  const last = { ...updated, time: at('10:09:00') as Instant }
  assert.equal(chatOf(...undone)?.updatedAt, date('10:07:00'))
  assert.equal(chatOf(...undone.slice(0, 2), hashed(last, 'u2', 'U'))?.updatedAt, date('10:09:00'))
})

const logged = (id: string, ...lines: ReadonlyArray<readonly [time: string, message: string]>) =>
  anEvent('ChatFinished', id, at('10:30:00'), {
    chat: { messages: lines.map(([time, message]) => ({ message, timestamp: at(time), type: 'visitor' })) },
  })
const first = logged('e1', ['10:00:00', 'Hi'], ['10:01:00', 'Bye'])
const reopened: ReadonlyArray<readonly [title: string, last: ChatEvent, then: ReadonlyArray<string>]> = [
  ['only its newest session', logged('e2', ['10:20:00', 'Me again']), ['Hi', 'Bye', 'Me again']],
  ['a line in the second of the last one', logged('e2', ['10:01:00', 'Me again']), ['Hi', 'Bye', 'Me again']],
  [
    'all of the chat',
    logged('e2', ['10:00:00', 'Hi'], ['10:01:00', 'Bye'], ['10:20:00', 'Again']),
    ['Hi', 'Bye', 'Again'],
  ],
  ['no line', logged('e2'), ['Hi', 'Bye']],
]
for (const [title, last, then] of reopened)
  chats(`a chat that is finished again keeps every message once if the new log has ${title}`, () => {
    assert.equal(
      chatOf(first, last)?.messages.map(({ message }) => message),
      then,
    )
  })

chats('a chat keeps the newest 4 MiB of its log, and counts the omitted messages', () => {
  const message = (i: number) => ({ type: 'agent', message: `${i}`.padEnd(99_900), timestamp: at('10:00:00') })
  const messages = Array.from({ length: 50 }, (_, i) => message(i))
  const long = anEvent('ChatFinished', 'e3', at('10:05:00'), { chat: { messages, blacklisted: false } })
  const chat = chatOf(accepted, long)
  assert.equal(chat?.messages, dated(long).data.chat?.messages?.slice(9))
  assert.is(chat?.messagesOmitted, 9)
  const short = chatOf(accepted, long, logged('e4', ['09:59:00', 'Hi']))
  assert.equal(short?.messages.length, 1)
  assert.not.ok(short && 'messagesOmitted' in short)
})

chats('a chat without an acceptance has no total time', () => {
  const chat = chatOf(finished)
  assert.equal(chat?.state, 'finished')
  assert.not.ok(chat && 'totalMs' in chat)
})

chats.run()
