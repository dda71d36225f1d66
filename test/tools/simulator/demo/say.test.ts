import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { createEventLog } from '../../../../src/tools/simulator/demo/log.ts'
import { isMoreToCome, sayToBot } from '../../../../src/tools/simulator/demo/say.ts'
import type { DemoAccount } from '../../../../src/tools/simulator/demo/story.ts'
import type { Service } from '../../../../src/tools/simulator/service.ts'

const saying = suite('a client of the demo')

type Chat = {
  readonly delivered: ReadonlyArray<{ readonly message: { readonly text: string } }>
  readonly invitations: ReadonlyArray<object>
}

/** What is printed when the chat is so at each look. */
const printed = async (
  looks: ReadonlyArray<Chat>,
  { regular = true, isMoreExpectedAt = (_ms: number): boolean => false } = {},
) => {
  const lines: string[] = []
  let ms = 0
  const service = {
    connect: () => {},
    clientWrites: async () => ({ id: 'm1', attempts: [], regular }),
    chat: () => looks[Math.min(ms / 100, looks.length - 1)],
  } as unknown as Service
  const account = {
    id: 'demo',
    webhooks: { token: 'w' },
    bot: { token: 'b', replyWithin: 10_000 },
  } as unknown as DemoAccount
  const isAnswered = await sayToBot(['Hello'], {
    bridgeUrl: 'http://127.0.0.1:1',
    account,
    service,
    out: (line) => void lines.push(line),
    sleep: async (wait) => {
      ms += wait
    },
    now: () => ms,
    isMoreExpected: () => isMoreExpectedAt(ms),
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

saying('waits longer for the answer after a reply that expects more', async () => {
  const moment = { message: { text: 'One moment, please.' } }
  const nineSeconds = Array.from({ length: 90 }, () => ({ ...nothing, delivered: [moment] }))
  const looks = [nothing, ...nineSeconds, { ...nothing, delivered: [moment, answer] }]
  const said = ['client: Hello', 'bot:    One moment, please.']
  assert.equal(await printed(looks), [true, said], 'after any other reply it does not wait')
  assert.equal(await printed(looks, { isMoreExpectedAt: (ms) => ms < 9_100 }), [true, [...said, 'bot:    Hi']])
})

saying('is told by the newest delivered reply of its chat whether the answer follows', () => {
  const log = createEventLog()
  const delivered = (offset: number, chatId: string, data: object) =>
    log.add({
      topic: 'bot-conversations',
      partition: 0,
      offset,
      headers: { ce_type: Buffer.from('livechat.BotReplyDelivered.v1'), ce_id: Buffer.from(`e${offset}`) },
      value: Buffer.from(JSON.stringify({ chatId, ...data })),
    } as unknown as IncomingRecord)
  assert.is(isMoreToCome(log, '7'), false)
  delivered(1, '7', { expectsMore: true })
  delivered(2, '8', {})
  assert.is(isMoreToCome(log, '7'), true)
  delivered(3, '7', {})
  assert.is(isMoreToCome(log, '7'), false)
})

saying('is told why nobody answers', async () => {
  assert.equal(await printed([nothing]), [
    false,
    ['client: Hello', 'Nobody answered. Does the bot run, with the same brokers and TOPIC_PREFIX?'],
  ])
  assert.equal(await printed([nothing], { regular: false }), [
    false,
    ['client: Hello', 'The bridge at http://127.0.0.1:1 did not take the message.'],
  ])
})

saying.run()
