import * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BotMessage, BotReply, exampleCommands, InviteAgent } from '../../contracts/commands/bot-reply.ts'
import { Enrichment, exampleEnrichment } from '../../contracts/commands/enrichment.ts'
import { ErasureConfirmation, exampleConfirmation } from '../../contracts/commands/erasure-confirmation.ts'
import { Message } from '../../contracts/events/message.ts'
import { messageTypes, ReplyMessage } from '../../contracts/messages/index.ts'
import { type AccountId, fieldNamesOf, type Id, Instant } from '../../contracts/primitives.ts'
import { markdown } from '../../src/bridge/adapters/markdown.ts'
import { completeMessage } from '../../src/bridge/domain/message-text.ts'
import { botRequest } from '../../src/bridge/egress/delivery/post.ts'
import { right } from '../support/either.ts'

const requestedAt = right(Instant.decode('2026-02-01T00:00:00.000Z'))
const timestamp = '2026-01-31T12:00:00.000Z'
const buttons = [{ text: 'Yes', id: 'y' }]
const ofEvents = [
  { type: 'TEXT', text: 'Hello', timestamp },
  { type: 'MARKDOWN', content: '**Hello**', text: 'Hello', timestamp },
  { type: 'BUTTONS', title: 'Sure?', text: 'Sure?', buttons, timestamp, forceReply: true },
]
const command = {
  id: 'r1' as Id,
  accountId: 'acme' as AccountId,
  chatId: '2037' as Id,
  clientId: '1233' as Id,
}
const sent = (message: object) => {
  const decoded = right(BotReply.decode({ type: 'BotMessage', ...command, message }))
  return decoded.type === 'BotMessage' ? completeMessage(markdown, decoded.message, requestedAt) : undefined
}

const forms = suite('forms of a command')

for (const message of ofEvents)
  forms(`a ${message.type} message of an event can be sent unchanged`, () => assert.equal(sent(message), message))

forms('the forms of the protocol are equivalent', () => {
  const wire = { type: 'BUTTONS', title: 'Sure?', buttons, timestamp: Date.parse(timestamp) / 1000, force_reply: true }
  assert.equal(sent(wire), ofEvents[2])
})

/** The optional fields of a contract. */
const optionalOf = (codec: t.Any): ReadonlyArray<string> => {
  if (codec instanceof t.IntersectionType) return codec.types.flatMap(optionalOf)
  if (codec instanceof t.ExactType) return optionalOf(codec.type)
  return codec instanceof t.PartialType ? Object.keys(codec.props) : []
}

const commands: ReadonlyArray<readonly [string, t.Mixed, object]> = [
  ...messageTypes.map(({ type, reply, example }) => [type, reply, example] as const),
  ['BotMessage', BotMessage, exampleCommands.BotMessage],
  ['InviteAgent', InviteAgent, exampleCommands.InviteAgent],
  ['Enrichment', Enrichment, exampleEnrichment],
  ['ErasureConfirmation', ErasureConfirmation, exampleConfirmation],
]
for (const [name, codec, example] of commands)
  forms(`${name}: every optional field may be null`, () => {
    const optional = optionalOf(codec)
    assert.ok(optional.length > 0)
    right(codec.decode({ ...example, ...Object.fromEntries(optional.map((field) => [field, null])) }))
  })

forms('null for forceReply and force_reply means that nothing is said about it', () => {
  const { forceReply, ...message } = { ...ofEvents[2], forceReply: null }
  assert.equal(sent({ ...message, forceReply, force_reply: null }), message)
  assert.equal(sent({ ...message, forceReply, force_reply: true }), { ...message, forceReply: true })
})

for (const { type, example, outbound } of messageTypes)
  forms(`the example of ${type} is complete for events, and for the service once it is sent`, () => {
    const complete = completeMessage(markdown, right(ReplyMessage.decode(example)), requestedAt)
    assert.equal(right(Message.decode(complete)), complete)
    const { message } = botRequest(
      { ...command, type: 'BotMessage', message: complete as ReplyMessage },
      requestedAt,
    ) as {
      message: object
    }
    assert.equal(right(outbound.decode(message)), message)
    assert.equal(
      Object.keys(message).filter((name) => !fieldNamesOf(outbound).includes(name)),
      [],
    )
  })

forms.run()
