import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { showTimesIn } from '../../src/console/browser/format.ts'
import type { DataOf, EventType, KnownEvent } from '../../src/console/documents.ts'
import type { ConversationAnswer } from '../../src/console/pages/conversations/story.ts'
import type { Entry } from '../../src/console/pages/conversations/story-entry.ts'
import {
  firstResponses,
  isOver,
  repliesText,
  stateText,
  storyOf,
  withEarlier,
  withTimes,
} from '../../src/console/pages/conversations/story-items.ts'

const story = suite('the story of a chat')

const at = (second: number) => `2026-11-24T10:00:${String(second).padStart(2, '0')}.000Z`
const event = <T extends EventType>(type: T, second: number, data: DataOf<T> = {}): KnownEvent<T> =>
  ({
    id: `acme/bot/${type}-${second}`,
    type,
    time: at(second),
    data,
    topic: 'bot-conversations',
    partition: 3,
    offset: second,
  }) as KnownEvent<T>
type Session = ConversationAnswer['sessions'][number]
const session = (part: Partial<Session>): Session => ({
  _id: 'acme/2037/bot/1',
  accountId: 'acme',
  chatId: '2037',
  kind: 'bot',
  number: 1,
  startedAt: at(1),
  lastEventAt: at(1),
  outcome: 'unanswered',
  endedBy: 'unknown',
  channelId: 'w1',
  clientMessages: 0,
  replies: 0,
  responseTimesMs: [],
  turns: 0,
  agents: [],
  invitations: [],
  ...part,
})
type Delivery = ConversationAnswer['deliveries'][number]
const delivery = (part: Partial<Delivery>): Delivery => ({
  _id: 'acme/2037/c1',
  accountId: 'acme',
  chatId: '2037',
  clientId: '1233',
  commandId: 'c1',
  commandType: 'BotMessage',
  state: 'delivered',
  attempts: [],
  requestedAt: at(1),
  ...part,
})
type Conversation = NonNullable<ConversationAnswer['conversation']>
const conversation = (part: Partial<Conversation>): Conversation => ({
  _id: 'acme/2037',
  accountId: 'acme',
  chatId: '2037',
  state: 'bot',
  clientMessages: 0,
  repliesDelivered: 0,
  repliesFailed: 0,
  repliesSuppressed: 0,
  unanswered: [],
  replyTimesMs: [],
  outcome: 'open',
  startedAt: at(1),
  lastEventAt: at(1),
  ...part,
})
const answer = (part: Partial<ConversationAnswer>): ConversationAnswer => ({
  chatId: '2037',
  masked: false,
  version: '1',
  sessions: [],
  deliveries: [],
  events: [],
  ...part,
})
const entriesOf = (part: Partial<ConversationAnswer>): ReadonlyArray<Entry> =>
  storyOf(answer(part)).flatMap((item) => ('entry' in item ? [item.entry] : []))
const only = (part: Partial<ConversationAnswer>): Entry => {
  const [entry, ...others] = entriesOf(part)
  if (entry === undefined || others.length > 0) throw new Error('expected one entry')
  return entry
}
const quiet = { buttons: [], notes: [], detail: '', attempts: [], differences: [], transcript: [] }

story("shows the client's message", () => {
  const told = event('ClientMessageReceived', 1, { message: { type: 'TEXT', text: 'Hello', buttonId: 'b1' } })
  assert.equal(only({ events: [told] }), {
    ...quiet,
    key: told.id,
    at: at(1),
    who: 'client',
    title: 'Client',
    text: 'Hello',
    event: told,
    notes: ['The client clicked the button b1.'],
  })
})

story('says of a session that is not over who is waited for, not its outcome', () => {
  const waiting = session({ outcome: 'abandoned', endsAt: at(30), awaitingSince: at(1) })
  const outcomeAt = (second: number) =>
    storyOf(answer({ sessions: [waiting] }), Date.parse(at(second))).map(
      (item) => 'session' in item && item.session.outcome,
    )
  assert.equal([outcomeAt(29), outcomeAt(30)], [['Waiting for an agent'], ['Left before an agent came']])
})

const handOver = { commandType: 'InviteAgent', state: 'delivered', because: 'delivery-failed' } as const
const replies: ReadonlyArray<readonly [Partial<Conversation>, ReadonlyArray<Partial<Delivery>>, string]> = [
  [
    { repliesDelivered: 1, repliesFailed: 1 },
    [handOver, { commandType: 'BotMessage', state: 'failed' }],
    '1 failed, handed over',
  ],
  [{ repliesDelivered: 1 }, [handOver], 'none, handed over'],
  [
    { repliesDelivered: 2 },
    [{ commandType: 'BotMessage', state: 'delivered', because: 'agent-unavailable' }],
    '1 delivered',
  ],
  [{ repliesFailed: 1 }, [{ ...handOver, state: 'failed' }], 'none'],
  [{ repliesDelivered: 3, repliesSuppressed: 2 }, [], '3 delivered, 2 not sent'],
  [{}, [], 'none'],
]
for (const [counts, deliveries, said] of replies)
  story(`counts the bot's messages, and names a hand-over apart: ${said}, of ${JSON.stringify(counts)}`, () =>
    assert.is(repliesText(conversation(counts), deliveries.map(delivery)), said),
  )

const bot = session({ endsAt: at(30), clientMessages: 1 })
const open = session({ kind: 'agent', startedAt: at(20), clientMessages: 1 })
const agent = { ...open, endsAt: at(50) }
const writer = (second: number) => ({ id: 'a1', part: 'accepted', messages: 1, firstMessageAt: at(second) }) as const
const answers: ReadonlyArray<readonly [string, ReadonlyArray<Session>, string, string]> = [
  ['the bot answered', [{ ...bot, firstResponseMs: 2_400 }], 'after 2.4 s, by the bot', ''],
  [
    'the bot answered, then an agent',
    [
      { ...agent, firstResponseMs: 4_000 },
      { ...bot, firstResponseMs: 2_400 },
    ],
    'after 2.4 s, by the bot',
    'after 4 s',
  ],
  ['an agent answered', [{ ...agent, firstResponseMs: 4_000 }], 'after 4 s, by an agent', ''],
  [
    'an agent answered, and the bot had not',
    [bot, { ...agent, firstResponseMs: 4_000, agents: [writer(41), writer(31)] }],
    'after 30 s, by an agent',
    '',
  ],
  ['nobody answered', [bot], 'none', ''],
  ['an agent still has the chat', [bot, { ...open, clientMessages: 0 }], 'not known before the chat is finished', ''],
  [
    'the bot answered, and an agent still has the chat',
    [{ ...bot, firstResponseMs: 2_400 }, open],
    'after 2.4 s, by the bot',
    'not known before the chat is finished',
  ],
  ['nobody asked', [{ ...bot, clientMessages: 0 }], '', ''],
  [
    'an agent joined, and the account has no webhooks',
    [{ ...bot, ending: 'agent-joined' }],
    'not known, because no webhook says what the agent did',
    '',
  ],
  [
    'the bot answered, then an agent joined, and the account has no webhooks',
    [{ ...bot, firstResponseMs: 2_400, ending: 'agent-joined' }],
    'after 2.4 s, by the bot',
    'not known, because no webhook says what the agent did',
  ],
  ['an agent joined and did not answer', [{ ...bot, ending: 'agent-joined' }, agent], 'none', ''],
  ['no agent joined, and the client was silent', [{ ...bot, ending: 'silence' }], 'none', ''],
]
for (const [what, sessions, first, ofAgent] of answers)
  story(`says when the first answer came, and from whom: ${what}`, () =>
    assert.equal(firstResponses(sessions), { first, ofAgent }),
  )

const asked: Session = { ...bot, outcome: 'abandoned' }
const chatOf = (state: 'open' | 'finished'): NonNullable<ConversationAnswer['chat']> => ({
  _id: 'acme/2037',
  accountId: 'acme',
  chatId: '2037',
  state,
  agents: [],
  messages: [],
  firstEventAt: at(1),
  lastEventAt: at(1),
})
const states: ReadonlyArray<
  readonly [Conversation['state'], string, ConversationAnswer['sessions'], 'before' | 'after', string]
> = [
  ['invited', 'before its end', [asked], 'before', 'Waiting for an agent'],
  ['invited', 'after its end', [asked], 'after', 'Left before an agent came'],
  ['bot', 'after its end', [{ ...bot, outcome: 'unanswered' }], 'after', 'Nobody answered'],
  ['closed', 'after its end', [asked], 'after', 'Closed'],
  ['agent', 'after the end of both', [{ ...agent, outcome: 'finished' }, asked], 'after', 'Finished by an agent'],
]
for (const [state, when, sessions, end, said] of states)
  story(`a conversation with the state ${state} ${when}: ${said}`, () => {
    const chat = answer({ sessions, conversation: conversation({ state }), chat: chatOf('finished') })
    const isChatOver = isOver(chat, Date.parse(end === 'after' ? at(59) : at(10)))
    assert.is(isChatOver, end === 'after')
    assert.is(stateText(chat, isChatOver), said)
  })

story('a reply that did not arrive is no answer', () => {
  const told = (type: 'ClientMessageReceived' | 'BotReplyFailed' | 'BotReplyDelivered', minute: number) => ({
    ...event(type, minute, { message: { text: 'x' } }),
    time: `2026-11-24T10:${minute}:00.000Z`,
  })
  const events = [told('ClientMessageReceived', 10), told('BotReplyFailed', 12), told('BotReplyDelivered', 15)]
  assert.equal(
    withTimes(storyOf(answer({ events }))).flatMap((item) => ('gap' in item ? [item.gap] : [])),
    ['2 min without an answer', '3 min without an answer'],
  )
})

story('shows a refused reply with every attempt and its answer', () => {
  const told = event('BotReplyFailed', 9, {
    commandType: 'BotMessage',
    reason: 'rejected',
    detail: 'no such chat',
    message: { type: 'BUTTONS', title: 'Which?', text: '', buttons: [{ id: 'y', text: 'Yes' }] },
    attempts: [
      { at: at(7), durationMs: 2000, code: 'timeout' },
      { at: at(8), durationMs: 40, status: 400, code: 'invalid_request' },
    ],
  })
  assert.equal(only({ events: [told] }), {
    ...quiet,
    key: told.id,
    at: at(9),
    who: 'bot',
    title: 'Bot',
    text: 'Which?',
    state: 'failed',
    event: told,
    buttons: ['Yes'],
    notes: [
      'The service refused it, and that is final.',
      'A refused reply makes no dead letter: the bot must send another.',
    ],
    detail: 'no such chat',
    attempts: [
      { at: at(7), durationMs: 2000, status: undefined, code: 'timeout' },
      { at: at(8), durationMs: 40, status: 400, code: 'invalid_request' },
    ],
  })
})

story('says why the bridge itself sent a message, and why a reply was suppressed', () => {
  const bridge = event('BotReplyDelivered', 1, {
    commandType: 'BotMessage',
    because: 'agent-unavailable',
    attempts: [],
  })
  const late = event('BotReplySuppressed', 2, { commandType: 'BotMessage', reason: 'agent-joined', attempts: [] })
  assert.equal(
    entriesOf({ events: [bridge, late] }).map(({ who, notes }) => [who, ...notes]),
    [
      ['bridge', 'The bridge did this itself: no agent was available, and the bot did not respond.'],
      ['bot', 'Not sent: an agent had joined the chat before.'],
    ],
  )
})

story('a bot’s reply names its group, so two bots that answer one chat are two names', () => {
  const by = (second: number, group: string, commandType: 'BotMessage' | 'InviteAgent' = 'BotMessage') =>
    event('BotReplyDelivered', second, { commandType, group, attempts: [] })
  const events = [by(1, 'shop-bot'), by(2, 'copy-of-shop-bot'), by(3, 'shop-bot', 'InviteAgent')]
  const deliveries = [delivery({ commandId: 'c4', state: 'pending', requestedAt: at(4), group: 'shop-bot' })]
  assert.equal(
    entriesOf({ events, deliveries }).map(({ title }) => title),
    ['Bot · shop-bot', 'Bot · copy-of-shop-bot', 'The bot asked for an agent · shop-bot', 'Bot · shop-bot'],
  )
})

story('shows an invitation as a step without a message', () => {
  const told = event('BotReplyDelivered', 1, { commandType: 'InviteAgent', attempts: [] })
  const entry = only({ events: [told] })
  assert.equal([entry.title, entry.text], ['The bot asked for an agent', undefined])
})

story('shows replies without an outcome at the time of their commands, and other replies only once', () => {
  const deliveries = [
    delivery({ commandId: 'c1', state: 'pending', requestedAt: at(5) }),
    delivery({ commandId: 'c2', state: 'delivered', requestedAt: at(1) }),
  ]
  const events = [event('AgentJoined', 4), event('ChatClosed', 6)]
  assert.equal(
    entriesOf({ events, deliveries }).map(({ key }) => key),
    ['acme/bot/AgentJoined-4', 'delivery/c1', 'acme/bot/ChatClosed-6'],
  )
})

story('shows each session before its first event, with its outcome in words', () => {
  const sessions = [
    session({
      kind: 'agent',
      startedAt: at(5),
      outcome: 'finished',
      clientMessages: 1,
      replies: 2,
      ending: 'finished',
    }),
    session({ endsAt: at(5), outcome: 'contained', clientMessages: 2, replies: 1, firstResponseMs: 640 }),
  ]
  const items = storyOf(answer({ sessions, events: [event('ChatAccepted', 5), event('ChatFinished', 6)] }))
  assert.equal(
    items.map((item) => ('session' in item ? item.session : item.entry.key)),
    [
      {
        key: 'session/bot/1',
        at: at(1),
        title: 'Bot session 1',
        outcome: 'The bot answered alone',
        facts: ['2 client messages, 1 reply.', 'First answer after 640 ms.'],
      },
      {
        key: 'session/agent/1',
        at: at(5),
        title: 'Agent session 1',
        outcome: 'Finished by an agent',
        facts: ['1 client message, 2 replies.', 'An agent finished the chat.'],
      },
      'acme/bot/ChatAccepted-5',
      'acme/bot/ChatFinished-6',
    ],
  )
})

story('shows each difference of a transcript at its event, or at the line that the bridge never received', () => {
  const audit: Session['audit'] = {
    state: 'compared',
    differences: [
      { kind: 'not-in-transcript', from: 'client', event: 'acme/bot/ClientMessageReceived-1' },
      { kind: 'not-received', from: 'client', index: 1 },
    ],
  }
  const sessions = [
    session({ kind: 'agent', startedAt: at(2), audit }),
    session({ kind: 'agent', number: 2, startedAt: at(7), audit: { state: 'compared', differences: [] } }),
  ]
  const messages = [
    { type: 'agent', agentId: '12', message: 'Hello', timestamp: at(3) },
    { type: 'visitor', message: 'Hi', timestamp: at(4) },
  ]
  const finished = { agents: [{ id: '12', name: 'Grace' }], chat: { messages, blacklisted: false } }
  const events = [
    event('ClientMessageReceived', 1),
    event('ChatFinished', 6, finished),
    event('ChatFinished', 9, finished),
  ]
  const lacks = 'The bridge has this message, and the service’s transcript lacks it.'
  const never = 'The transcript has this message, and the bridge never received it.'
  assert.equal(
    entriesOf({ sessions, events }).map(({ differences, transcript }) => [
      differences,
      transcript.map((line) => [line.name, line.differences]),
    ]),
    [
      [[lacks], []],
      [
        [],
        [
          ['Grace', []],
          ['Client', [never]],
        ],
      ],
      [
        [],
        [
          ['Grace', []],
          ['Client', []],
        ],
      ],
    ],
  )
})

story('says why data is missing', () => {
  const events = [
    { ...event('ChatFinished', 1), omitted: true as const },
    { ...event('ClientMessageReceived', 2), erased: true as const },
  ]
  assert.equal(
    entriesOf({ events }).map(({ notes }) => notes),
    [
      ['It is too large for the timeline. Only the raw record has its data.'],
      ['The chat was erased later: what was personal in this is gone.'],
    ],
  )
})

story('has each event once, the oldest first', () => {
  const [a, b, c] = [event('AgentJoined', 1), event('AgentJoined', 2), event('AgentJoined', 3)]
  assert.equal(withEarlier([a, b], [b, c]), [a, b, c])
})

story('has a line for each day, and words for the time in which nobody answered', () => {
  const later = (type: EventType, time: string) => ({ ...event(type, 0), id: time, time })
  const events = [
    later('ClientMessageReceived', '2026-11-24T23:50:00.000Z'),
    later('BotReplyDelivered', '2026-11-24T23:54:00.000Z'),
    later('ClientMessageReceived', '2026-11-25T00:10:00.000Z'),
    later('AgentJoined', '2026-11-25T00:10:59.000Z'),
  ]
  showTimesIn('UTC')
  assert.equal(
    withTimes(storyOf(answer({ events }))).map((item) =>
      'day' in item ? item.day : 'gap' in item ? item.gap : 'entry' in item ? item.entry.title : '',
    ),
    [
      '2026-11-24',
      'Client',
      '4 min without an answer',
      'Bot',
      '16 min later',
      '2026-11-25',
      'Client',
      'An agent joined the conversation',
    ],
  )
  showTimesIn('Europe/Berlin')
  assert.equal(
    withTimes(storyOf(answer({ events }))).flatMap((item) => ('day' in item ? [item.day] : [])),
    ['2026-11-25'],
  )
  showTimesIn('UTC')
})

story('an open link of a call is a link of the web', () => {
  const call = event('CallStatusChanged', 1, {
    call: { type: 'incoming', status: 'end', recordUrl: 'https://records.example.com/1' },
  })
  assert.equal(
    entriesOf({ events: [call] }).map(({ title, link }) => [title, link?.url]),
    [['Incoming call ended', 'https://records.example.com/1']],
  )
})

story.run()
