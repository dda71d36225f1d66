import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sayToBot } from '../../../src/simulator/demo/say.ts'
import type { DemoAccount } from '../../../src/simulator/demo/story.ts'
import type { Service } from '../../../src/simulator/service.ts'

const saying = suite('a client of the demo')

type Chat = {
  readonly delivered: ReadonlyArray<{ readonly message: { readonly text: string } }>
  readonly invitations: ReadonlyArray<object>
}

/** What is printed when the chat is so at each look. */
const printed = async (looks: ReadonlyArray<Chat>, regular = true) => {
  const lines: string[] = []
  let ms = 0
  const service = {
    connect: () => {},
    clientWrites: async () => ({ id: 'm1', attempts: [], regular }),
    chat: () => looks[Math.min(ms / 100, looks.length - 1)],
  } as unknown as Service
  const account = { id: 'demo', webhooks: { token: 'w' }, bot: { token: 'b' } } as unknown as DemoAccount
  const isAnswered = await sayToBot(['Hello'], {
    bridgeUrl: 'http://127.0.0.1:1',
    account,
    service,
    out: (line) => void lines.push(line),
    sleep: async (wait) => {
      ms += wait
    },
    now: () => ms,
  })
  return [isAnswered, lines]
}
const nothing = { delivered: [], invitations: [] }
const answer = { message: { text: 'Hi' } }

saying('reads what the bot answers', async () => {
  assert.equal(await printed([nothing, { ...nothing, delivered: [answer] }]), [true, ['client: Hello', 'bot:    Hi']])
})

saying('learns that an agent is called', async () => {
  assert.equal(await printed([nothing, { delivered: [answer], invitations: [{}] }]), [
    true,
    ['client: Hello', 'bot:    Hi', 'bot:    (calls an agent)'],
  ])
})

saying('is told why nobody answers', async () => {
  assert.equal(await printed([nothing]), [
    false,
    ['client: Hello', 'Nobody answered. Does the bot run, with the same brokers and TOPIC_PREFIX?'],
  ])
  assert.equal(await printed([nothing], false), [
    false,
    ['client: Hello', 'The bridge at http://127.0.0.1:1 did not take the message.'],
  ])
})

saying.run()
