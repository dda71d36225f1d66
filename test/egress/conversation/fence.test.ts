import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Conversation } from '../../../src/domain/conversation.ts'
import { decide } from '../../../src/egress/conversation/conversation-now.ts'
import { botMessage, id, inviteAgent } from '../support/values.ts'

const test = suite('the fence')

const cases: ReadonlyArray<[Conversation['state'], ReturnType<typeof decide>]> = [
  ['bot', 'send'],
  ['unavailable', 'send'],
  ['invited', 'agent-invited'],
  ['agent', 'agent-joined'],
  ['closed', 'chat-closed'],
]
for (const [state, expected] of cases)
  test(`a message and an invitation in the state ${state}: ${expected}`, () => {
    assert.is(decide({ state }, botMessage('c1')), expected)
    assert.is(decide({ state }, inviteAgent('i1')), expected)
  })

test('an overtaken message is sent unless the account forbids it; an invitation is never overtaken', () => {
  const conversation = { state: 'bot', lastClientMessageId: id('m2') } as const
  const overtaken = botMessage('c1', { inReplyTo: 'm1' })
  assert.is(decide(conversation, overtaken), 'send')
  assert.is(decide(conversation, overtaken, 'suppress'), 'overtaken')
  assert.is(decide(conversation, botMessage('c1', { inReplyTo: 'm2' }), 'suppress'), 'send')
  assert.is(decide(conversation, botMessage('c1'), 'suppress'), 'send')
  assert.is(decide({ state: 'bot' }, overtaken, 'suppress'), 'send')
  assert.is(decide(conversation, { ...inviteAgent('i1'), inReplyTo: overtaken.id }, 'suppress'), 'send')
})

test.run()
