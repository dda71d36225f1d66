import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import { ConversationEvent } from '../../contracts/events/index.ts'
import { commandsOf, otherAnswers } from '../../src/bot/commands.ts'
import type { Handlers, Outcome } from '../../src/bot/handlers.ts'
import { agentUnavailable, chatClosed, clientWrites, conversationEvent, given } from '../../src/bot/harness.ts'
import { startBot } from '../../src/bot/index.ts'
import { mistakesIn, problemOfNode } from '../../src/bot/mistakes.ts'
import { enrichmentOf, handOverNoteOf } from '../../src/bot/note.ts'
import { withoutPersonalData } from '../../src/bot/personal.ts'
import { buttons, handOver, markdown, type Reply, text } from '../../src/bot/replies.ts'
import { givenChat } from './given-chat.ts'

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

bot('an answer of another group to the same message is found, whichever comes first', () => {
  const message = clientWrites('Hello')
  const outcomeOf = (
    group: string,
    { place = 0, more = {} }: { readonly place?: number; readonly more?: object } = {},
  ): Outcome => {
    const [command] = commandsOf(
      message,
      Array.from({ length: 3 }, () => text('Hi')),
      group,
    ).slice(place)
    return conversationEvent('BotReplyDelivered', {
      commandId: command?.id,
      commandType: 'BotMessage',
      inReplyTo: message.id,
      requestedAt: '2026-01-31T12:00:00.000Z',
      attempts: [],
      ...more,
    }) as Outcome
  }
  const [own, other] = [outcomeOf('shop-bot'), outcomeOf('copy-of-shop-bot')]
  const rows = [
    ['one group', [own, outcomeOf('shop-bot', { place: 2 }), own], false],
    ['another group after it', [own, other], true],
    ['another group before it', [other, own], true],
    ['another group alone: this bot had nothing to say', [other, other], false],
    ['an announcement', [own, outcomeOf('copy-of-shop-bot', { more: { expectsMore: true } })], false],
    ['a message of the bridge itself', [own, outcomeOf('bridge', { more: { because: 'no-reply-in-time' } })], false],
    ['an answer to another message', [own, outcomeOf('copy-of-shop-bot', { more: { inReplyTo: 'e2' } })], false],
  ] as const
  for (const [name, outcomes, expected] of rows) {
    const isOtherAnswer = otherAnswers('shop-bot')
    assert.is(outcomes.map(isOtherAnswer).includes(true), expected, name)
  }
})

bot('the kit says which Node it needs', () => {
  const old = 'expected Node 22 or later, and Node 22.18 or later for a bot in a .ts file; this is Node 20.20.2'
  assert.equal(['20.20.2', '22.0.0', '26.10.0'].map(problemOfNode), [old, undefined, undefined])
})

bot('an empty group is refused in words', async () => {
  for (const group of ['', ' ']) {
    const refused = await startBot(echo, { brokers: ['127.0.0.1:1'], group }).catch((error: Error) => error.message)
    assert.is(refused, 'group: expected the name of the consumer group that your bots share')
  }
})

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

type Line = readonly [fields: object, message: string]

const answeredBy = async (handlers: Handlers, event: ConversationEvent, now = at) => {
  const logged: Line[] = []
  const commands: BotReply[] = []
  let finished = 0
  const chat = givenChat(handlers, {
    limits: { ignoreOlderThan: 60_000, replyWithin: 20, atOnce: 1 },
    turns: { quietMs: 1, atMostMs: 5 },
    now: () => now,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: (...line) => void logged.push(line) },
  })
  chat.receive({
    event,
    attach: async () => {},
    publish: async (command) => void commands.push(command),
    finish: () => {
      finished += 1
    },
  })
  await chat.idle()
  assert.is(finished, 1)
  return {
    commands: commands.map((command) => (command.type === 'InviteAgent' ? command.reason : command.type)),
    logged,
  }
}

bot('an old message is not answered', async () => {
  assert.equal(await answeredBy(echo, clientWrites('Hello'), at + 60_001), { commands: [], logged: [] })
})

const event = { type: 'ClientMessageReceived', accountId: 'acme', chatId: '2037' }
const said = 'the bot gave no reply to an event'

bot('a handler that fails twice hands over at once, and its error is logged with message and stack', async () => {
  const err = new TypeError('no price for apples')
  let calls = 0
  const broken: Handlers = {
    onMessage: () => {
      calls += 1
      throw err
    },
  }
  const { commands, logged } = await answeredBy(broken, clientWrites('Hello'))
  assert.equal([commands, calls], [['The bot failed: TypeError.'], 2])
  assert.equal(logged, [[{ ...event, reason: 'threw', err }, said]])
})

bot('a handler that fails once is tried again', async () => {
  let calls = 0
  const flaky: Handlers = {
    onMessage: () => {
      calls += 1
      if (calls === 1) throw new Error('busy')
      return text('Hi')
    },
  }
  assert.equal(await answeredBy(flaky, clientWrites('Hello')), { commands: ['BotMessage'], logged: [] })
})

bot('a handler that never ends hands over at its limit', async () => {
  const { commands } = await answeredBy({ onMessage: () => new Promise(() => {}) }, clientWrites('Hello'))
  assert.equal(commands, ['The bot had no answer in time.'])
})

bot('a reply that the bridge would refuse is logged without its text, and the client is handed over', async () => {
  const four = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: `secret ${id}` }))
  const { commands, logged } = await answeredBy({ onMessage: () => [text('Hi'), buttons('?', four)] }, clientWrites(''))
  const mistake = 'reply 2: message.buttons: expected 1 to 3 buttons'
  assert.equal(commands, [`The bridge would not send the bot's answer: ${mistake}.`])
  assert.equal(logged, [[{ ...event, reason: 'mistakes', mistakes: [mistake] }, said]])
})

bot('onFailure says what is said instead', async () => {
  const broken: Handlers = {
    onMessage: () => Promise.reject(new Error('busy')),
    onFailure: () => [text('Sorry.'), handOver()],
  }
  assert.equal((await answeredBy(broken, clientWrites('Hello'))).commands, ['BotMessage', undefined])
})

const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
  ['an empty text', text(' '), 'reply 1: message.text: expected words, found none'],
  ['2 MB of text', text('x'.repeat(2_000_000)), 'reply 1: message.text: expected at most 65536 characters'],
  ['an unknown key', { ...text('Hi'), typo: 1 }, 'reply 1: typo: expected no such key in message'],
  [
    'an unknown key of a message',
    { kind: 'message', message: { type: 'TEXT', text: 'Hi', clientId: '7' } },
    'reply 1: message.clientId: expected no such key in TEXT',
  ],
  ['a text instead of a reply', 'Hi', 'reply 1: expected text(), markdown(), buttons() or handOver()'],
]
for (const [what, reply, mistake] of wrong)
  bot(`${what} is refused`, () => assert.equal(mistakesIn(clientWrites('Hello'), [reply as Reply]), [mistake]))

bot('a note of a hand-over becomes the enrichment of its chat, and belongs to no command', () => {
  const handing = handOver({
    summary: 'Wants a refund',
    fields: { Order: '7', Mood: 'angry' },
    crmLink: 'https://crm/7',
  })
  assert.equal(enrichmentOf(handOverNoteOf([text('One moment.'), handing]) ?? {}), {
    customData: [
      { title: 'Summary', content: 'Wants a refund' },
      { title: 'Order', content: '7' },
      { title: 'Mood', content: 'angry' },
    ],
    crmLink: 'https://crm/7',
  })
  assert.is(handOverNoteOf([handOver({ reason: 'a complaint' })]), undefined)
  assert.not.match(JSON.stringify(commandsOf(clientWrites('Hello'), [handing], 'shop-bot')), 'refund')
})

bot('a wrong note is refused, and never quoted', () => {
  const rows: ReadonlyArray<readonly [object, string]> = [
    [{ summary: ' ' }, 'reply 1: summary: expected words, found none'],
    [{ summary: 'x'.repeat(5_000) }, 'reply 1: summary: expected at most 4096 characters'],
    [{ fields: { Order: 7 } }, 'reply 1: fields.0.content: expected text'],
    [{ fields: ['secret'] }, 'reply 1: fields: expected an object of texts'],
    [{ crmLink: 7 }, 'reply 1: crmLink: expected text'],
  ]
  for (const [note, mistake] of rows)
    assert.equal(mistakesIn(clientWrites('Hello'), [handOver(note as never)]), [mistake])
})

bot('an event without personal data keeps ids, times and kinds, and nothing that anybody wrote', () => {
  const written = conversationEvent('ClientMessageReceived', {
    message: { type: 'TEXT', text: 'I am John, 555-0100', timestamp: '2026-01-31T12:00:00.000Z', buttonId: '7' },
    extra: { passport: 'X1' },
  })
  const open = withoutPersonalData(written)
  assert.not.match(JSON.stringify(open), /John|555|passport|X1/)
  assert.equal(open, {
    ...written,
    data: {
      accountId: 'acme',
      chatId: '2037',
      clientId: '1233',
      message: { type: 'TEXT', timestamp: '2026-01-31T12:00:00.000Z', buttonId: '7' },
    },
  })
  assert.match(JSON.stringify(written), 'John')
})

bot('an event of every type can lose its personal data', () => {
  for (const { name } of ConversationEvent.types) {
    const event = conversationEvent(name as ConversationEvent['type'], { extra: { passport: 'X1' } })
    assert.is(ConversationEvent.is(withoutPersonalData(event)), true, name)
    assert.not.match(JSON.stringify(withoutPersonalData(event)), 'X1')
  }
})

bot.run()
