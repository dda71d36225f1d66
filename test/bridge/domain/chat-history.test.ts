import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { messagesOf, type Step } from '../../../src/bridge/domain/chat-history.ts'
import { dayMs } from '../../../src/bridge/shared/time.ts'

const history = suite('the history of a chat')

const chat = { accountId: 'acme', chatId: '2037' }
const joinedAt = Date.parse('2026-01-31T10:00:00Z')
const at = (afterMs: number) => new Date(joinedAt + afterMs)
const step = (type: Step['type'], afterMs: number, more: Partial<Step> = {}): Step => ({
  _id: `acme/2037/bot/${type}`,
  type,
  time: at(afterMs),
  ...more,
})
const failed = (reason: string) => ({ data: { reason: reason as never, commandType: 'BotMessage', attempts: [] } })
const joined = step('AgentJoined', 0)

history('has what each said, oldest first, an agent without words, and each by its id', () => {
  const said = [
    { _id: 'acme/2037/bot/m1', type: 'ClientMessageReceived', time: at(-3), text: 'Hello', messageType: 'TEXT' },
    { _id: 'acme/2037/egress/c1', type: 'BotReplyDelivered', time: at(-2), text: 'Hi', messageType: 'MARKDOWN' },
    joined,
  ]
  assert.equal(messagesOf(chat, said, [joined], at(1)), [
    { id: 'm1', at: at(-3).toISOString(), from: 'client', type: 'TEXT', text: 'Hello' },
    { id: 'c1', at: at(-2).toISOString(), from: 'bot', type: 'MARKDOWN', text: 'Hi' },
    { id: 'AgentJoined', at: at(0).toISOString(), from: 'agent', type: 'AGENT_JOINED', text: '' },
  ])
})

for (const [name, steps, untilMs] of [
  ['no agent was available any more', [joined, step('AgentUnavailable', 1_000)], 1_000],
  ['nothing happened for a day', [joined], dayMs],
  ['nothing happened for a day after an event', [joined, step('ClientMessageReceived', 1_000)], dayMs + 1_000],
  ['the chat was closed', [joined, step('ChatClosed', 1_000)], 1_000],
  ['a day before a request of quarantine', [joined, step('ClientMessageReceived', 1_000, { late: true })], dayMs],
  ['a day before an unknown account', [joined, step('BotReplyFailed', 1_000, failed('unknown-account'))], dayMs],
  ['a day before a duplicate', [joined, step('BotReplyFailed', 1_000, failed('duplicate'))], dayMs],
  ['a day after a refusal', [joined, step('BotReplyFailed', 1_000, failed('invalid'))], dayMs + 1_000],
  ['a day, whatever was suppressed then', [joined, step('BotReplySuppressed', dayMs + 1_000)], dayMs],
  ['the moment of joining, since the chat was closed', [step('ChatClosed', -1_000), joined], 0],
] as const)
  history(`says that an agent had the chat until ${name}`, () =>
    assert.is(messagesOf(chat, [joined], steps, at(3 * dayMs))[0]?.until, at(untilMs).toISOString()),
  )

history.run()
