import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Rule } from '../what-if/real-day/expected.ts'
import { realDay } from '../what-if/real-day/real-day.ts'

const hours: Rule = ({ text, buttonId }) => (buttonId === 'hours' || text === 'hours' ? 'act' : undefined)
const broken: Rule = ({ text, buttonId }) => {
  if (buttonId === 'hours') return 'refused'
  if (text === 'hours') return 'threw'
  return text === 'agent' ? 'slow' : undefined
}

const day = suite('what-if on a day of 100 conversations')
const { here, whatIf, found, botPath, replyingWithin, expected, records } = await realDay(100)
day.after(() => here.stop())

day('the day has conversations of every kind', () => {
  const types = new Set(records.map(({ headers }) => `${headers.ce_type}`.split('.')[1]))
  for (const type of ['AgentJoined', 'AgentUnavailable', 'BotReplyFailed', 'BotReplySuppressed', 'ChatErased'])
    assert.ok(types.has(type), type)
  assert.ok(records.some(({ headers }) => headers.ce_receivedtime !== undefined))
})

day('the same bot diverges nowhere, also in its words', async () => {
  const { code, lines, summary } = await whatIf(['--bot', botPath('day.ts'), '--words', 'exact'])
  assert.equal(found(lines), { ...expected(() => undefined), diverging: {} })
  assert.is(code, 0)
  for (const why of ['erased', 'late-events', 'agent-first']) assert.ok(summary.chats.skipped[why] > 0, why)
  assert.ok(summary.turns['not-comparable'] > 0)
})

day('a changed rule is found in every chat where it applies first, in that turn, and nowhere else', async () => {
  const { code, lines } = await whatIf(['--bot', botPath('day-changed.ts')])
  assert.equal(found(lines), expected(hours))
  assert.is(code, 1)
})

day('a bot that throws, sleeps and shows four buttons fails in each of these chats in its way', async () => {
  const { code, lines } = await whatIf(['--bot', botPath('day-broken.ts')], replyingWithin(1_000))
  assert.equal(found(lines), expected(broken))
  assert.is(code, 1)
})

day.run()
