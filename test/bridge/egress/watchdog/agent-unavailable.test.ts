import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulation } from '../support/simulation.ts'
import {
  appendServiceEvent,
  botReplies,
  played,
  projected,
  publishedBy,
  type Step,
  sent,
  serviceTells,
} from '../support/talk.ts'
import { account } from '../support/values.ts'

const test = suite('AGENT_UNAVAILABLE')

const aMinute = 60_000
const accounts = [account({ agentUnavailableText: 'Leave us your number, please.' })]

test('the text of the account is sent once if the bot does not reply', async () => {
  const w = simulation({ accounts })
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.until(() => w.requests.length === 1)
  await w.time.pass(1000)
  appendServiceEvent(w, 'AgentUnavailable', 'u1')
  await w.time.pass(5 * aMinute)
  assert.equal(sent(w), [
    ['watchdog-m1', 10_000],
    ['watchdog-u1', 21_000],
  ])
  assert.match(w.requests[1]?.request.body ?? '', 'Leave us your number, please.')
  assert.equal(publishedBy(w), [
    ['BotReplyDelivered', 'no-reply-in-time'],
    ['AgentInvited', 'no-reply-in-time'],
    ['BotReplyDelivered', 'agent-unavailable'],
  ])
})

const unavailable = serviceTells(0, 'AgentUnavailable', 'u1')
const stories: ReadonlyArray<readonly [string, ReadonlyArray<Step>, ReturnType<typeof sent>, typeof accounts?]> = [
  ['if the bot replies itself, the text is not sent', [unavailable, botReplies(5000, 'c1', 'u1')], [['c1', 5000]]],
  ['if an agent joins after all, the text is not sent', [unavailable, serviceTells(5000, 'AgentJoined', 'j1')], []],
  ['without a text nothing is sent', [unavailable], [], [account()]],
]
for (const [title, steps, expected, those = accounts] of stories)
  test(title, async () => {
    assert.equal(sent(await played(steps, { accounts: those })), expected)
  })

test('the text is sent once even across a restart', async () => {
  const w = simulation({ accounts })
  const first = await w.start()
  appendServiceEvent(w, 'AgentUnavailable', 'u1')
  await w.time.pass(1000)
  first.lose()
  projected(w, 1)
  await w.start()
  await w.time.pass(5 * aMinute)
  assert.equal(sent(w), [['watchdog-u1', 10_000]])
})

test.run()
