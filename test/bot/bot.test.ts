import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import { commandsOf } from '../../src/bot/commands.ts'
import { respond } from '../../src/bot/conversation.ts'
import type { Handlers } from '../../src/bot/handlers.ts'
import { agentUnavailable, chatClosed, clientWrites, given } from '../../src/bot/harness.ts'
import { buttons, handOver, markdown, text } from '../../src/bot/replies.ts'

const echo: Handlers = {
  onMessage: ({ data: { message } }) => {
    if (message.type !== 'TEXT') return
    if (message.text === 'agent') return handOver()
    if (message.text === 'twice') return [text('once'), markdown('**twice**')]
    return message.text === 'choose' ? buttons('Which?', { a: 'Apples', b: 'Pears' }) : text(`You said ${message.text}`)
  },
  onAgentUnavailable: async () => text('Leave us your phone number, please.'),
}

const bot = suite('bot kit')

bot('a bot answers a message', () => given(echo).when(clientWrites('Hello')).says(text('You said Hello')))
bot('a bot hands the client over', () => given(echo).when(clientWrites('agent')).says(handOver()))
bot('a bot may say several things', () =>
  given(echo).when(clientWrites('twice')).says(text('once'), markdown('**twice**')),
)
bot('a bot says nothing to what it has no handler for', () =>
  given(echo, clientWrites('Hello')).when(chatClosed()).says(),
)
bot('a bot hears that no agent is there', () =>
  given(echo).when(agentUnavailable()).says(text('Leave us your phone number, please.')),
)

bot('a harness that hears something else fails', async () => {
  const failed = await given(echo)
    .when(clientWrites('Hello'))
    .says(text('Good day'))
    .then(
      () => false,
      () => true,
    )
  assert.ok(failed)
})

bot('replies become commands of the contract, the same ones for the same event', () => {
  const replies = [text('a'), markdown('b'), buttons('c', { y: 'Yes' }), handOver()]
  const commands = commandsOf(clientWrites('Hello'), replies)
  assert.equal(
    commands.map(({ type }) => type),
    ['BotMessage', 'BotMessage', 'BotMessage', 'InviteAgent'],
  )
  assert.ok(commands.every((command) => E.isRight(BotReply.decode(JSON.parse(JSON.stringify(command))))))
  assert.is(new Set(commands.map(({ id }) => id)).size, 4)
  assert.equal(commandsOf(clientWrites('Hello'), replies), commands)
})

const at = Date.parse(clientWrites('').time)
const limits = { ignoreOlderThan: 60_000, answerWithin: 1 }

bot('a message from long ago is not answered', async () => {
  const answer = respond(
    echo,
    limits,
    () => at + 60_001,
    () => assert.unreachable(),
  )
  assert.equal(await answer(clientWrites('Hello')), [])
})

bot('a handler that throws or never ends says nothing, and that is told', async () => {
  const told: string[] = []
  const broken: Handlers = {
    onMessage: () => {
      throw new TypeError('no')
    },
    onChatClosed: () => new Promise(() => {}),
  }
  const answer = respond(
    broken,
    limits,
    () => at,
    ({ type }, reason) => told.push(`${type} ${reason}`),
  )
  assert.equal(await answer(clientWrites('Hello')), [])
  assert.equal(await answer(chatClosed()), [])
  assert.equal(told, ['ClientMessageReceived threw', 'ChatClosed too slow'])
})

bot.run()
