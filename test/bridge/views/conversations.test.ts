import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConversationEvent } from '../../../contracts/events/index.ts'
import type { ConversationDocument } from '../../../contracts/views/conversation.ts'
import { dated } from '../../../src/bridge/domain/dated.ts'
import { evolveConversation } from '../../../src/bridge/views/conversations.ts'
import { anEvent, at, date, inLog } from '../../support/given-events.ts'

const conversations = suite('conversations')

const conversationOf = (...events: ReadonlyArray<ConversationEvent>) =>
  inLog(...events).reduce<ConversationDocument | undefined>(evolveConversation, undefined)

const message = (id: string, time: string) => anEvent('ClientMessageReceived', id, at(time))
const reply = (id: string, time: string, part: object = {}) => anEvent('BotReplyDelivered', id, at(time), part)
const handOver = (id: string, time: string, sent = time) =>
  reply(id, time, { commandType: 'InviteAgent', message: undefined, attempts: [{ at: at(sent), durationMs: 5 }] })
const invited = (id: string, time: string) => anEvent('AgentInvited', id, at(time))
const joined = (id: string, time: string) => anEvent('AgentJoined', id, at(time))
const unavailable = (id: string, time: string) => anEvent('AgentUnavailable', id, at(time))
const failed = (id: string, time: string, part: object = {}) => anEvent('BotReplyFailed', id, at(time), part)
const own = (id: string, time: string, inReplyTo: string, because: string) => reply(id, time, { inReplyTo, because })
const closed = (id: string, time: string) => anEvent('ChatClosed', id, at(time))

conversations('a message that the bot has answered', () => {
  const answer = reply('e2', '10:00:02')
  assert.equal(conversationOf(message('e1', '10:00:00'), answer), {
    _id: 'acme/2037',
    accountId: 'acme',
    applied: { 'bot-conversations/0': 1 },
    seen: ['bot/e1', 'egress/e2'],
    chatId: '2037',
    clientId: '1233',
    state: 'bot',
    clientMessages: 1,
    repliesDelivered: 1,
    repliesFailed: 0,
    repliesSuppressed: 0,
    unanswered: [],
    replyTimesMs: [2_000],
    outcome: 'bot',
    lastMessage: { id: 'e2', from: 'bot', message: dated(answer).data.message, at: date('10:00:02') },
    lastClientMessageId: 'e1',
    startedAt: date('10:00:00'),
    lastEventAt: date('10:00:02'),
  })
})

type Expected = Partial<ConversationDocument>
const table: ReadonlyArray<readonly [string, ReadonlyArray<ConversationEvent>, object]> = [
  [
    'messages without an answer wait since the first of them',
    [message('e1', '10:00:00'), message('e2', '10:00:05')],
    { state: 'bot', outcome: 'open', awaitingReplySince: date('10:00:00'), awaitingReplyTo: 'e1', clientMessages: 2 },
  ],
  [
    'a reply that names no message answers all, as one turn',
    [message('e1', '10:00:00'), message('e2', '10:00:05'), reply('e3', '10:00:06')],
    { replyTimesMs: [6_000], awaitingReplySince: undefined, awaitingReplyTo: undefined },
  ],
  [
    'a reply to the first of two messages leaves the second waiting',
    [message('e1', '10:00:00'), message('e2', '10:00:05'), reply('e3', '10:00:06', { inReplyTo: 'e1' })],
    { replyTimesMs: [6_000], awaitingReplySince: date('10:00:05'), awaitingReplyTo: 'e2' },
  ],
  [
    'a second reply to a message that was answered does not answer a newer one',
    [
      message('e1', '10:00:00'),
      reply('e2', '10:00:01', { inReplyTo: 'e1' }),
      message('e3', '10:00:05'),
      reply('e4', '10:00:06', { inReplyTo: 'e1' }),
    ],
    { replyTimesMs: [1_000], awaitingReplyTo: 'e3', repliesDelivered: 2 },
  ],
  [
    'a reply to an unknown message answers all',
    [message('e1', '10:00:00'), reply('e2', '10:00:01', { inReplyTo: 'nonsense' })],
    { replyTimesMs: [1_000], awaitingReplyTo: undefined },
  ],
  [
    'an announced answer leaves the client waiting, and a second announcement extends nothing',
    [
      message('e1', '10:00:00'),
      reply('e2', '10:00:01', {
        expectsMore: true,
        inReplyTo: 'e1',
        attempts: [{ at: at('10:00:01'), durationMs: 5 }],
      }),
      reply('e3', '10:00:03', {
        expectsMore: true,
        inReplyTo: 'e1',
        attempts: [{ at: at('10:00:03'), durationMs: 5 }],
      }),
    ],
    {
      awaitingReplyTo: 'e1',
      replyTimesMs: [],
      outcome: 'open',
      repliesDelivered: 2,
      unanswered: [{ moreSince: date('10:00:01'), id: 'e1', at: date('10:00:00') }],
    },
  ],
  [
    'the answer after an announcement counts from the message',
    [message('e1', '10:00:00'), reply('e2', '10:00:01', { expectsMore: true }), reply('e3', '10:00:07')],
    { awaitingReplyTo: undefined, replyTimesMs: [7_000], outcome: 'bot' },
  ],
  [
    'an announcement that failed leaves the time until an agent is invited as it was',
    [message('e1', '10:00:00'), failed('e2', '10:00:01', { expectsMore: true })],
    { unanswered: [{ id: 'e1', at: date('10:00:00') }], repliesFailed: 1 },
  ],
  [
    'a delivered hand-over invites an agent, and the client still waits',
    [message('e1', '10:00:00'), handOver('e2', '10:00:01')],
    {
      state: 'invited',
      outcome: 'agent-requested',
      invitedAt: date('10:00:01'),
      awaitingReplyTo: 'e1',
      replyTimesMs: [],
    },
  ],
  [
    'an agent who joins has the conversation, and later messages of the client do not wait for the bot',
    [message('e1', '10:00:00'), invited('e2', '10:00:01'), joined('e3', '10:00:02'), message('e4', '10:00:09')],
    {
      state: 'agent',
      outcome: 'agent-requested',
      joinedAt: date('10:00:02'),
      awaitingReplyTo: undefined,
      clientMessages: 2,
    },
  ],
  [
    'a hand-over whose outcome is recorded after the agent joined does not take the conversation back',
    [message('e1', '10:00:00'), joined('e2', '10:00:02'), handOver('e3', '10:00:03', '10:00:01')],
    { state: 'agent' },
  ],
  [
    'a hand-over whose outcome is recorded after AGENT_UNAVAILABLE does not hide that event',
    [message('e1', '10:00:00'), unavailable('e2', '10:00:02'), handOver('e3', '10:00:03', '10:00:01')],
    { state: 'unavailable', outcome: 'agent-requested', unavailableAt: date('10:00:02') },
  ],
  [
    'a second hand-over after no agent was available invites again',
    [message('e1', '10:00:00'), handOver('e2', '10:00:01'), unavailable('e3', '10:00:02'), handOver('e4', '10:01:00')],
    { state: 'invited' },
  ],
  [
    'a reply of the bot after no agent was available answers the client',
    [message('e1', '10:00:00'), handOver('e2', '10:00:01'), unavailable('e3', '10:00:02'), reply('e4', '10:00:04')],
    { state: 'unavailable', outcome: 'agent-requested', replyTimesMs: [4_000], awaitingReplyTo: undefined },
  ],
  [
    'a closed conversation stays closed after late events, and waits for nothing',
    [message('e1', '10:00:00'), closed('e2', '10:00:01'), joined('e3', '10:00:02'), reply('e4', '10:00:03')],
    { state: 'closed', closedAt: date('10:00:01'), awaitingReplyTo: undefined, replyTimesMs: [] },
  ],
  [
    "a client's message after closing gives it to the bot again",
    [message('e1', '10:00:00'), reply('e2', '10:00:01'), closed('e3', '10:00:02'), message('e4', '11:00:00')],
    { state: 'bot', outcome: 'bot', awaitingReplySince: date('11:00:00'), awaitingReplyTo: 'e4' },
  ],
  [
    'failed and suppressed replies count and answer nothing',
    [
      message('e1', '10:00:00'),
      anEvent('BotReplyFailed', 'e2', at('10:00:01')),
      anEvent('BotReplySuppressed', 'e3', at('10:00:02')),
    ],
    { repliesFailed: 1, repliesSuppressed: 1, repliesDelivered: 0, outcome: 'open', awaitingReplyTo: 'e1' },
  ],
  [
    'a reply that was given up marks its message, and the client still waits',
    [message('e1', '10:00:00'), message('e2', '10:00:05'), failed('e3', '10:00:06', { inReplyTo: 'e1' })],
    {
      unanswered: [
        { id: 'e1', at: date('10:00:00'), status: 'reply-failed' },
        { id: 'e2', at: date('10:00:05') },
      ],
      silentSince: date('10:00:00'),
    },
  ],
  [
    'a reply that can never be sent marks its message',
    [message('e1', '10:00:00'), failed('e3', '10:00:06', { reason: 'invalid' })],
    { unanswered: [{ id: 'e1', at: date('10:00:00'), status: 'reply-failed' }], repliesFailed: 1 },
  ],
  [
    'after an agent was invited, the message is not overdue, but the client still waits',
    [message('e1', '10:00:00'), invited('e2', '10:00:10'), message('e3', '10:00:20')],
    {
      unanswered: [
        { id: 'e1', at: date('10:00:00'), status: 'agent-asked' },
        { id: 'e3', at: date('10:00:20'), status: 'agent-asked' },
      ],
      silentSince: undefined,
      awaitingReplySince: date('10:00:00'),
    },
  ],
  [
    'AGENT_UNAVAILABLE waits for a word, and what the client writes then for an answer',
    [message('e1', '10:00:00'), unavailable('e2', '10:00:10'), message('e3', '10:00:20')],
    {
      unanswered: [
        { id: 'e1', at: date('10:00:00'), status: 'agent-asked' },
        { id: 'e3', at: date('10:00:20') },
      ],
      unheard: { id: 'e2', at: date('10:00:10') },
      silentSince: date('10:00:10'),
    },
  ],
  [
    "the bridge's own word to AGENT_UNAVAILABLE is heard, and is no answer of the bot",
    [message('e1', '10:00:00'), unavailable('e2', '10:00:10'), own('e3', '10:00:20', 'e2', 'agent-unavailable')],
    { unheard: undefined, silentSince: undefined, outcome: 'open', awaitingReplyTo: 'e1', replyTimesMs: [] },
  ],
  [
    'an invitation that the bridge could not deliver is not repeated for the same message',
    [
      message('e1', '10:00:00'),
      message('e2', '10:00:05'),
      failed('e3', '10:05:00', { commandType: 'InviteAgent', inReplyTo: 'e1', because: 'no-reply-in-time' }),
    ],
    {
      unanswered: [
        { id: 'e1', at: date('10:00:00'), status: 'agent-asked' },
        { id: 'e2', at: date('10:00:05') },
      ],
      silentSince: date('10:00:05'),
    },
  ],
  [
    'repeated events count once',
    [message('e1', '10:00:00'), reply('e2', '10:00:01'), message('e1', '10:00:05'), reply('e2', '10:00:06')],
    { clientMessages: 1, repliesDelivered: 1, replyTimesMs: [1_000], lastEventAt: date('10:00:01') },
  ],
]

for (const [name, given, expected] of table) {
  conversations(name, () => {
    const conversation: Expected = conversationOf(...given) ?? {}
    const told = Object.fromEntries(Object.keys(expected).map((key) => [key, conversation[key as keyof Expected]]))
    assert.equal(told, expected)
  })
}

conversations('the client is whom the service names, whatever a command names', () => {
  const other = { clientId: '9002' }
  const given = [
    message('e1', '10:00:00'),
    failed('e2', '10:00:01', { ...other, reason: 'invalid' }),
    reply('e3', '10:00:02', other),
    anEvent('BotReplySuppressed', 'e4', at('10:00:03'), other),
    { ...anEvent('AgentInvited', 'e5', at('10:00:04'), other), source: '/accounts/acme/egress' } as ConversationEvent,
  ]
  assert.is(conversationOf(...given)?.clientId, '1233')
  assert.is(conversationOf(...given.slice(1))?.clientId, undefined)
})

conversations('of many unanswered messages the oldest and the newest 99 are kept', () => {
  const ids = Array.from({ length: 150 }, (_, i) => `e${i}`)
  const { unanswered = [] } = conversationOf(...ids.map((id) => message(id, '10:00:00'))) ?? {}
  assert.equal(
    unanswered.map(({ id }) => id as string),
    ['e0', ...ids.slice(51)],
  )
})

conversations.run()
