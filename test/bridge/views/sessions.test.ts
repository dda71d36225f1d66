import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ChatEvent, ConversationEvent } from '../../../contracts/events/index.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import type { SessionDocument } from '../../../contracts/views/session.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { anEvent, at, inLog } from '../../support/given-events.ts'
import { memoryViews } from '../../support/memory-views.ts'

const sessions = suite('sessions')

const isSession = (document: object): document is SessionDocument => 'number' in document

/** The sessions of a log, in the order of their numbers. */
const sessionsOf = async (
  ...events: ReadonlyArray<ChatEvent | ConversationEvent>
): Promise<ReadonlyArray<SessionDocument>> => {
  const { applyChanges, documents } = memoryViews()
  for (const recorded of inLog(...events)) await applyChanges(changesOfEvent(recorded))
  return Object.values(documents()).filter(isSession)
}

const on = (time: string) => new Date(at(time))
const nextDay = (time: string) => new Date(Date.parse(at(time)) + 24 * 3_600_000).toISOString() as Instant

const accepted = (id: string, time: string, part: object = {}) => anEvent('ChatAccepted', id, at(time), part)
const finished = (id: string, time: string, part: object, agents: ReadonlyArray<object> = []) =>
  anEvent('ChatFinished', id, at(time), { agents, chat: { messages: [], blacklisted: false, ...part } })
const message = (id: string, time: string, part: object = {}) => anEvent('ClientMessageReceived', id, at(time), part)
const reply = (id: string, time: string, part: object = {}) => anEvent('BotReplyDelivered', id, at(time), part)
const handOver = (id: string, time: string, sent = time) =>
  reply(id, time, { commandType: 'InviteAgent', message: undefined, attempts: [{ at: at(sent), durationMs: 5 }] })
const joined = (id: string, time: string) => anEvent('AgentJoined', id, at(time))
const unavailable = (id: string, time: string) => anEvent('AgentUnavailable', id, at(time))
const closed = (id: string, time: string) => anEvent('ChatClosed', id, at(time))

sessions('the client of a bot session is whom the service names, whatever a command names', async () => {
  const other = { clientId: '9002', reason: 'invalid' }
  const given = [message('e1', '10:00:00'), anEvent('BotReplyFailed', 'e2', at('10:00:01'), other)]
  assert.equal(
    (await sessionsOf(...given)).map(({ clientId }) => clientId),
    ['1233'],
  )
})

/** Webhooks of one chat, some soon after the last, of which some have equal bodies: the hash stands for the body. */
const aStory = fc.array(
  fc.record({
    step: fc.constantFrom('accepted', 'updated', 'finished'),
    body: fc.nat(1),
    seconds: fc.constantFrom(1, 60),
  }),
  { maxLength: 12 },
)

sessions('show a chat open exactly when the chat itself is open, however often bodies are equal', async () => {
  const typeOf = { accepted: 'ChatAccepted', updated: 'ChatUpdated', finished: 'ChatFinished' } as const
  await fc.assert(
    fc.asyncProperty(aStory, async (steps) => {
      let time = Date.UTC(2026, 0, 31, 10)
      const events = steps.map(({ step, body, seconds }, i) => {
        time += seconds * 1000
        return {
          ...anEvent(typeOf[step as keyof typeof typeOf], `e${i}`, new Date(time).toISOString()),
          contentHash: `${step} ${body}`,
        }
      })
      const { applyChanges, documents } = memoryViews()
      for (const recorded of inLog(...events)) await applyChanges(changesOfEvent(recorded))
      const chat = Object.entries(documents()).find(([key]) => key.startsWith('chats '))?.[1]
      const last = Object.values(documents()).filter(isSession).at(-1)
      const state = chat !== undefined && 'state' in chat ? chat.state : 'none'
      const expected = last === undefined ? 'none' : last.ending === undefined ? 'open' : 'finished'
      assert.is(state, expected)
    }),
  )
})

const log = [
  { message: 'Hi', timestamp: at('10:00:01'), type: 'visitor' },
  { message: 'Hello', timestamp: at('10:00:08'), type: 'agent', agentId: 'a1' },
  { message: 'Bye', timestamp: at('10:00:20'), type: 'agent', agentId: 'a2' },
]

sessions('an agent session has the data of its events, and the rest is unknown', async () => {
  const page = { page: { url: 'https://shop.example/cart' }, session: { utmJson: { source: 'google' } } }
  const given = [
    accepted('e1', '10:00:05', page),
    finished('e2', '10:05:05', { messages: log, rate: 'good' }, [{ id: 'a1', name: 'Bob' }, { id: 'a3' }]),
  ]
  assert.equal(await sessionsOf(...given), [
    {
      _id: 'acme/2037/agent/1',
      latestOf: 'acme/2037/agent',
      accountId: 'acme',
      chatId: '2037',
      kind: 'agent',
      number: 1,
      applied: { 'chats/0': 1 },
      seen: ['webhooks/e1', 'webhooks/e2'],
      channelId: 'w1',
      visitorNumber: '2746',
      pageUrl: 'https://shop.example/cart',
      utm: { source: 'google' },
      startedAt: on('10:00:05'),
      acceptedAt: on('10:00:05'),
      lastEventAt: on('10:05:05'),
      endsAt: on('10:05:05'),
      ending: 'finished',
      endedBy: 'unknown',
      outcome: 'finished',
      waitMs: 4_000,
      handleMs: 300_000,
      logStartedAt: on('10:00:01'),
      logMessages: 3,
      clientMessages: 1,
      replies: 2,
      turns: 1,
      responseTimesMs: [7_000],
      firstResponseMs: 7_000,
      rate: 'good',
      rating: 'good',
      blacklisted: false,
      audit: { state: 'due', differences: [] },
      invitations: [],
      agents: [
        {
          id: 'a1',
          name: 'Bob',
          part: 'accepted',
          acceptedAt: on('10:00:05'),
          messages: 1,
          firstMessageAt: on('10:00:08'),
          lastMessageAt: on('10:00:08'),
        },
        { id: 'a3', part: 'unknown', messages: 0 },
        {
          id: 'a2',
          part: 'wrote',
          messages: 1,
          firstMessageAt: on('10:00:20'),
          lastMessageAt: on('10:00:20'),
        },
      ],
    },
  ])
})

sessions('a chat that is accepted again keeps the rating of its first session', async () => {
  const [first, second, ...others] = await sessionsOf(
    accepted('e1', '10:00:00'),
    finished('e2', '10:05:00', { rate: 'bad' }),
    accepted('e3', '11:00:00'),
    finished('e4', '11:10:00', { rate: 'good' }),
  )
  assert.equal(others, [])
  assert.equal([first?.rating, first?.nextStartedAt, first?.latestOf], ['bad', on('11:00:00'), undefined])
  assert.equal([second?.rating, second?.previousEndedAt, second?.handleMs], ['good', on('10:05:00'), 600_000])
})

const overtaken: ReadonlyArray<
  readonly [title: string, given: ReadonlyArray<ChatEvent>, states: ReadonlyArray<'open' | 'finished'>]
> = [
  ['an end that overtook the acceptance', [finished('e1', '10:05:00', {}), accepted('e2', '10:05:15')], ['finished']],
  [
    'an end after which the acceptance comes too late',
    [finished('e1', '10:05:00', {}), accepted('e2', '10:05:16')],
    ['finished', 'open'],
  ],
  [
    'an acceptance that was received before its end',
    [finished('e1', '10:05:00', {}), accepted('e2', '10:04:59')],
    ['finished'],
  ],
  [
    'an acceptance and two ends that overtook it',
    [finished('e1', '10:05:00', {}), finished('e2', '10:05:01', { rate: 'bad' }), accepted('e3', '10:05:02')],
    ['finished', 'finished'],
  ],
  [
    'a chat that is opened again moments after its end',
    [accepted('e1', '10:00:00'), finished('e2', '10:05:00', {}), accepted('e3', '10:05:02')],
    ['finished', 'open'],
  ],
  [
    'a chat that is rated, and then opened again',
    [
      accepted('e1', '10:00:00'),
      finished('e2', '10:05:00', {}),
      finished('e3', '10:06:00', { rate: 'good' }),
      accepted('e4', '10:06:02'),
    ],
    ['finished', 'finished', 'open'],
  ],
  [
    'a chat whose end overtook the acceptance, and that is opened again',
    [finished('e1', '10:05:00', {}), accepted('e2', '10:05:02'), accepted('e3', '10:05:04', { agent: { id: 'a2' } })],
    ['finished', 'open'],
  ],
]
for (const [title, given, states] of overtaken)
  sessions(`${title}: its sessions are ${states.join(', ')}`, async () => {
    assert.equal(
      (await sessionsOf(...given)).map(({ outcome }) => outcome),
      states,
    )
  })

sessions('an acceptance that its end overtook belongs to that session, and lends it no durations', async () => {
  const messages = [{ message: 'Hi', timestamp: at('10:00:00'), type: 'visitor' }]
  const [session, ...others] = await sessionsOf(finished('e1', '10:05:00', { messages }), accepted('e2', '10:05:02'))
  assert.equal(others, [])
  const { startedAt, acceptedAt, endsAt, lastEventAt, waitMs, handleMs, agents } = session ?? {}
  assert.equal(
    { startedAt, acceptedAt, endsAt, lastEventAt, waitMs, handleMs, agents },
    {
      startedAt: on('10:05:00'),
      acceptedAt: on('10:05:00'),
      endsAt: on('10:05:00'),
      lastEventAt: on('10:05:02'),
      waitMs: undefined,
      handleMs: undefined,
      agents: [{ id: 'a1', name: 'Bob', part: 'accepted', messages: 0, acceptedAt: on('10:05:00') }],
    },
  )
})

sessions('a second acceptance with the same content is an acceptance too', async () => {
  const hash = { contentHash: 'same' }
  const all = await sessionsOf(
    { ...accepted('e1', '10:00:00'), ...hash },
    finished('e2', '10:05:00', { rate: 'bad' }),
    { ...accepted('e3', '11:00:00'), ...hash },
  )
  assert.equal(
    all.map(({ outcome, acceptedAt }) => [outcome, acceptedAt]),
    [
      ['finished', on('10:00:00')],
      ['open', on('11:00:00')],
    ],
  )
})

sessions('a second finish without acceptance does not replace the first', async () => {
  const all = await sessionsOf(
    accepted('e1', '10:00:00'),
    finished('e2', '10:05:00', { rate: 'bad' }),
    finished('e3', '10:06:00', { rate: 'good' }),
  )
  assert.equal(
    all.map(({ rate, handleMs }) => [rate, handleMs]),
    [
      ['bad', 300_000],
      ['good', undefined],
    ],
  )
})

sessions('a log that continues from the previous session counts its own messages', async () => {
  const more = [...log, { message: 'Again', timestamp: at('11:00:00'), type: 'visitor' }]
  const all = await sessionsOf(
    accepted('e1', '10:00:00'),
    finished('e2', '10:05:00', { messages: log }),
    accepted('e3', '11:00:01'),
    finished('e4', '11:10:00', { messages: more }),
  )
  assert.equal(
    all.map(({ clientMessages, replies }) => [clientMessages, replies]),
    [
      [1, 2],
      [1, 0],
    ],
  )
})

type Case = readonly [string, ReadonlyArray<ConversationEvent>, ReadonlyArray<object>]
const table: ReadonlyArray<Case> = [
  [
    'after a reply of the bot a session is contained so far, and ends a day after its last event',
    [message('e1', '10:00:00', { extra: { channel: { id: '77', type: 'widget' } } }), reply('e2', '10:00:02')],
    [
      {
        _id: 'acme/2037/bot/1',
        outcome: 'contained',
        channelId: '77',
        channelType: 'widget',
        clientId: '1233',
        firstResponseMs: 2_000,
        turns: 1,
        ending: undefined,
        endsAt: new Date(nextDay('10:00:02')),
      },
    ],
  ],
  [
    'the first response may announce the answer, and the turn counts up to the answer',
    [message('e1', '10:00:00'), reply('e2', '10:00:01', { expectsMore: true }), reply('e3', '10:00:07')],
    [
      {
        outcome: 'contained',
        firstResponseMs: 1_000,
        responseTimesMs: [7_000],
        turns: 1,
        replies: 2,
        repliesExpectingMore: 1,
      },
    ],
  ],
  [
    'an announcement without the answer leaves a session unanswered',
    [message('e1', '10:00:00'), reply('e2', '10:00:01', { expectsMore: true })],
    [{ outcome: 'unanswered', firstResponseMs: 1_000, turns: 0 }],
  ],
  [
    'without a reply a session is unanswered',
    [message('e1', '10:00:00')],
    [{ outcome: 'unanswered', channelId: 'unknown' }],
  ],
  [
    'an agent who joins ends it, and later messages of the client are for the agent',
    [message('e1', '10:00:00'), handOver('e2', '10:00:05'), joined('e3', '10:00:35'), message('e4', '10:01:00')],
    [
      {
        outcome: 'handed-over',
        ending: 'agent-joined',
        endedBy: 'agent',
        endsAt: on('10:00:35'),
        clientMessages: 1,
        lastEventAt: on('10:01:00'),
        invitations: [{ by: 'bot', at: on('10:00:05'), joinedAt: on('10:00:35'), queueMs: 30_000 }],
      },
    ],
  ],
  [
    'an agent who joined before the invitation is in the log has a queue time too',
    [message('e1', '10:00:00'), joined('e2', '10:00:35'), handOver('e3', '10:00:36', '10:00:05')],
    [
      {
        outcome: 'handed-over',
        invitations: [{ by: 'bot', at: on('10:00:05'), joinedAt: on('10:00:35'), queueMs: 30_000 }],
      },
    ],
  ],
  [
    'an invitation that the service reports too is one invitation',
    [message('e1', '10:00:00'), handOver('e2', '10:00:05'), anEvent('AgentInvited', 'e3', at('10:00:06'))],
    [{ outcome: 'abandoned', invitations: [{ by: 'bot', at: on('10:00:05') }] }],
  ],
  [
    'if no agent is available the session continues, and a later invitation is another one',
    [
      message('e1', '10:00:00'),
      handOver('e2', '10:00:05'),
      unavailable('e3', '10:00:07'),
      handOver('e4', '10:02:00'),
      closed('e5', '10:03:00'),
    ],
    [
      {
        outcome: 'abandoned',
        ending: 'closed',
        endsAt: on('10:03:00'),
        endedBy: 'unknown',
        invitations: [
          { by: 'bot', at: on('10:00:05'), unavailableAt: on('10:00:07') },
          { by: 'bot', at: on('10:02:00') },
        ],
      },
    ],
  ],
  [
    'after closing the next message starts the next session',
    [message('e1', '10:00:00'), reply('e2', '10:00:02'), closed('e3', '10:01:00'), message('e4', '10:30:00')],
    [
      { outcome: 'contained', ending: 'closed', nextStartedAt: on('10:30:00') },
      { number: 2, outcome: 'unanswered', previousEndedAt: on('10:01:00') },
    ],
  ],
  [
    'after a day of silence too, even if an agent had joined',
    [
      message('e1', '10:00:00'),
      joined('e2', '10:00:35'),
      message('e3', '10:00:40'),
      { ...message('e4', '10:00:00'), time: nextDay('10:00:40') },
    ],
    [{ ending: 'agent-joined' }, { number: 2, startedAt: new Date(nextDay('10:00:40')) }],
  ],
  [
    'a session without further events ends a day after its last event',
    [message('e1', '10:00:00'), { ...message('e2', '10:00:00'), time: nextDay('10:00:00') }],
    [{ ending: 'silence', endsAt: new Date(nextDay('10:00:00')), clientMessages: 1 }, { number: 2 }],
  ],
  [
    'an invitation by the bridge is an intervention, and not a reply of the bot',
    [
      message('e1', '10:00:00'),
      reply('e2', '10:00:10', {
        commandType: 'InviteAgent',
        because: 'no-reply-in-time',
        message: undefined,
        attempts: [{ at: at('10:00:10'), durationMs: 5 }],
      }),
    ],
    [{ outcome: 'abandoned', interventions: 1, replies: 0, invitations: [{ by: 'bridge', at: on('10:00:10') }] }],
  ],
  [
    'events before the first message count no message',
    [unavailable('e1', '09:59:00'), message('e2', '10:00:00')],
    [{ startedAt: on('10:00:00'), clientMessages: 1, invitations: [{ by: 'unknown', unavailableAt: on('09:59:00') }] }],
  ],
]

for (const [name, given, expected] of table)
  sessions(name, async () => {
    const all = await sessionsOf(...given)
    assert.is(all.length, expected.length)
    for (const [i, fields] of expected.entries()) {
      const session: Readonly<Record<string, unknown>> = all[i] ?? {}
      assert.equal(Object.fromEntries(Object.keys(fields).map((field) => [field, session[field]])), fields)
    }
  })

sessions('an agent who joins after more invitations than are stored has the session', async () => {
  const asked = Array.from({ length: 101 }, (_, i) => [
    anEvent(
      'AgentInvited',
      `i${i}`,
      at(`10:${String(Math.floor(i / 30)).padStart(2, '0')}:${String((i % 30) * 2).padStart(2, '0')}`),
    ),
    unavailable(
      `u${i}`,
      `10:${String(Math.floor(i / 30)).padStart(2, '0')}:${String((i % 30) * 2 + 1).padStart(2, '0')}`,
    ),
  ]).flat()
  const [session] = await sessionsOf(message('e1', '09:00:00'), ...asked, joined('e2', '11:00:00'))
  assert.equal([session?.invitations.length, session?.ending, session?.outcome], [100, 'agent-joined', 'handed-over'])
})

sessions.run()
