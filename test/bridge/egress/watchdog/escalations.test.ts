import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { escalationsOf, longestWaitMs, type Waiting } from '../../../../src/bridge/egress/watchdog/escalations.ts'
import { id } from '../support/values.ts'

const test = suite('escalations')

const nobody: Waiting = { state: 'bot', unanswered: [] }
const m1 = { id: id('m1'), at: 1000 }
const m2 = { id: id('m2'), at: 2000 }
const asked = { status: 'agent-asked' } as const
const failed = { status: 'reply-failed' } as const
const u1 = { unheard: { id: id('u1'), at: 3000 } }
const invite = (about: string, dueAt: number, because = 'no-reply-in-time') => ({
  kind: 'invite-agent',
  about,
  because,
  dueAt,
})
const tell = { kind: 'tell-unavailable', about: 'u1', because: 'agent-unavailable', dueAt: 13_000 }

type Part = Partial<Waiting>
const cases: ReadonlyArray<readonly [string, Part, ReadonlyArray<object>]> = [
  ['a client who does not wait needs no escalation', {}, []],
  ['a turn counts from its first message', { unanswered: [m1, m2] }, [invite('m1', 11_000)]],
  ['a message for which an agent was invited is not a turn', { unanswered: [{ ...m1, ...asked }] }, []],
  [
    'a message after that is a turn',
    { state: 'unavailable', unanswered: [{ ...m1, ...asked }, m2] },
    [invite('m2', 12_000)],
  ],
  [
    'after a reply was given up, an agent is invited at once',
    { unanswered: [{ ...m1, ...failed }, m2] },
    [invite('m1', 1000, 'delivery-failed')],
  ],
  [
    'a bot that has announced its answer gets the time once more',
    { unanswered: [{ ...m1, moreSince: 4000 }, m2] },
    [invite('m1', 14_000)],
  ],
  [
    'a message about AGENT_UNAVAILABLE that was announced gets the time once more',
    { state: 'unavailable', unheard: { id: id('u1'), at: 3000, moreSince: 4000 } },
    [{ ...tell, dueAt: 14_000 }],
  ],
  ['an invited agent has the turn', { state: 'invited', unanswered: [m1] }, []],
  ['an agent has the turn', { state: 'agent', unanswered: [m1] }, []],
  ['a closed chat has none', { state: 'closed', unanswered: [m1] }, []],
  ['AGENT_UNAVAILABLE causes a message', { state: 'unavailable', ...u1 }, [tell]],
  [
    "a message about AGENT_UNAVAILABLE is due at once if the bot's answer to it has failed",
    { state: 'unavailable', unheard: { id: id('u1'), at: 3000, ...failed } },
    [{ ...tell, dueAt: 3000 }],
  ],
  [
    'a message about AGENT_UNAVAILABLE is due at once if an agent was invited once more',
    { state: 'unavailable', unheard: { id: id('u1'), at: 3000, ...asked } },
    [{ ...tell, dueAt: 3000 }],
  ],
  [
    'an invitation and a message at once',
    { state: 'unavailable', unanswered: [m2], ...u1 },
    [invite('m2', 12_000), tell],
  ],
]
for (const [name, part, expected] of cases)
  test(name, () => {
    const bot = { replyWithin: 10_000, agentUnavailableText: 'Call us.' }
    assert.equal(escalationsOf({ ...nobody, ...part }, bot, 5000), expected)
  })

test('without a text of the account AGENT_UNAVAILABLE causes no message', () => {
  assert.equal(escalationsOf({ ...nobody, state: 'unavailable', ...u1 }, { replyWithin: 10_000 }, 5000), [])
})

const unheardWith = (status: 'reply-failed' | 'agent-asked'): Part => ({
  state: 'unavailable',
  unheard: { id: id('u1'), at: 3000, status },
})
const withoutText: ReadonlyArray<readonly [string, Part, ReadonlyArray<object>]> = [
  [
    "if the bot's answer to AGENT_UNAVAILABLE has failed, an agent is invited once more, at once",
    unheardWith('reply-failed'),
    [invite('u1', 3000, 'delivery-failed')],
  ],
  ['after that invitation AGENT_UNAVAILABLE leads to no other one', unheardWith('agent-asked'), []],
]
for (const [name, part, expected] of withoutText)
  test(`without a text of the account: ${name}`, () =>
    assert.equal(escalationsOf({ ...nobody, ...part }, { replyWithin: 10_000 }, 5000), expected))

test('after a day no agent is invited, and a newer message counts on its own', () => {
  const conversation = { ...nobody, unanswered: [m1, m2] }
  const at = (nowMs: number) => escalationsOf(conversation, { replyWithin: 10_000 }, nowMs).map(({ about }) => about)
  assert.equal([at(longestWaitMs + 999), at(longestWaitMs + 1000), at(longestWaitMs + 2000)], [['m1'], ['m2'], []])
})

test.run()
