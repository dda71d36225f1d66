import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { HistoryMessage } from '../../contracts/http.ts'
import type { Handlers } from '../../src/bot/handlers.ts'
import { agentJoined, clientWrites, conversationEvent, given } from '../../src/bot/harness.ts'
import { forAnswer, historyOver, messageOf, noHistory, type ReadHistory, toMessages } from '../../src/bot/history.ts'
import { text } from '../../src/bot/replies.ts'
import { sleep } from '../../src/bridge/shared/time.ts'
import { givenChat } from './given-chat.ts'

const at = '2026-01-31T12:00:00.000Z' as HistoryMessage['at']
const message = (id: string, from: HistoryMessage['from'], words: string): HistoryMessage => ({
  id,
  from,
  type: 'TEXT',
  text: words,
  at,
})

const history = suite('history of a chat in the bot kit')

/** What the kit requests when the bridge answers so, and what becomes of it. */
const requested = async (
  answers: ReadonlyArray<number | Error>,
  body: () => unknown = () => ({ messages: [message('m1', 'client', 'Hi')], upTo: 'm1' }),
) => {
  const urls: string[] = []
  const read = historyOver(
    { url: 'http://bridge/', tokens: { acme: 'a-token' } },
    async () => {},
    async (url, headers) => {
      assert.equal(headers, { authorization: 'Bearer a-token' })
      const answer = answers[urls.length] ?? 200
      urls.push(url)
      if (typeof answer !== 'number') throw answer
      return { status: answer, json: async () => body() }
    },
  )
  const result = await read({ accountId: 'acme', chatId: 'a/b' }, 7, 'm 2').then(
    (messages) => messages.map(({ id }) => id),
    (error: Error) => error.message,
  )
  return { urls: urls.map((url) => url.replace('http://bridge/history/acme/a%2Fb?', '')), result }
}

history('the request names the newest event', async () => {
  assert.equal(await requested([200]), { urls: ['last=7&after=m+2'], result: ['m1'] })
})

history('a bridge whose views are late is asked again, at last without the event', async () => {
  assert.equal(await requested([425, 503]), {
    urls: ['last=7&after=m+2', 'last=7&after=m+2', 'last=7'],
    result: ['m1'],
  })
})

history(
  'an unknown chat has no history; a refused token and a bridge that is away are errors without words',
  async () => {
    assert.equal((await requested([404])).result, [])
    assert.equal((await requested([401])).result, 'the bridge refuses the history token of account acme')
    const away = new TypeError('fetch failed: secret')
    assert.equal(
      (await requested([away, away, away])).result,
      'the bridge did not give the history of a chat: TypeError',
    )
  },
)

history('an answer that is no history is an error without its words', async () => {
  for (const body of [() => ({ messages: [{ text: 'secret' }] }), () => JSON.parse('secret')])
    assert.is((await requested([], body)).result, 'the bridge did not give the history of a chat: no history')
})

history('an account without a token, and a bot without the option, are told so', async () => {
  const read = historyOver({ url: 'http://bridge', tokens: {} }, sleep)
  for (const [reading, why] of [
    [read, 'a token of account acme'],
    [noHistory, 'the option `history` of startBot'],
  ] as const)
    assert.match(await reading({ accountId: 'acme', chatId: '1' }, 1, undefined).then(() => 'read', String), why)
})

/** The history that a bot gets in a chat, if the bridge has this much of it. */
const heardBy = async (readHistory: ReadHistory, ...ids: ReadonlyArray<string>) => {
  const got: Array<ReadonlyArray<string>> = []
  const bot: Handlers = {
    onMessage: async (_, { history }) => {
      got.push((await history(3)).map(({ id }) => id))
      return text('Hi')
    },
  }
  const chat = givenChat(bot, { readHistory })
  for (const id of ids)
    chat.receive({
      event: conversationEvent('ClientMessageReceived', {}, { id }),
      attach: async () => {},
      publish: async () => {},
      finish: () => {},
    })
  await chat.idle()
  return got
}

history('what the bot has seen since is added, and its newest event is named', async () => {
  const named: Array<string | undefined> = []
  const got = await heardBy(
    async (_, __, after) => {
      named.push(after)
      return [message('m1', 'client', 'a'), message('r1', 'bot', 'b')]
    },
    'm2',
    'm3',
  )
  assert.equal([got[0], named[0]], [['r1', 'm2', 'm3'], 'm3'])
})

history('an event becomes the message that the bridge would give', () => {
  assert.equal(messageOf(clientWrites('Hello')), message('e1', 'client', 'Hello'))
  assert.equal(messageOf(agentJoined()), { id: 'e1', from: 'agent', type: 'AGENT_JOINED', text: '', at })
  assert.is(messageOf(conversationEvent('BotReplySuppressed')), undefined)
})

history('the harness has the history of its chat', async () => {
  const bot: Handlers = {
    onMessage: async (_, { history }) =>
      text((await history()).map(({ from, text: words }) => `${from}: ${words}`).join(', ')),
  }
  await given(bot, clientWrites('one'))
    .when(clientWrites('two'))
    .says(text('client: one, bot: client: one, client: two'))
})

history('the history for an answer ends with the words that are answered, without what their turn announced', () => {
  const [one, two, three] = ['m1', 'm2', 'm3'].map((id) => message(id, 'client', id))
  const [old, now, agent] = [
    message('acme/2037/bot-a:delivered', 'bot', 'a'),
    message('acme/2037/bot-b:delivered', 'bot', 'b'),
    message('a1', 'agent', ''),
  ]
  const rows = [
    ['an announcement is left out', [one, old, two, now], 'm2', [one, old, two]],
    ['also between two messages of the turn', [one, now, two], 'm1', [one, two]],
    ['also of a test without servers', [one, message('bot-b:delivered', 'bot', 'b')], 'm1', [one]],
    ['what answers an earlier message is before the turn', [one, two, old, three], 'm2', [one, old, two, three]],
    ['the part of an agent stays where it is', [one, two, agent, old, three], 'm2', [one, old, two, agent, three]],
    ['without a message of the client nothing moves', [one, old], 'event', [one, old]],
  ] as const
  for (const [name, given, first, expected] of rows)
    assert.equal(
      forAnswer(
        given.flatMap((each) => each ?? []),
        first,
        new Set(['bot-b']),
      ),
      expected,
      name,
    )
})

history('models get client and bot in turns, beginning with the client', () => {
  const said = [
    message('r0', 'bot', 'Hello?'),
    message('m1', 'client', 'I want'),
    message('m2', 'client', 'apples'),
    message('r1', 'bot', 'Which?'),
    message('a1', 'agent', ''),
    message('m3', 'client', 'Green'),
  ]
  assert.equal(toMessages(said), [
    { role: 'user', content: 'I want\napples' },
    { role: 'assistant', content: 'Which?' },
    { role: 'user', content: 'Green' },
  ])
})

history.run()
