import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { DeliveryDocument } from '../../../contracts/views/delivery.ts'
import { evolveOutcome, evolvePending } from '../../../src/bridge/views/deliveries.ts'
import type { RecordedReply } from '../../../src/bridge/views/view.ts'
import { anEvent, at, date, inLog } from '../../support/given-events.ts'

const deliveries = suite('deliveries')

const reply = BotReply.decode({
  type: 'BotMessage',
  id: 'r1',
  accountId: 'acme',
  chatId: 2037,
  clientId: '1233',
  group: 'shop-bot',
  message: { type: 'BUTTONS', title: 'Which?', buttons: [{ text: 'This', id: 1 }], force_reply: true },
})
if (reply._tag === 'Left') throw new Error('a valid command')
const command: RecordedReply = {
  reply: reply.right,
  topic: 'bot-replies',
  partition: 4,
  offset: 9,
  requestedAt: at('10:00:01') as RecordedReply['requestedAt'],
}
const pending = (current?: DeliveryDocument) => evolvePending(current, command)
const [delivered] = inLog(anEvent('BotReplyDelivered', 'e1', at('10:00:02')))
const [failed] = inLog(anEvent('BotReplyFailed', 'e2', at('10:00:03'), { reason: 'deadline', detail: '503' }))
assert.ok(delivered && failed)

deliveries('a command is pending, without its text, which an erasure could not remove', () => {
  assert.equal(pending(), {
    _id: 'acme/2037/r1',
    accountId: 'acme',
    applied: { 'bot-replies/4': 9 },
    seen: [],
    commandId: 'r1',
    commandType: 'BotMessage',
    chatId: '2037',
    clientId: '1233',
    state: 'pending',
    attempts: [],
    requestedAt: date('10:00:01'),
    group: 'shop-bot',
  })
})

deliveries('the outcome tells who answered, why the bot handed over, and that an answer was only announced', () => {
  const told = { handOverReason: 'wants a refund', expectsMore: true, group: 'shop-bot' }
  const [event] = inLog(anEvent('BotReplyDelivered', 'e9', at('10:00:02'), told))
  assert.ok(event)
  const { handOverReason, expectsMore, group } = evolveOutcome(pending(), event)
  assert.equal({ handOverReason, expectsMore, group }, told)
})

deliveries('command and outcome give the same document in both orders', () => {
  const expected = {
    _id: 'acme/2037/r1',
    accountId: 'acme',
    applied: { 'bot-replies/4': 9, 'bot-conversations/0': 0 },
    seen: ['egress/e2'],
    commandId: 'r1',
    commandType: 'BotMessage',
    chatId: '2037',
    clientId: '1233',
    state: 'failed',
    attempts: failed.event.data.attempts,
    requestedAt: date('10:00:01'),
    message: failed.event.data.message,
    reason: 'deadline',
    detail: '503',
    finishedAt: date('10:00:03'),
  }
  assert.equal(evolveOutcome(pending(), failed), expected)
  assert.equal(pending(evolveOutcome(undefined, failed)), expected)
})

deliveries('a later outcome replaces a failure completely', () => {
  const document = evolveOutcome(evolveOutcome(pending(), failed), { ...delivered, offset: 5 })
  assert.equal(document.state, 'delivered')
  assert.not.ok('reason' in document || 'detail' in document)
})

deliveries('a delivered command stays delivered', () => {
  const before = evolveOutcome(pending(), delivered)
  const after = evolveOutcome(before, { ...failed, offset: 5 })
  assert.equal(after, {
    ...before,
    applied: { 'bot-replies/4': 9, 'bot-conversations/0': 5 },
    seen: ['egress/e1', 'egress/e2'],
  })
})

deliveries('a second command of the same id changes nothing but its offset', () => {
  assert.equal(evolvePending(pending(), { ...command, offset: 12, requestedAt: at('11:00:00') as never }), {
    ...pending(),
    applied: { 'bot-replies/4': 12 },
  })
})

deliveries.run()
