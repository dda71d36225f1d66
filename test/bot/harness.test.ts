import { AssertionError } from 'node:assert'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConversationEvent } from '../../contracts/events/index.ts'
import { modelBot } from '../../contracts/guides/examples/model-bot.ts'
import { agentInvited, agentJoined, chatClosed, clientWrites, conversationEvent, given } from '../../src/bot/harness.ts'
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
    'unsupported Markdown',
    [text('Hi'), markdown('# Prices')],
    'reply 2: message.content: expected links, bold and italic only, found heading',
  ],
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
    .says(text('I get somebody.'), handOver({ reason: 'The client asks for a person.' })),
)

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
