import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import { AgentUnavailable, ClientMessageReceived } from '../../contracts/events/index.ts'
import { decide } from '../../src/simulator/echo-bot.ts'

const envelope = { id: 'e1', source: '/accounts/acme/bot', subject: '2037', time: '2026-01-31T12:00:00.000Z' }
const whose = { accountId: 'acme', chatId: '2037', clientId: '1233' }

const said = (text: string) =>
  E.getOrElseW(() => assert.unreachable('the example is no event'))(
    ClientMessageReceived.decode({
      ...envelope,
      type: 'ClientMessageReceived',
      data: { ...whose, message: { type: 'TEXT', text, timestamp: envelope.time } },
    }),
  )
const command = { id: 'reply-to-e1', ...whose, inReplyTo: 'e1' }

const answerTo = (text: string) => {
  const event = said(text)
  return event && decide(event)
}

const echoBot = suite('echo bot')

echoBot('it repeats what the client said', () => {
  assert.equal(answerTo('Hello'), [
    { type: 'BotMessage', ...command, message: { type: 'TEXT', text: 'You said: Hello' } },
  ])
})

echoBot('an event that comes twice gets the same command', () => {
  assert.equal(answerTo('Hello'), answerTo('Hello'))
})

echoBot('a client who asks for an agent is handed over', () => {
  assert.equal(answerTo(' Agent '), [{ type: 'InviteAgent', ...command }])
})

echoBot('buttons are three at most', () => {
  const [reply] = answerTo('buttons') ?? []
  assert.ok(reply?.type === 'BotMessage' && reply.message.type === 'BUTTONS')
})

echoBot('without an agent it asks for contact details', () => {
  const event = AgentUnavailable.decode({ ...envelope, type: 'AgentUnavailable', data: whose })
  assert.ok(E.isRight(event))
  assert.equal(E.isRight(event) && decide(event.right), [
    {
      type: 'BotMessage',
      ...command,
      message: {
        type: 'TEXT',
        text: 'Nobody is free at the moment. Please leave your phone number or e-mail address, and we will write to you.',
      },
    },
  ])
})

for (const text of ['Hello', 'agent', 'buttons', 'markdown', 'constructor', '__proto__', ''])
  echoBot(`what it answers to '${text}' is a command of the contract`, () => {
    const commands = answerTo(text) ?? []
    assert.is(commands.length, 1)
    assert.ok(commands.every((one) => E.isRight(BotReply.decode(one))))
  })

echoBot.run()
