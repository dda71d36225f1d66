import { array, assert as check, constantFrom, integer, property, tuple } from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConversationEvent } from '../../../contracts/events/index.ts'
import { type Turn, turnsOf } from '../../../src/bot/what-if/turns.ts'
import { client, delivered, event, failed, handedOver, rules, shapesOf, suppressed } from './given-chat.ts'

const turns = suite('the turns of a chat')

const told = ({ events, observed, notComparable }: Turn) =>
  [events.map(({ id }) => id).join(' '), shapesOf(observed), notComparable]
    .filter((each) => each !== undefined)
    .join('; ')

type Row = readonly [title: string, events: ReadonlyArray<ConversationEvent>, expected: ReadonlyArray<string>]

const rows: ReadonlyArray<Row> = [
  ['a message and its answer', [client('m1', '10:00:00'), delivered('d1', '10:00:01', { to: 'm1' })], ['m1; TEXT']],
  [
    'what the client wrote until the bot answered is one turn',
    [client('m1', '10:00:00'), client('m2', '10:00:01'), delivered('d1', '10:00:02', { to: 'm2' })],
    ['m1 m2; TEXT'],
  ],
  [
    'each message with an answer of its own is a turn, whatever came first in the log',
    [
      client('m1', '10:00:00'),
      client('m2', '10:00:01'),
      delivered('d1', '10:00:02', { to: 'm1' }),
      client('m3', '10:00:03'),
      delivered('d2', '10:00:04', { to: 'm2' }),
      delivered('d3', '10:00:05', { to: 'm3' }),
    ],
    ['m1; TEXT', 'm2; TEXT', 'm3; TEXT'],
  ],
  [
    'a message that only announces the answer ends no turn',
    [
      client('m1', '10:00:00'),
      delivered('d1', '10:00:01', { to: 'm1', expectsMore: true }),
      client('m2', '10:00:02'),
      delivered('d2', '10:00:03', { to: 'm2' }),
    ],
    ['m1 m2; TEXT, more follows + TEXT'],
  ],
  [
    'a reply that names no message answers the newest one that the bot knew',
    [
      client('m1', '10:00:00'),
      client('m2', '10:00:05'),
      delivered('d1', '10:00:06', { requestedAt: '10:00:02' }),
      delivered('d2', '10:00:07', { requestedAt: '10:00:06' }),
    ],
    ['m1; TEXT', 'm2; TEXT'],
  ],
  [
    'several replies to one message are one answer',
    [client('m1', '10:00:00'), delivered('d1', '10:00:01', { to: 'm1' }), handedOver('d2', '10:00:02', 'm1')],
    ['m1; TEXT + hand-over'],
  ],
  [
    'an event that the log has twice counts once',
    [
      client('m1', '10:00:00'),
      client('m1', '10:00:00'),
      delivered('d1', '10:00:01', { to: 'm1' }),
      delivered('d1', '10:00:01', { to: 'm1' }),
    ],
    ['m1; TEXT'],
  ],
  [
    'buttons count by their ids',
    [
      client('m1', '10:00:00'),
      delivered('d1', '10:00:01', {
        to: 'm1',
        message: {
          type: 'BUTTONS',
          title: 'Which?',
          buttons: [
            { id: 'a', text: 'A' },
            { id: 'b', text: 'B' },
          ],
        },
      }),
    ],
    ['m1; BUTTONS a, b'],
  ],
  ['no answer in time is silence', [client('m1', '10:00:00')], ['m1; silence']],
  [
    'a message that the bridge itself sent is none of the bot',
    [client('m1', '10:00:00'), delivered('d1', '10:00:11', { to: 'm1', because: 'no-reply-in-time' })],
    ['m1; silence'],
  ],
  [
    'a reply that was not delivered cannot be compared',
    [client('m1', '10:00:00'), failed('f1', '10:00:01', { to: 'm1', reason: 'attempts' })],
    ['m1; silence; the old reply was not delivered: attempts'],
  ],
  [
    'a reply that came too late cannot be compared',
    [client('m1', '10:00:00'), suppressed('s1', '10:00:01', { to: 'm1', reason: 'agent-joined' })],
    ['m1; silence; the old reply came too late: agent-joined'],
  ],
  [
    'a repeated command keeps its first outcome',
    [
      client('m1', '10:00:00'),
      delivered('d1', '10:00:01', { to: 'm1' }),
      failed('f1', '10:00:02', { to: 'm1', reason: 'duplicate' }),
    ],
    ['m1; TEXT'],
  ],
  [
    'while an agent is invited no reply can be sent',
    [
      client('m1', '10:00:00'),
      handedOver('d1', '10:00:01', 'm1'),
      event('AgentInvited', 'i1', '10:00:02'),
      client('m2', '10:00:03'),
    ],
    ['m1; hand-over', 'm2; silence; the bridge would send no reply: agent-invited'],
  ],
  [
    'a bot may answer what the client writes to an agent',
    [event('AgentJoined', 'j1', '10:00:00'), client('m1', '10:00:03'), delivered('d1', '10:00:04', { to: 'm1' })],
    ['m1; TEXT'],
  ],
  [
    'that no agent is available is a turn of its own',
    [
      client('m1', '10:00:00'),
      handedOver('d1', '10:00:01', 'm1'),
      event('AgentUnavailable', 'u1', '10:00:20'),
      delivered('d2', '10:00:21', {}),
      client('m2', '10:00:30'),
      delivered('d3', '10:00:31', { to: 'm2' }),
    ],
    ['m1; hand-over', 'u1; TEXT', 'm2; TEXT'],
  ],
  [
    'after the chat was closed, the next message is a new turn',
    [
      client('m1', '10:00:00'),
      event('ChatClosed', 'c1', '10:01:00'),
      client('m2', '10:02:00'),
      delivered('d1', '10:02:01', { to: 'm2' }),
    ],
    ['m1; silence', 'm2; TEXT'],
  ],
]

for (const [title, events, expected] of rows)
  turns(title, () => {
    assert.equal(turnsOf(events, rules).map(told), expected)
  })

turns('a message whose time for the answer has not passed cannot be compared', () => {
  const readUntil = Date.parse('2026-01-31T10:00:05Z')
  assert.equal(turnsOf([client('m1', '10:00:00')], { ...rules, readUntil }).map(told), [
    'm1; silence; the log ends before the answer',
  ])
})

turns('an account that suppresses replies over an agent has nothing to compare there', () => {
  const events = [event('AgentJoined', 'j1', '10:00:00'), client('m1', '10:00:03')]
  assert.equal(turnsOf(events, { ...rules, whileAgent: 'suppress' }).map(told), [
    'm1; silence; the bridge would send no reply: agent-joined',
  ])
})

const second = (n: number) => new Date(Date.parse('2026-01-31T10:00:00Z') + n * 1000).toISOString().slice(11, 19)
const kinds = [
  'client',
  'reply',
  'say',
  'hand-over',
  'failed',
  'AgentInvited',
  'AgentJoined',
  'AgentUnavailable',
  'ChatClosed',
] as const

/** A chat of any events; each reply names one of the messages before it, or none. */
const anyChat = array(tuple(constantFrom(...kinds), integer({ min: 0, max: 9 })), { maxLength: 30 }).map((steps) => {
  const messages: string[] = []
  return steps.map(([kind, n], i): ConversationEvent => {
    const [id, time] = [`e${i}`, second(i)]
    const to = messages[n]
    switch (kind) {
      case 'client':
        messages.push(id)
        return client(id, time)
      case 'reply':
        return delivered(id, time, to === undefined ? {} : { to })
      case 'say':
        return delivered(id, time, { expectsMore: true, ...(to !== undefined && { to }) })
      case 'hand-over':
        return handedOver(id, time, to)
      case 'failed':
        return failed(id, time, { reason: 'attempts', ...(to !== undefined && { to }) })
      default:
        return event(kind, id, time)
    }
  })
})

turns('every message is in exactly one turn, in the order of the log, and every delivered reply in one answer', () => {
  check(
    property(anyChat, (events) => {
      const found = turnsOf(events, rules)
      const asked = events.filter(({ type }) => type === 'ClientMessageReceived' || type === 'AgentUnavailable')
      assert.equal(
        found.flatMap((turn) => turn.events.map(({ id }) => id)),
        asked.map(({ id }) => id),
      )
      const firstAsked = events.findIndex((each) => asked.includes(each))
      const replies = events.filter(({ type }, i) => type === 'BotReplyDelivered' && firstAsked >= 0 && i > firstAsked)
      assert.is(
        found.reduce((sum, { observed }) => sum + observed.length, 0),
        replies.length,
      )
      assert.equal(
        found.map(({ number }) => number),
        found.map((_, i) => i + 1),
      )
    }),
  )
})

turns('what a turn is told of before never comes after its messages in the log', () => {
  check(
    property(anyChat, (events) => {
      const place = new Map(events.map((each, i) => [each.id, i]))
      for (const { before, events: asked } of turnsOf(events, rules)) {
        const first = place.get(asked[0].id) ?? 0
        for (const { id } of before) assert.ok((place.get(id) ?? 0) < first)
      }
    }),
  )
})

turns.run()
