import { AssertionError } from 'node:assert'
import { scheduler, setTimeout } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConversationEvent } from '../../contracts/events/index.ts'
import { modelBot } from '../../contracts/guides/examples/model-bot.ts'
import type { Handlers } from '../../src/bot/handlers.ts'
import {
  agentInvited,
  agentJoined,
  chatClosed,
  clientWrites,
  conversationEvent,
  given,
  inChat,
  pause,
} from '../../src/bot/harness.ts'
import { buttons, handOver, markdown, type Reply, text } from '../../src/bot/replies.ts'

const saying = (...replies: ReadonlyArray<Reply>) => {
  const say = () => replies
  return { onMessage: say, onAgentInvited: say, onAgentJoined: say, onChatClosed: say }
}

/** Why the harness fails a bot that says exactly what was expected. */
const failure = async (event: ConversationEvent, ...replies: ReadonlyArray<Reply>) => {
  try {
    await given(saying(...replies))
      .when(event)
      .says(...replies)
  } catch (error) {
    if (error instanceof AssertionError) return error.message
    throw error
  }
  return 'it did not fail'
}

const harness = suite('harness of the bot kit')

harness('a bot that gives another reply fails the test', async () => {
  const error = await given(saying(text('Good day')))
    .when(clientWrites('Hello'))
    .says(text('Good morning'))
    .catch((it: unknown) => it)
  assert.instance(error, AssertionError)
})

const four = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: id }))
const refused: ReadonlyArray<readonly [what: string, replies: ReadonlyArray<Reply>, why: string]> = [
  ['four buttons', [buttons('Which?', four)], 'reply 1: message.buttons: expected 1 to 3 buttons'],
  [
    'a reply after handOver()',
    [handOver(), text('Good-bye')],
    'reply 2: it comes after handOver(), the bridge suppresses it',
  ],
]
for (const [what, replies, why] of refused)
  harness(`it rejects ${what}`, async () => {
    assert.is(
      await failure(clientWrites('Hello'), ...replies),
      `the bridge would not send the answer to ClientMessageReceived: ${why}`,
    )
  })

harness(
  'of Markdown that the service cannot show, clients get the plain text, unless the account refuses it',
  async () => {
    const told: unknown[] = []
    const bot: Handlers = {
      onMessage: () => [markdown('# Prices\n\n- 9 €')],
      onOutcome: ({ data }) => void told.push([data.renderedAs, data.message?.text]),
    }
    const said = await given(bot).when(clientWrites('Hello')).says(markdown('# Prices\n\n- 9 €'))
    assert.equal([said, told], [undefined, [['TEXT', 'Prices\n\n- 9 €']]])
    const refused = await given(bot)
      .markdown('refuse')
      .when(clientWrites('Hello'))
      .says()
      .catch((error: unknown) => String(error))
    assert.match(String(refused), 'message.content: expected links, bold and italic only, found heading, list')
  },
)

harness('it rejects replies to a chat that an agent has or that is closed', async () => {
  for (const event of [agentInvited(), agentJoined(), chatClosed()])
    assert.match(await failure(event, text('Hi')), `the bridge suppresses replies to ${event.type}`)
})

harness('it rejects a reply after an earlier hand-over, and over an agent', async () => {
  const why = async (first: Reply, ...past: ReadonlyArray<ConversationEvent>) => {
    let calls = 0
    const bot = { onMessage: () => (calls++ === 0 ? first : text('Hi')) }
    const tried = given(bot, ...past, clientWrites('Hello')).when(clientWrites('Hello?'))
    return String(await tried.staysSilent().catch((error: unknown) => error))
  }
  assert.match(await why(handOver()), 'the bridge would suppress a reply of the bot: agent-invited')
  assert.match(await why(text('Hi'), agentInvited()), 'agent-invited')
})

harness('a hand-over is compared with its note', () =>
  given({ onMessage: () => [text('One moment.'), handOver({ summary: 'Wants a refund', fields: { Order: '7' } })] })
    .when(clientWrites('Hello'))
    .says(text('One moment.'), handOver({ summary: 'Wants a refund', fields: { Order: '7' } })),
)

harness('its matchers know words, hand-overs and silence', async () => {
  const bot = { onMessage: () => [text('We open at 9.'), handOver({ reason: 'a complaint' })] }
  await given(bot).when(clientWrites('Hello')).saysSomethingLike(/open/)
  await given(bot).when(clientWrites('Hello')).handsOver()
  await given(bot).when(chatClosed()).staysSilent()
  assert.instance(
    await given(bot)
      .when(clientWrites('Hello'))
      .staysSilent()
      .catch((it: unknown) => it),
    AssertionError,
  )
})

harness('messages that come at once are one turn', () =>
  given(modelBot)
    .when(clientWrites('I want'), clientWrites('a person'))
    .says(text('I get somebody.'), handOver({ reason: 'The client asks for a person.', summary: 'I want\na person' })),
)

harness('an event that the chat is told by the bridge reaches onOutcome', async () => {
  const heard: unknown[] = []
  const bot: Handlers = {
    onMessage: () => [text('One moment.'), handOver()],
    onOutcome: ({ type, data }) => void heard.push([type, data.commandType, data.inReplyTo]),
  }
  await given(bot).when(clientWrites('Hello')).handsOver()
  assert.equal(heard, [
    ['BotReplyDelivered', 'BotMessage', 'e1'],
    ['BotReplyDelivered', 'InviteAgent', 'e1'],
  ])
})

harness('what onFailure says is compared if the bot may fail', async () => {
  const bot: Handlers = { onMessage: () => Promise.reject(new Error('busy')), onFailure: () => text('Sorry.') }
  await given(bot).mayFail().when(clientWrites('Hello')).says(text('Sorry.'))
})

const steady: Handlers = {
  onTurn: async ({ messages, say }) => {
    await say(text('One moment.'))
    await setTimeout(6_000)
    return text(messages.map(({ data }) => data.message.text).join(' '))
  },
}

harness('time is virtual: messages within the quiet time are a turn, and a slow model takes no time', () =>
  given(steady)
    .virtualTime()
    .when(clientWrites('I'), pause(900), clientWrites('want'), pause(20_000), clientWrites('apples'))
    .says(text('One moment.'), text('I want'), text('One moment.'), text('apples')),
)

harness('chats run side by side, each with its own client', () =>
  given(steady)
    .virtualTime()
    .when(clientWrites('one'), inChat('7', clientWrites('two')), pause(100), clientWrites('more'))
    .saysInChats({
      '2037': [text('One moment.'), text('one more')],
      '7': [text('One moment.'), text('two')],
    }),
)

harness('an agent who joins while the model thinks ends the turn', () =>
  given(steady).virtualTime().when(clientWrites('Hello'), pause(3_000), agentJoined()).says(text('One moment.')),
)

harness('a model that is slower than replyWithin fails in virtual time too', async () => {
  const slow: Handlers = { onTurn: () => setTimeout(60_000, text('Hi')) }
  const error = await given(slow)
    .virtualTime()
    .when(clientWrites('Hello'))
    .says(text('Hi'))
    .catch((it: unknown) => it)
  assert.match(String(error), 'the handler of ClientMessageReceived took longer than replyWithin')
})

harness('every way to wait and to tell the time is virtual, and real afterwards', async () => {
  const real = [globalThis.setTimeout, setTimeout, Date, performance.now, AbortSignal.timeout]
  const before = Date.now()
  const seen: unknown[] = []
  const bot: Handlers = {
    onMessage: async () => {
      const [began, at] = [performance.now(), Date.now()]
      await new Promise((resolve) => globalThis.setTimeout(resolve, 1_000))
      await scheduler.wait(1_000)
      await new Promise((resolve) => AbortSignal.timeout(1_000).addEventListener('abort', resolve))
      const ticks = await new Promise((resolve) => {
        let count = 0
        const timer = setInterval(() => {
          count += 1
          if (count === 3) resolve(count)
          if (count === 3) clearInterval(timer)
        }, 500)
      })
      seen.push(ticks, performance.now() - began, Date.now() - at, new Date().toISOString())
      return text('Hi')
    },
  }
  await given(bot).virtualTime().when(clientWrites('Hello')).says(text('Hi'))
  assert.equal(seen, [3, 4_500, 4_500, '2026-01-31T12:00:04.500Z'])
  assert.equal([globalThis.setTimeout, setTimeout, Date, performance.now, AbortSignal.timeout], real)
  assert.ok(Date.now() >= before)
})

harness('it rejects a handler that is slower than replyWithin', async () => {
  const slow = { onMessage: () => new Promise<Reply>(() => {}) }
  const error = await given(slow)
    .replyWithin(5)
    .when(clientWrites('Hello'))
    .says(text('Hi'))
    .catch((it: Error) => it)
  assert.match(String(error), 'the handler of ClientMessageReceived took longer than replyWithin, 5 ms')
})

harness('an error of a handler fails the test with that error', async () => {
  const error = new RangeError('no such price')
  const broken = { onMessage: () => Promise.reject(error) }
  const failed = given(broken).when(clientWrites('Hello')).says()
  assert.is(await failed.catch((it: unknown) => it), error)
})

harness('it builds every event of a conversation', () => {
  const types = ConversationEvent.types.map(({ name }) => name as ConversationEvent['type'])
  assert.equal(
    types.map((type) => conversationEvent(type).type),
    types,
  )
  const invited = conversationEvent('AgentInvited', { chatId: '7', invitedBy: 'bridge', reason: 'no-reply-in-time' })
  assert.equal([invited.subject, invited.data.invitedBy, invited.data.reason], ['7', 'bridge', 'no-reply-in-time'])
})

harness('it refuses to build an event that breaks the contract', () => {
  assert.throws(() => conversationEvent('AgentInvited', { invitedBy: 'nobody' }), /data.invitedBy: expected/)
})

harness.run()
