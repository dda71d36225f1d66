import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isTakenBy, quietAt } from '../../src/bot/chat-queue.ts'

const test = suite('the events of a chat that wait')

const message = { type: 'ClientMessageReceived' } as const
for (const [what, events, taken] of [
  ['no event', [], false],
  ['messages', [message, message], false],
  ['an agent who joins after a message', [message, { type: 'AgentJoined' }], true],
  ['an invitation of an agent', [{ type: 'AgentInvited' }], true],
  ['the end of the chat', [{ type: 'ChatClosed' }], true],
  ['its erasure', [{ type: 'ChatErased' }], true],
  [
    'an agent who joined while the request was in quarantine',
    [{ type: 'AgentJoined', receivedTime: '2026-01-01T00:00:00.000Z' }],
    false,
  ],
] as const)
  test(`${what}: ${taken ? 'takes' : 'does not take'} the chat away from the bot`, () =>
    assert.is(isTakenBy(events as Parameters<typeof isTakenBy>[0]), taken))

const turns = { quietMs: 1_200, atMostMs: 5_000 }
for (const [what, lastReceivedAt, due] of [
  ['after one message, when the client has been silent', 10_000, 11_200],
  ['after more messages, later', 13_000, 14_200],
  ['when the client has written long enough', 14_500, 15_000],
] as const)
  test(`a turn begins ${what}`, () => assert.is(quietAt(lastReceivedAt, 10_000, turns), due))

test.run()
