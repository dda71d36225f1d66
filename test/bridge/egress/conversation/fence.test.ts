import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Conversation,
  decideReply,
  unknownConversation,
  withFacts,
} from '../../../../src/bridge/domain/conversation.ts'
import type { Fact } from '../../../../src/bridge/domain/conversation-facts.ts'
import { botMessage, id, inviteAgent } from '../support/values.ts'

const test = suite('the fence')

const noon = new Date('2026-01-31T12:00:00Z')
const after = (minutes: number) => new Date(noon.getTime() + minutes * 60_000)

const cases: ReadonlyArray<[Conversation['state'], ReturnType<typeof decideReply>]> = [
  ['bot', 'send'],
  ['unavailable', 'send'],
  ['invited', 'agent-invited'],
  ['agent', 'agent-joined'],
  ['closed', 'chat-closed'],
]
for (const [state, expected] of cases)
  test(`a message and an invitation in the state ${state}: ${expected}`, () => {
    assert.is(decideReply({ state }, botMessage('c1'), noon), expected)
    assert.is(decideReply({ state }, inviteAgent('i1'), noon), expected)
  })

test('an overtaken message is sent unless the account forbids it; an invitation is never overtaken', () => {
  const conversation = { state: 'bot', lastClientMessageId: id('m2') } as const
  const overtaken = botMessage('c1', { inReplyTo: 'm1' })
  const suppress = { whenOvertaken: 'suppress' } as const
  assert.is(decideReply(conversation, overtaken, noon), 'send')
  assert.is(decideReply(conversation, overtaken, noon, suppress), 'overtaken')
  assert.is(decideReply(conversation, botMessage('c1', { inReplyTo: 'm2' }), noon, suppress), 'send')
  assert.is(decideReply(conversation, botMessage('c1'), noon, suppress), 'send')
  assert.is(decideReply({ state: 'bot' }, overtaken, noon, suppress), 'send')
  assert.is(decideReply(conversation, { ...inviteAgent('i1'), inReplyTo: overtaken.id }, noon, suppress), 'send')
})

const wrote = (message: string, at: Date): Fact => ({
  kind: 'client-message',
  id: `bot/${message}`,
  eventId: id(message),
  at,
})
const joined = (at: Date): Fact => ({ kind: 'joined', id: 'bot/j', at })
const closed = (at: Date): Fact => ({ kind: 'closed', id: 'bot/x', at })
const day = 24 * 60

/** The client writes m1, an agent joins, the client writes m2. Then a reply is published. */
const begun = [wrote('m1', noon), joined(after(1)), wrote('m2', after(2))]
const rows: ReadonlyArray<{
  readonly name: string
  readonly given: ReadonlyArray<Fact>
  readonly inReplyTo?: string
  readonly at: Date
  readonly whileAgent?: 'answer' | 'suppress'
  readonly then: ReturnType<typeof decideReply>
}> = [
  { name: 'to a message before the join is late', given: begun, inReplyTo: 'm1', at: after(3), then: 'agent-joined' },
  { name: 'to a message after the join is sent', given: begun, inReplyTo: 'm2', at: after(3), then: 'send' },
  { name: 'to no message is late', given: begun, at: after(3), then: 'agent-joined' },
  {
    name: 'to a message after the join is suppressed if the account says so',
    given: begun,
    inReplyTo: 'm2',
    at: after(3),
    whileAgent: 'suppress',
    then: 'agent-joined',
  },
  { name: 'after a day of silence is sent', given: begun, at: after(3 + day), then: 'send' },
  {
    name: 'to a message before a second join is late',
    given: [...begun, joined(after(3))],
    inReplyTo: 'm2',
    at: after(4),
    then: 'agent-joined',
  },
  {
    name: 'to the first message after the closing is sent',
    given: [...begun, closed(after(3)), wrote('m3', after(4))],
    inReplyTo: 'm3',
    at: after(5),
    then: 'send',
  },
]
for (const { name, given, inReplyTo, at, whileAgent, then } of rows)
  test(`after an agent has joined, a reply ${name}`, () => {
    const conversation = withFacts(unknownConversation, given)
    assert.is(
      decideReply(conversation, botMessage('c1', inReplyTo === undefined ? {} : { inReplyTo }), at, { whileAgent }),
      then,
    )
  })

test('messages start no wait while an agent has the chat, and do again after a day of silence', () => {
  assert.equal(withFacts(unknownConversation, begun).unanswered, [])
  const later = withFacts(unknownConversation, [...begun, wrote('m3', after(3 + day))])
  assert.equal([later.state, later.unanswered.map((message) => message.id)], ['bot', ['m3']])
})

test.run()
