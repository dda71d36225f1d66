import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ConversationEvent } from '../../contracts/events/index.ts'
import { commandsOf } from '../../src/bot/commands.ts'
import { respond } from '../../src/bot/conversation.ts'
import type { Handlers } from '../../src/bot/handlers.ts'
import { agentUnavailable, chatClosed, clientWrites, given } from '../../src/bot/harness.ts'
import { buttons, handOver, markdown, text } from '../../src/bot/replies.ts'

const fruit = [
  { id: '7', text: 'Apples' },
  { id: '1', text: 'Pears' },
]

const echo: Handlers = {
  onMessage: ({ data: { message } }) => {
    if (message.type !== 'TEXT') return
    if (message.text === 'agent') return handOver()
    if (message.text === 'twice') return [text('once'), markdown('**twice**')]
    return message.text === 'choose' ? buttons('Which?', fruit) : text(`You said ${message.text}`)
  },
  onAgentUnavailable: async () => text('Leave us your phone number, please.'),
}

const bot = suite('bot kit')

bot('a bot answers a message', () => given(echo).when(clientWrites('Hello')).says(text('You said Hello')))
bot('a bot hands the client over', () => given(echo).when(clientWrites('agent')).says(handOver()))
bot('a bot may send several replies', () =>
  given(echo).when(clientWrites('twice')).says(text('once'), markdown('**twice**')),
)
bot('a bot does not reply to events for which it has no handler', () =>
  given(echo, clientWrites('Hello')).when(chatClosed()).says(),
)
bot('a bot receives the event that no agent is available', () =>
  given(echo).when(agentUnavailable()).says(text('Leave us your phone number, please.')),
)

bot('replies become commands of the contract, the same ones for the same event', () => {
  const replies = [text('a'), markdown('b'), buttons('c', [{ id: 'y', text: 'Yes' }], { forceReply: true }), handOver()]
  const commands = commandsOf(clientWrites('Hello'), replies, 'shop-bot')
  assert.equal(
    commands.map(({ type }) => type),
    ['BotMessage', 'BotMessage', 'BotMessage', 'InviteAgent'],
  )
  assert.ok(commands.every((command) => E.isRight(BotReply.decode(JSON.parse(JSON.stringify(command))))))
  assert.is(new Set(commands.map(({ id }) => id)).size, 4)
  assert.equal(commandsOf(clientWrites('Hello'), replies, 'shop-bot'), commands)
})

bot('bots of two groups never give the same id', () => {
  const idOf = (group: string) => commandsOf(clientWrites('Hello'), [text('a')], group)[0]?.id
  assert.is.not(idOf('one'), idOf('two'))
})

bot('buttons keep the order of their list', () => {
  const [command] = commandsOf(clientWrites('Hello'), [buttons('Which?', fruit)], 'shop-bot')
  assert.ok(command?.type === 'BotMessage' && command.message.type === 'BUTTONS')
  assert.equal(command.message.buttons, fruit)
})

const at = Date.parse(clientWrites('').time)
const limits = { ignoreOlderThan: 60_000, replyWithin: 1 }

type Line = readonly [fields: object, message: string]

const answeredBy = async (handlers: Handlers, event: ConversationEvent, now = at) => {
  const logged: Line[] = []
  const log = { error: (...line: Line) => logged.push(line) }
  return { commands: await respond(handlers, 'shop-bot', limits, () => now, log)(event), logged }
}

bot('an old message is not answered', async () => {
  assert.equal(await answeredBy(echo, clientWrites('Hello'), at + 60_001), { commands: [], logged: [] })
})

const event = { type: 'ClientMessageReceived', accountId: 'acme', chatId: '2037' }
const said = 'the bot gave no reply to an event'

bot('an error of a handler is logged with its message and stack', async () => {
  const err = new TypeError('no price for apples')
  const broken: Handlers = {
    onMessage: () => {
      throw err
    },
  }
  const { commands, logged } = await answeredBy(broken, clientWrites('Hello'))
  assert.equal(commands, [])
  assert.equal(logged, [[{ ...event, reason: 'threw', err }, said]])
})

bot('a handler that never ends gives no reply, and that is logged', async () => {
  const { commands, logged } = await answeredBy({ onMessage: () => new Promise(() => {}) }, clientWrites('Hello'))
  assert.equal(commands, [])
  assert.equal(logged, [[{ ...event, reason: 'too slow', replyWithin: 1 }, said]])
})

bot('a reply that the bridge would refuse is logged without its text, and not published', async () => {
  const four = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: `secret ${id}` }))
  const { commands, logged } = await answeredBy({ onMessage: () => [text('Hi'), buttons('?', four)] }, clientWrites(''))
  assert.equal(commands, [])
  assert.equal(logged, [
    [{ ...event, reason: 'mistakes', mistakes: ['reply 2: message.buttons: expected 1 to 3 buttons'] }, said],
  ])
})

bot.run()
