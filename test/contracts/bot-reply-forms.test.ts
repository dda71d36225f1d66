import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import { Instant } from '../../contracts/primitives.ts'
import { completeMessage } from '../../src/domain/message-text.ts'
import { right } from '../support/either.ts'

const requestedAt = right(Instant.decode('2026-02-01T00:00:00.000Z'))
const timestamp = '2026-01-31T12:00:00.000Z'
const buttons = [{ text: 'Yes', id: 'y' }]
const ofEvents = [
  { type: 'TEXT', text: 'Hello', timestamp },
  { type: 'MARKDOWN', content: '**Hello**', text: 'Hello', timestamp },
  { type: 'BUTTONS', title: 'Sure?', text: 'Sure?', buttons, timestamp, forceReply: true },
]
const sent = (message: object) => {
  const command = { type: 'BotMessage', id: 'r1', accountId: 'acme', chatId: '2037', clientId: '1233', message }
  const decoded = right(BotReply.decode(command))
  return decoded.type === 'BotMessage' ? completeMessage(decoded.message, requestedAt) : undefined
}

const forms = suite('forms of a command')

for (const message of ofEvents)
  forms(`a ${message.type} message of an event can be sent unchanged`, () => assert.equal(sent(message), message))

forms('the forms of the protocol are equivalent', () => {
  const wire = { type: 'BUTTONS', title: 'Sure?', buttons, timestamp: Date.parse(timestamp) / 1000, force_reply: true }
  assert.equal(sent(wire), ofEvents[2])
})

forms.run()
