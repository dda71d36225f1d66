import { array, asyncProperty, assert as check, constantFrom, nat, record } from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ChatErased } from '../../contracts/events/index.ts'
import type { Chat, ChatOptions } from '../../src/bot/chat.ts'
import type { Handlers, Turn } from '../../src/bot/handlers.ts'
import { agentJoined, chatClosed, conversationEvent } from '../../src/bot/harness.ts'
import { handOver, text } from '../../src/bot/replies.ts'
import { sleep } from '../../src/bridge/shared/time.ts'
import { eventually } from '../support/eventually.ts'
import { anEvent, at } from '../support/given-events.ts'
import { silent } from '../support/silent-log.ts'
import { givenChat } from './given-chat.ts'

const turnsTest = suite('turns of the bot kit')

const message = (id: string) => conversationEvent('ClientMessageReceived', {}, { id })

/** A chat with a bot, what the bot publishes, and which events are finished, in order. */
const chatWith = (handlers: Handlers, turns = { quietMs: 5, atMostMs: 30 }, about: Partial<ChatOptions> = {}) => {
  const commands: BotReply[] = []
  const finished: string[] = []
  const chat: Chat = givenChat(handlers, { turns, ...about })
  const publishIn = async (command: BotReply) => void commands.push(command)
  const receive = (
    event: Parameters<Chat['receive']>[0]['event'],
    publish: (command: BotReply) => unknown = publishIn,
  ) =>
    chat.receive({
      event,
      attach: async () => {},
      publish: async (command) => void (await publish(command)),
      finish: () => void finished.push(event.id),
    })
  const erase = (id: string, forget: () => Promise<void> = async () => {}) =>
    chat.erase({
      event: anEvent('ChatErased', id, at('12:00:00'), { topic: 'bot-conversations' }) as ChatErased,
      forget,
      finish: () => void finished.push(id),
    })
  return { receive, erase, idle: chat.idle, commands, finished }
}
const answers = (commands: ReadonlyArray<BotReply>) =>
  commands.map((command) => [
    command.inReplyTo,
    command.type === 'BotMessage' && command.message.type === 'TEXT' ? command.message.text : command.type,
  ])
const counting: Handlers = { onTurn: ({ messages }) => text(messages.map(({ id }) => id).join(' ')) }

turnsTest('five messages in one go get one answer, to the last', async () => {
  const { receive, idle, commands, finished } = chatWith(counting)
  for (const id of ['m1', 'm2', 'm3', 'm4', 'm5']) receive(message(id))
  await idle()
  assert.equal(answers(commands), [['m5', 'm1 m2 m3 m4 m5']])
  assert.equal(finished, ['m1', 'm2', 'm3', 'm4', 'm5'])
})

turnsTest('a newer message aborts the answer, and the next one has the older message too', async () => {
  const calls: Turn[] = []
  const slow: Handlers = {
    onTurn: async (turn) => {
      calls.push(turn)
      if (calls.length === 1) await new Promise((resolve) => turn.signal.addEventListener('abort', resolve))
      return text(turn.messages.map(({ id }) => id).join(' '))
    },
  }
  const { receive, idle, commands } = chatWith(slow, { quietMs: 0, atMostMs: 4_000 })
  receive(message('m1'))
  await eventually('the first call', () => calls.length === 1)
  receive(message('m2'))
  await idle()
  assert.equal([calls[0]?.signal.aborted, answers(commands)], [true, [['m2', 'm1 m2']]])
})

turnsTest('after atMostMs a newer message no longer aborts: a steady writer is answered', async () => {
  let release = () => {}
  const calls: Turn[] = []
  const slow: Handlers = {
    onTurn: async (turn) => {
      calls.push(turn)
      if (calls.length === 1)
        await new Promise<void>((resolve) => {
          release = resolve
        })
      return text(turn.messages.map(({ id }) => id).join(' '))
    },
  }
  const { receive, idle, commands } = chatWith(slow, { quietMs: 0, atMostMs: 0 })
  receive(message('m1'))
  await eventually('the first call', () => calls.length === 1)
  receive(message('m2'))
  release()
  await idle()
  assert.equal(answers(commands), [
    ['m1', 'm1'],
    ['m2', 'm2'],
  ])
})

turnsTest('what is said before the answer comes first, announces it, and is said once', async () => {
  let calls = 0
  const patient: Handlers = {
    onTurn: async ({ say, signal }) => {
      calls += 1
      await say(text('One moment'))
      if (calls === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return text('Done')
    },
  }
  const { receive, idle, commands } = chatWith(patient, { quietMs: 0, atMostMs: 4_000 })
  receive(message('m1'))
  await eventually('the announcement', () => commands.length === 1)
  receive(message('m2'))
  await idle()
  assert.equal(answers(commands), [
    ['m1', 'One moment'],
    ['m2', 'Done'],
  ])
  assert.equal(
    commands.map((command) => command.type === 'BotMessage' && command.expectsMore),
    [true, undefined],
  )
})

turnsTest('an agent who joins aborts the turn, and nothing is said over the agent', async () => {
  let signal: AbortSignal | undefined
  const slow: Handlers = {
    onTurn: (turn) => {
      signal = turn.signal
      return new Promise(() => {})
    },
  }
  const { receive, idle, commands, finished } = chatWith(slow, { quietMs: 0, atMostMs: 4_000 })
  receive(message('m1'))
  await eventually('the call', () => signal !== undefined)
  receive(agentJoined())
  await idle()
  assert.equal([signal?.aborted, commands, finished], [true, [], ['m1', 'e1']])
})

const never = () => new Promise<never>(() => {})
const limits = { ignoreOlderThan: Number.POSITIVE_INFINITY, replyWithin: 60, atOnce: 100 }
const reasons = (commands: ReadonlyArray<BotReply>) =>
  commands.map((command) => (command.type === 'InviteAgent' ? command.reason : command.message))

turnsTest('a handler that does not end is told so by its signal, and says nothing after the hand-over', async () => {
  let turn: Turn | undefined
  const stuck: Handlers = {
    onTurn: (given) => {
      turn = given
      return never()
    },
  }
  const { receive, idle, commands, finished } = chatWith(stuck, { quietMs: 0, atMostMs: 0 }, { limits })
  receive(message('m1'))
  await idle()
  await turn?.say(text('Still here'))
  assert.equal([turn?.signal.aborted, reasons(commands), finished], [true, ['The bot had no answer in time.'], ['m1']])
})

turnsTest('what a handler says after its answer is not sent', async () => {
  let turn: Turn | undefined
  const late: Handlers = {
    onTurn: (given) => {
      turn = given
      return text('Done')
    },
  }
  const { receive, idle, commands } = chatWith(late)
  receive(message('m1'))
  await idle()
  await turn?.say(text('One moment'))
  assert.equal(answers(commands), [['m1', 'Done']])
})

turnsTest('a handler that throws after it has said something says it once, and the client is handed over', async () => {
  const failing: Handlers = {
    onTurn: async ({ say }) => {
      await say(text('One moment'))
      throw new RangeError('Where is 7?')
    },
  }
  const { receive, idle, commands } = chatWith(failing)
  receive(message('m1'))
  await idle()
  assert.equal(answers(commands), [
    ['m1', 'One moment'],
    ['m1', 'InviteAgent'],
  ])
  assert.is(reasons(commands)[1], 'The bot failed: RangeError.')
})

turnsTest('a handler that announces an answer must give one, and hands over by its answer alone', async () => {
  const bots: ReadonlyArray<NonNullable<Handlers['onTurn']>> = [
    async ({ say }) => void (await say(text('One moment'))),
    async ({ say }) => void (await say(handOver())),
    // Nobody waits for it: the process goes on.
    ({ say }) => {
      void say(text(''))
      return text('Done')
    },
  ]
  const said: unknown[] = []
  for (const onTurn of bots) {
    const { receive, idle, commands } = chatWith({ onTurn })
    receive(message('m1'))
    await idle()
    said.push(answers(commands).map(([, words]) => words))
  }
  assert.equal(said, [['One moment', 'InviteAgent'], ['InviteAgent'], ['Done']])
})

turnsTest('a turn that an agent has taken while it waited is not handled', async () => {
  let calls = 0
  const { receive, idle, commands, finished } = chatWith({
    onTurn: () => {
      calls += 1
      return text('Hello')
    },
  })
  receive(message('m1'))
  receive(agentJoined())
  await idle()
  assert.equal([calls, commands, finished], [0, [], ['m1', 'e1']])
})

turnsTest(
  'an erasure ends the turn that it interrupts; what comes later waits until the chat is forgotten',
  async () => {
    const order: string[] = []
    const signals: AbortSignal[] = []
    let forgotten = () => {}
    const bot: Handlers = {
      onTurn: async ({ messages, signal, history }) => {
        signals.push(signal)
        const words = messages.map(({ id }) => id).join(' ')
        order.push(words)
        if (signals.length === 1) return never()
        return text(`${words} of ${(await history()).map(({ id }) => id).join(' ')}`)
      },
    }
    const here = chatWith(bot, { quietMs: 0, atMostMs: 4_000 }, { readHistory: async () => [] })
    const { receive, erase, idle, commands, finished } = here
    receive(message('m1'))
    await eventually('the first call', () => signals.length === 1)
    erase('x1', async () => {
      order.push('erased')
      await new Promise<void>((resolve) => {
        forgotten = resolve
      })
      order.push('forgotten')
    })
    receive(message('m2'))
    await eventually('the erasure', () => order.includes('erased'))
    forgotten()
    await idle()
    assert.equal(order, ['m1', 'erased', 'forgotten', 'm2'])
    assert.equal(
      [signals[0]?.aborted, answers(commands), finished],
      [true, [['m2', 'm2 of m2']], ['m1', 'x1', 'm2']],
      'nothing of what was erased is in the history',
    )
  },
)

turnsTest('without turns, an erasure drops the messages before it and their answers', async () => {
  const handled: string[] = []
  let release = () => {}
  const simple: Handlers = {
    onMessage: async ({ id }) => {
      handled.push(id)
      if (id === 'm1')
        await new Promise<void>((resolve) => {
          release = resolve
        })
      return text(id)
    },
  }
  const { receive, erase, idle, commands, finished } = chatWith(simple)
  receive(message('m1'))
  receive(message('m2'))
  await eventually('the first call', () => handled.length === 1)
  erase('x1')
  receive(message('m3'))
  release()
  await idle()
  assert.equal([handled, answers(commands), finished], [['m1', 'm3'], [['m3', 'm3']], ['m1', 'm2', 'x1', 'm3']])
})

for (const [name, handlers] of [
  ['a turn', counting],
  ['an event', { onMessage: ({ id }) => text(id) }],
] as ReadonlyArray<readonly [string, Handlers]>)
  turnsTest(
    `an error of the kit itself in ${name} is logged, its client is handed over, and the chat goes on`,
    async () => {
      const errors: object[] = []
      const log = { ...silent, error: (fields: object) => void errors.push(fields) }
      const { receive, idle, commands, finished } = chatWith(handlers, undefined, { log })
      const failing = [new RangeError('Where is 7?')]
      receive(message('m1'), (command) => {
        const error = failing.pop()
        if (error !== undefined) throw error
        commands.push(command)
      })
      await idle()
      receive(message('m2'))
      await idle()
      assert.equal(answers(commands), [
        ['m1', 'InviteAgent'],
        ['m2', 'm2'],
      ])
      assert.equal([reasons(commands)[0], errors.length, finished], ['The bot failed: RangeError.', 1, ['m1', 'm2']])
    },
  )

turnsTest('an onOutcome that does not end does not keep its event', async () => {
  const errors: object[] = []
  const log = { ...silent, error: (fields: object) => void errors.push(fields) }
  const { receive, idle, finished } = chatWith({ onOutcome: never }, undefined, { limits, log })
  receive(conversationEvent('BotReplyDelivered', {}, { id: 'o1' }))
  await idle()
  assert.equal([finished, errors.length], [['o1'], 1])
})

turnsTest(
  'whatever interleaves, each event is finished once, in order, and each message is in an answered turn',
  async () => {
    const step = record({ pause: nat(3), kind: constantFrom('message', 'message', 'message', 'outcome', 'closed') })
    await check(
      asyncProperty(
        array(step, { maxLength: 12 }),
        array(nat(6), { minLength: 1, maxLength: 5 }),
        async (steps, delays) => {
          let call = 0
          const bot: Handlers = {
            onTurn: async ({ messages }) => {
              await sleep(delays[call++ % delays.length] ?? 0)
              return text(messages.map(({ id }) => id).join(' '))
            },
          }
          const { receive, idle, commands, finished } = chatWith(bot, { quietMs: 2, atMostMs: 6 })
          for (const [i, { pause, kind }] of steps.entries()) {
            await sleep(pause)
            if (kind === 'message') receive(message(`m${i}`))
            else if (kind === 'outcome') receive(conversationEvent('BotReplyDelivered', {}, { id: `o${i}` }))
            else receive({ ...chatClosed(), id: message(`c${i}`).id })
          }
          await idle()
          const inOrder = steps.flatMap(({ kind }, i) =>
            kind === 'outcome' ? [] : [`${kind === 'message' ? 'm' : 'c'}${i}`],
          )
          assert.equal(
            finished.filter((id) => !id.startsWith('o')),
            inOrder,
          )
          assert.is(finished.length, steps.length)
          const answered = answers(commands).flatMap(([, words]) => String(words).split(' '))
          assert.is(new Set(answered).size, answered.length)
          const lastClosed = steps.findLastIndex(({ kind }) => kind === 'closed')
          const wanted = steps.flatMap(({ kind }, i) => (kind === 'message' && i > lastClosed ? [`m${i}`] : []))
          assert.equal(
            answered.filter((id) => wanted.includes(id)),
            wanted,
          )
        },
      ),
      { numRuns: 60 },
    )
  },
)

turnsTest.run()
