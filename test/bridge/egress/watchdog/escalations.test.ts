import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Conversation, unknownConversation } from '../../../../src/bridge/domain/conversation.ts'
import {
  type Escalation,
  escalationsOf,
  isStillOpen,
  longestWaitMs,
  ownCommand,
  type Waiting,
  waitingOf,
} from '../../../../src/bridge/egress/watchdog/escalations.ts'
import { account, id } from '../support/values.ts'

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

test('after a day nobody is told of AGENT_UNAVAILABLE, and no agent is invited for a failed hand-over', () => {
  const conversation: Waiting = {
    state: 'unavailable',
    unanswered: [],
    ...u1,
    handOverFailed: { id: id('h1'), at: 2000 },
  }
  const bot = { replyWithin: 10_000, agentUnavailableText: 'Call us.' }
  const at = (nowMs: number) => escalationsOf(conversation, bot, nowMs).map(({ about }) => about)
  assert.equal(
    [1999, 2000, 3000].map((ms) => at(longestWaitMs + ms)),
    [['h1', 'u1'], ['u1'], []],
  )
})

const invitation: Escalation = { kind: 'invite-agent', about: id('m1'), because: 'no-reply-in-time', dueAt: 0 }
const about = { id: id('m1'), at: new Date(0) }
const waits: Conversation = { ...unknownConversation, unanswered: [about] }
for (const [name, conversation, isWhole, expected] of [
  ['the client still waits', waits, true, 'send'],
  ['somebody has answered', unknownConversation, true, 'answered'],
  ['nobody knows whether somebody has answered', unknownConversation, false, 'send'],
  ['an agent has joined', { ...waits, state: 'agent' }, true, 'agent-joined'],
  ['an agent has joined, and the views cannot be read', { ...waits, state: 'agent' }, false, 'agent-joined'],
  ['a hand-over has failed', { ...unknownConversation, handOverFailed: about }, true, 'send'],
  [
    'the answer to AGENT_UNAVAILABLE has failed',
    { ...unknownConversation, unheard: { ...about, ...failed } },
    true,
    'send',
  ],
  ['an agent was invited once more', { ...unknownConversation, unheard: { ...about, ...asked } }, true, 'answered'],
  ['AGENT_UNAVAILABLE waits for an answer of the bot', { ...unknownConversation, unheard: about }, true, 'answered'],
] satisfies ReadonlyArray<readonly [string, Conversation, boolean, ReturnType<typeof isStillOpen>]>)
  test(`an invitation is needed or not: ${name}`, () => {
    assert.is(isStillOpen(invitation, { conversation, isWhole, isFinished: false }, new Date(0)), expected)
  })

test('who waits is known since when, by another clock, and since when an answer is announced', () => {
  const at = (ms: number) => new Date(ms)
  const conversation: Conversation = {
    ...unknownConversation,
    state: 'unavailable',
    unanswered: [
      { id: id('m1'), at: at(1), moreSince: at(2), status: 'reply-failed' },
      { id: id('m2'), at: at(3) },
    ],
    unheard: { id: id('u1'), at: at(4) },
    handOverFailed: { id: id('h1'), at: at(5) },
  }
  assert.equal(
    waitingOf(conversation, (_, time) => 1000 + time.getTime()),
    {
      state: 'unavailable',
      unanswered: [
        { id: 'm1', at: 1001, moreSince: 1002, status: 'reply-failed' },
        { id: 'm2', at: 1003 },
      ],
      unheard: { id: 'u1', at: 1004 },
      handOverFailed: { id: 'h1', at: 1005 },
    },
  )
})

test('the id of an own command names what it is about, or its hash if that would be too long', () => {
  const idFor = (about: string) =>
    ownCommand({ account: account(), chatId: id('1'), clientId: id('2') }, { ...invitation, about: id(about) }).id
  assert.is(idFor('m1'), 'watchdog-m1')
  assert.match(idFor('m'.repeat(255)), /^watchdog-[0-9a-f]{64}$/)
})

test.run()
