import { array, asyncProperty, assert as check, constantFrom, nat, record } from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { Chat } from '../../src/bot/chat.ts'
import type { Handlers, Turn } from '../../src/bot/handlers.ts'
import { agentJoined, chatClosed, conversationEvent } from '../../src/bot/harness.ts'
import { text } from '../../src/bot/replies.ts'
import { sleep } from '../../src/shared/time.ts'
import { eventually } from '../support/eventually.ts'
import { givenChat } from './given-chat.ts'

const turnsTest = suite('turns of the bot kit')

const message = (id: string) => conversationEvent('ClientMessageReceived', {}, { id })

/** A chat with a bot, what the bot publishes, and which events are finished, in order. */
const chatWith = (handlers: Handlers, turns = { quietMs: 5, atMostMs: 30 }) => {
  const commands: BotReply[] = []
  const finished: string[] = []
  const chat: Chat = givenChat(handlers, { turns })
  const hear = (event: Parameters<Chat['hear']>[0]['event']) =>
    chat.hear({
      event,
      attach: async () => {},
      publish: async (command) => void commands.push(command),
      finish: () => void finished.push(event.id),
    })
  return { hear, idle: chat.idle, commands, finished }
}
const answers = (commands: ReadonlyArray<BotReply>) =>
  commands.map((command) => [
    command.inReplyTo,
    command.type === 'BotMessage' && command.message.type === 'TEXT' ? command.message.text : command.type,
  ])
const counting: Handlers = { onTurn: ({ messages }) => text(messages.map(({ id }) => id).join(' ')) }

turnsTest('five messages in one go get one answer, to the last', async () => {
  const { hear, idle, commands, finished } = chatWith(counting)
  for (const id of ['m1', 'm2', 'm3', 'm4', 'm5']) hear(message(id))
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
  const { hear, idle, commands } = chatWith(slow, { quietMs: 0, atMostMs: 4_000 })
  hear(message('m1'))
  await eventually('the first call', () => calls.length === 1)
  hear(message('m2'))
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
  const { hear, idle, commands } = chatWith(slow, { quietMs: 0, atMostMs: 0 })
  hear(message('m1'))
  await eventually('the first call', () => calls.length === 1)
  hear(message('m2'))
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
  const { hear, idle, commands } = chatWith(patient, { quietMs: 0, atMostMs: 4_000 })
  hear(message('m1'))
  await eventually('the announcement', () => commands.length === 1)
  hear(message('m2'))
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
  const { hear, idle, commands, finished } = chatWith(slow, { quietMs: 0, atMostMs: 4_000 })
  hear(message('m1'))
  await eventually('the call', () => signal !== undefined)
  hear(agentJoined())
  await idle()
  assert.equal([signal?.aborted, commands, finished], [true, [], ['m1', 'e1']])
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
          const { hear, idle, commands, finished } = chatWith(bot, { quietMs: 2, atMostMs: 6 })
          for (const [i, { pause, kind }] of steps.entries()) {
            await sleep(pause)
            if (kind === 'message') hear(message(`m${i}`))
            else if (kind === 'outcome') hear(conversationEvent('BotReplyDelivered', {}, { id: `o${i}` }))
            else hear({ ...chatClosed(), id: message(`c${i}`).id })
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
