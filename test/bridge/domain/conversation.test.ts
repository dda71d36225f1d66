import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { maxSeen } from '../../../contracts/views/applied.ts'
import type { ConversationDocument } from '../../../contracts/views/conversation.ts'
import {
  agentEnds,
  type Conversation,
  conversationOf,
  decideReply,
  hasWholeSeen,
  type ReplyRules,
  takenReasonAt,
  unknownConversation,
  withFacts,
} from '../../../src/bridge/domain/conversation.ts'
import type { Fact, Finished } from '../../../src/bridge/domain/conversation-facts.ts'
import { accountId, botMessage, id, inviteAgent } from '../egress/support/values.ts'

const test = suite('who has a conversation, and which replies come too late')

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const at = (ms: number) => new Date(Date.UTC(2026, 0, 31) + ms)

type Kind = 'client-message' | 'invited' | 'joined' | 'unavailable' | 'closed'
const event = (kind: Kind, eventId: string, ms: number): Fact => {
  const seen = { id: `bot/${eventId}`, at: at(ms) }
  return kind === 'client-message' || kind === 'unavailable'
    ? { ...seen, kind, eventId: id(eventId) }
    : { ...seen, kind }
}
const outcome = (
  commandId: string,
  of: 'delivered' | 'failed' | 'suppressed',
  ms: number,
  commandType = 'BotMessage',
  more: Pick<Finished, 'expectsMore' | 'because' | 'inReplyTo'> = {},
): Fact => ({
  id: `egress/${commandId}:${of}`,
  at: at(ms),
  kind: 'finished',
  eventId: id(`${commandId}:${of}`),
  commandId,
  commandType,
  outcome: of,
  requestedAt: at(ms),
  ...more,
})
const folded = (...facts: ReadonlyArray<Fact>) => withFacts(unknownConversation, facts)

const states: ReadonlyArray<[Conversation['state'], ReturnType<typeof decideReply>]> = [
  ['bot', 'send'],
  ['unavailable', 'send'],
  ['invited', 'agent-invited'],
  ['agent', 'agent-joined'],
  ['closed', 'chat-closed'],
]
for (const [state, expected] of states)
  test(`a message and an invitation in the state ${state}: ${expected}`, () => {
    assert.is(decideReply({ state }, botMessage('c1'), at(0)), expected)
    assert.is(decideReply({ state }, inviteAgent('i1'), at(0)), expected)
  })

test('an overtaken message is sent unless the account forbids it; an invitation is never overtaken', () => {
  const conversation = { state: 'bot', lastClientMessageId: id('m2') } as const
  const overtaken = botMessage('c1', { inReplyTo: 'm1' })
  const suppress: ReplyRules = { whenOvertaken: 'suppress' }
  assert.is(decideReply(conversation, overtaken, at(0)), 'send')
  assert.is(decideReply(conversation, overtaken, at(0), suppress), 'overtaken')
  assert.is(decideReply(conversation, botMessage('c1', { inReplyTo: 'm2' }), at(0), suppress), 'send')
  assert.is(decideReply(conversation, botMessage('c1'), at(0), suppress), 'send')
  assert.is(decideReply({ state: 'bot' }, overtaken, at(0), suppress), 'send')
  assert.is(decideReply(conversation, { ...inviteAgent('i1'), inReplyTo: overtaken.id }, at(0), suppress), 'send')
})

const joined = [event('client-message', 'm1', 0), event('joined', 'j1', minute)]
const wroteAgain = [...joined, event('client-message', 'm2', 2 * minute)]
const wroteOften = [...joined, ...Array.from({ length: 101 }, (_, i) => event('client-message', `n${i}`, 2 * minute))]
const rows: ReadonlyArray<{
  readonly name: string
  readonly given: ReadonlyArray<Fact>
  readonly inReplyTo?: string
  readonly writtenAt?: number
  readonly rules?: ReplyRules
  readonly then: ReturnType<typeof decideReply>
}> = [
  { name: 'an answer to a message before the join', given: wroteAgain, inReplyTo: 'm1', then: 'agent-joined' },
  { name: 'an answer to a message after the join', given: wroteAgain, inReplyTo: 'm2', then: 'send' },
  { name: 'a reply that names no message', given: wroteAgain, then: 'agent-joined' },
  { name: 'an answer to a message that is not known yet', given: wroteAgain, inReplyTo: 'm3', then: 'agent-joined' },
  { name: 'an answer to the join', given: wroteAgain, inReplyTo: 'j1', then: 'agent-joined' },
  {
    name: 'an answer to a message after the join, where the account leaves such messages to the agent',
    given: wroteAgain,
    inReplyTo: 'm2',
    rules: { whileAgent: 'suppress' },
    then: 'agent-joined',
  },
  {
    name: 'an answer to the 101st newest message after the join',
    given: wroteOften,
    inReplyTo: 'n0',
    then: 'agent-joined',
  },
  { name: 'an answer to the 100th newest message after the join', given: wroteOften, inReplyTo: 'n1', then: 'send' },
  {
    name: 'an answer to a message between two joins',
    given: [...wroteAgain, event('joined', 'j2', 3 * minute)],
    inReplyTo: 'm2',
    then: 'agent-joined',
  },
  {
    name: 'an answer to the older of two messages after the join, where overtaken replies are suppressed',
    given: [...wroteAgain, event('client-message', 'm3', 3 * minute)],
    inReplyTo: 'm2',
    rules: { whenOvertaken: 'suppress' },
    then: 'overtaken',
  },
  {
    name: 'an answer to a message after the join, if the chat was closed since',
    given: [...wroteAgain, event('closed', 'x1', 3 * minute)],
    inReplyTo: 'm2',
    then: 'chat-closed',
  },
  {
    name: 'an answer to a message after the join and a further invitation',
    given: [...wroteAgain, event('invited', 'i1', 3 * minute)],
    inReplyTo: 'm2',
    then: 'send',
  },
  {
    name: 'a reply after AGENT_UNAVAILABLE, which ends the part of an agent',
    given: [...wroteAgain, event('unavailable', 'u1', 3 * minute)],
    then: 'send',
  },
  {
    name: 'a reply that names no message, to a client who writes after the closing',
    given: [...wroteAgain, event('closed', 'x1', 3 * minute), event('client-message', 'm3', 4 * minute)],
    then: 'send',
  },
  {
    name: 'a reply that names no message, to a client who writes after a day of silence',
    given: [...wroteAgain, event('client-message', 'm3', day + 2 * minute)],
    then: 'send',
  },
  {
    name: 'a reply that names no message, to a client who writes just before a day of silence',
    given: [...wroteAgain, event('client-message', 'm3', day + 2 * minute - 1)],
    then: 'agent-joined',
  },
  {
    name: 'a message that the bot writes by itself after a day of silence',
    given: wroteAgain,
    writtenAt: day + 2 * minute,
    then: 'send',
  },
  {
    name: 'a second message that the bot writes by itself after a day of silence',
    given: [...wroteAgain, outcome('c1', 'delivered', day + 2 * minute)],
    writtenAt: day + 3 * minute,
    then: 'send',
  },
  {
    name: 'a reply that was written before a day of silence, and is read after it',
    given: [...wroteAgain, outcome('c0', 'suppressed', 2 * day)],
    writtenAt: 3 * minute,
    then: 'agent-joined',
  },
  {
    name: 'a reply that was written after a day of silence and a late outcome of another',
    given: [...wroteAgain, outcome('c0', 'suppressed', day + 2 * minute)],
    writtenAt: day + 3 * minute,
    then: 'send',
  },
  {
    name: 'an answer that the bot announced after a day of silence',
    given: [...wroteAgain, outcome('c0', 'delivered', day + 2 * minute, 'BotMessage', { expectsMore: true })],
    writtenAt: day + 3 * minute,
    then: 'send',
  },
  {
    name: 'a reply after another was suppressed just before a day of silence',
    given: [...wroteAgain, outcome('c0', 'suppressed', day + 2 * minute - 1)],
    writtenAt: day + 3 * minute,
    then: 'agent-joined',
  },
  {
    name: 'a reply just before a day of silence, after an older outcome was recorded late',
    given: [...wroteAgain, outcome('c0', 'delivered', 1)],
    writtenAt: day + 2 * minute - 1,
    then: 'agent-joined',
  },
  {
    name: 'a reply to an agent who joined again after a day of silence',
    given: [...wroteAgain, event('joined', 'j2', day + 2 * minute)],
    writtenAt: day + 3 * minute,
    then: 'agent-joined',
  },
  {
    name: 'a reply in a chat to which an agent was invited, and nobody came, after a day of silence',
    given: [event('client-message', 'm1', 0), event('invited', 'i1', 1), event('client-message', 'm2', day + 1)],
    then: 'send',
  },
  {
    name: 'a reply in a chat to which an agent was invited before the client wrote again',
    given: [event('client-message', 'm1', 0), event('invited', 'i1', 1), event('client-message', 'm2', hour)],
    inReplyTo: 'm2',
    then: 'agent-invited',
  },
]
for (const { name, given, inReplyTo, writtenAt = 5 * minute, rules = {}, then } of rows)
  test(`${name}: ${then}`, () => {
    const command = botMessage('c9', inReplyTo === undefined ? {} : { inReplyTo })
    assert.is(decideReply(folded(...given), command, at(writtenAt), rules), then)
  })

test('a message after the join starts no turn, and one after the closing or a day of silence does', () => {
  const turnOf = ({ state, unanswered }: Conversation) => [state, unanswered.map(({ id }) => id)]
  assert.equal(turnOf(folded(...wroteAgain)), ['agent', []])
  assert.equal(turnOf(folded(...wroteAgain, event('client-message', 'm3', day + 2 * minute))), ['bot', ['m3']])
  assert.equal(turnOf(folded(...wroteAgain, event('closed', 'x1', hour), event('client-message', 'm3', hour + 1))), [
    'bot',
    ['m3'],
  ])
})

const failedHandOver = outcome('i1', 'failed', 2 * minute, 'InviteAgent')
const refusedHandOver: Fact = {
  id: 'egress/i1:refused-0-1',
  at: at(2 * minute),
  kind: 'refused',
  eventId: id('i1:refused-0-1'),
  isHandOver: true,
}
const announced = [event('client-message', 'm1', 0), outcome('c1', 'delivered', minute)]
test('a hand-over that failed or was refused waits, whatever the bot writes, until an agent is asked or it is over', () => {
  for (const handOver of [failedHandOver, refusedHandOver]) {
    const waiting = folded(...announced, handOver)
    assert.equal(waiting.handOverFailed, { id: 'eventId' in handOver ? handOver.eventId : '', at: at(2 * minute) })
    assert.ok(withFacts(waiting, [outcome('c2', 'delivered', 3 * minute)]).handOverFailed)
    assert.ok(withFacts(waiting, [event('client-message', 'm2', 3 * minute)]).handOverFailed)
    for (const end of ['invited', 'joined', 'unavailable', 'closed'] as const)
      assert.is(withFacts(waiting, [event(end, 'e1', 3 * minute)]).handOverFailed, undefined, end)
    const delivered = outcome('i2', 'delivered', 3 * minute, 'InviteAgent')
    assert.is(withFacts(waiting, [delivered]).handOverFailed, undefined)
  }
  for (const kind of ['invited', 'joined', 'closed'] as const)
    assert.is(folded(...announced, event(kind, 'e1', minute), failedHandOver).handOverFailed, undefined, kind)
})

for (const [kind, reason] of [
  ['joined', 'agent-joined'],
  ['invited', 'agent-invited'],
] as const)
  test(`a conversation is the bot's again a day after the last event, and then a hand-over may fail: ${kind}`, () => {
    const taken = folded(event('client-message', 'm1', 0), event(kind, 'j1', minute))
    assert.is(takenReasonAt(taken, at(minute + day - 1)), reason)
    assert.is(takenReasonAt(taken, at(minute + day)), undefined)
    const failedAt = (ms: number) => withFacts(taken, [outcome('i1', 'failed', ms, 'InviteAgent')]).handOverFailed
    assert.is(failedAt(minute + day - 1), undefined)
    assert.equal(failedAt(minute + day), { id: 'i1:failed', at: at(minute + day) })
    const refused = (ms: number): Fact => ({
      id: 'egress/i1:refused',
      at: at(ms),
      kind: 'refused',
      eventId: id('i1:refused'),
      isHandOver: true,
    })
    assert.is(withFacts(taken, [refused(minute + day - 1)]).handOverFailed, undefined)
    assert.equal(withFacts(taken, [refused(minute + day)]).handOverFailed?.id, 'i1:refused')
  })

const notice = (of: 'delivered' | 'failed', ms: number) =>
  outcome('notice', of, ms, 'BotMessage', { because: 'agent-unavailable', inReplyTo: id('u1') })
const ownInvitationFailed = (about: string, ms: number) =>
  outcome(`own-${about}`, 'failed', ms, 'InviteAgent', { because: 'no-reply-in-time', inReplyTo: id(about) })
const announcement = (ms: number, inReplyTo: string) =>
  outcome('more', 'delivered', ms, 'BotMessage', { expectsMore: true, inReplyTo: id(inReplyTo) })
const replyFailed = outcome('c9', 'failed', 3 * minute)
const handOver = outcome('i9', 'failed', 3 * minute, 'InviteAgent')
const nobody = [
  event('client-message', 'm1', 0),
  event('invited', 'i1', minute),
  event('unavailable', 'u1', 2 * minute),
]
const u1 = { id: 'u1', at: at(2 * minute) }
const u2 = { id: 'u2', at: at(5 * minute) }
const unheard: ReadonlyArray<readonly [string, ReadonlyArray<Fact>, unknown]> = [
  ['AGENT_UNAVAILABLE', nobody, u1],
  ["the bridge's message about it failed", [...nobody, notice('failed', 3 * minute)], u1],
  [
    "the bridge's message about an older one was delivered",
    [...nobody, event('unavailable', 'u2', 5 * minute), notice('delivered', 6 * minute)],
    u2,
  ],
  ['the bot announced its answer', [...nobody, announcement(3 * minute, 'u1')], { ...u1, moreSince: at(3 * minute) }],
  ['the bot announced an answer before', [event('client-message', 'm1', 0), announcement(minute, 'm1')], undefined],
  ["the bot's answer failed", [...nobody, replyFailed], { ...u1, status: 'reply-failed' }],
  [
    "the bot's answer to another message failed",
    [...nobody, outcome('c9', 'failed', 3 * minute, 'BotMessage', { inReplyTo: id('m1') })],
    u1,
  ],
  ["the bot's hand-over failed", [...nobody, handOver], { ...u1, status: 'reply-failed' }],
  ['a second answer was delivered', [...nobody, replyFailed, outcome('c8', 'delivered', 4 * minute)], undefined],
  ['an agent was invited', [...nobody, event('invited', 'i2', 4 * minute)], undefined],
  [
    'an agent was invited after a failed answer',
    [...nobody, replyFailed, event('invited', 'i2', 4 * minute)],
    { ...u1, status: 'agent-asked' },
  ],
  [
    "the bridge's invitation after a failed answer failed",
    [...nobody, replyFailed, ownInvitationFailed('u1', 4 * minute)],
    { ...u1, status: 'agent-asked' },
  ],
  [
    "the bridge's invitation for a newer message failed",
    [...nobody, event('client-message', 'm2', 3 * minute), ownInvitationFailed('m2', 4 * minute)],
    u1,
  ],
  [
    'nobody was available after that invitation either',
    [...nobody, replyFailed, event('invited', 'i2', 4 * minute), event('unavailable', 'u2', 5 * minute)],
    { ...u2, status: 'agent-asked' },
  ],
  [
    'nobody was available, before the log has that invitation',
    [...nobody, replyFailed, event('unavailable', 'u2', 5 * minute), event('invited', 'i2', 4 * minute)],
    { ...u2, status: 'agent-asked' },
  ],
  [
    'the answer to that failed too',
    [
      ...nobody,
      replyFailed,
      event('invited', 'i2', 4 * minute),
      event('unavailable', 'u2', 5 * minute),
      outcome('c10', 'failed', 6 * minute),
    ],
    { ...u2, status: 'agent-asked' },
  ],
  [
    'the client wrote after that invitation',
    [...nobody, replyFailed, event('invited', 'i2', 4 * minute), event('client-message', 'm2', 5 * minute)],
    undefined,
  ],
  ['an agent joined', [...nobody, replyFailed, event('joined', 'j1', 4 * minute)], undefined],
  ['the chat was closed before', [event('closed', 'x1', 0), event('unavailable', 'u1', minute)], undefined],
]
for (const [name, given, expected] of unheard)
  test(`whether AGENT_UNAVAILABLE still needs an answer: ${name}`, () =>
    assert.equal(folded(...given).unheard, expected))

const m1 = event('client-message', 'm1', 0)
const m2 = event('client-message', 'm2', 3 * minute)
const handedOver = [...announced, failedHandOver]
const left: ReadonlyArray<readonly [string, ReadonlyArray<Fact>, object]> = [
  [
    'a hand-over that fails after the bot has answered AGENT_UNAVAILABLE waits',
    [...nobody, outcome('c8', 'delivered', 3 * minute), outcome('i9', 'failed', 4 * minute, 'InviteAgent')],
    { handOverFailed: { id: 'i9:failed', at: at(4 * minute) } },
  ],
  [
    'a hand-over that fails a day after the one more invitation waits',
    [...nobody, replyFailed, event('invited', 'i2', 4 * minute), outcome('i9', 'failed', 2 * day, 'InviteAgent')],
    { handOverFailed: { id: 'i9:failed', at: at(2 * day) } },
  ],
  [
    "the bridge's invitation for a message failed: it is no hand-over of the bot",
    [m1, ownInvitationFailed('m1', minute)],
    { handOverFailed: undefined, unanswered: [{ id: 'm1', at: at(0), status: 'agent-asked' }] },
  ],
  [
    "the bridge's invitation for a hand-over failed: only the hand-over waits no more",
    [...handedOver, m2, ownInvitationFailed('i1:failed', 4 * minute)],
    { handOverFailed: undefined, unanswered: [{ id: 'm2', at: at(3 * minute) }] },
  ],
  [
    "the bridge's invitation for a newer message failed: the hand-over waits on",
    [...handedOver, m2, ownInvitationFailed('m2', 4 * minute)],
    { handOverFailed: { id: 'i1:failed', at: at(2 * minute) } },
  ],
  [
    'an answer to the first of two messages is announced: the second has no more time',
    [m1, m2, announcement(4 * minute, 'm1')],
    {
      unanswered: [
        { id: 'm1', at: at(0), moreSince: at(4 * minute) },
        { id: 'm2', at: at(3 * minute) },
      ],
    },
  ],
  [
    'AGENT_UNAVAILABLE opens no closed chat',
    [event('closed', 'x1', 0), event('unavailable', 'u1', 1)],
    { state: 'closed' },
  ],
  ['an invitation opens no closed chat', [event('closed', 'x1', 0), event('invited', 'i1', 1)], { state: 'closed' }],
  [
    'AGENT_UNAVAILABLE is the response to an invitation of the same moment',
    [m1, event('unavailable', 'u1', minute), event('invited', 'i1', minute)],
    { state: 'unavailable' },
  ],
  [
    'AGENT_UNAVAILABLE is the response to an earlier invitation that is told late, after a new turn has begun',
    [
      m1,
      event('unavailable', 'u1', 3 * minute),
      event('closed', 'x1', 4 * minute),
      event('client-message', 'm2', 5 * minute),
      event('invited', 'i1', 2 * minute),
    ],
    { state: 'bot', unanswered: [{ id: 'm2', at: at(5 * minute) }] },
  ],
  [
    'what the bot writes after a day of silence gives it the chat',
    [...wroteAgain, outcome('c1', 'delivered', 2 * day)],
    { state: 'bot' },
  ],
  [
    "the bridge's own message after a day of silence gives the chat to nobody",
    [...wroteAgain, notice('delivered', 2 * day)],
    { state: 'agent' },
  ],
]
for (const [name, given, expected] of left)
  test(`what is left after the facts: ${name}`, () => {
    const conversation = folded(...given)
    const told = Object.keys(expected).map((key) => [key, conversation[key as keyof Conversation]])
    assert.equal(Object.fromEntries(told), expected)
  })

test('what a document says about who has the conversation and who waits is what was stored', () => {
  const document: ConversationDocument = {
    ...unknownConversation,
    _id: 'acme/2037',
    accountId,
    applied: {},
    chatId: id('2037'),
    clientMessages: 1,
    repliesDelivered: 0,
    repliesFailed: 0,
    repliesSuppressed: 0,
    replyTimesMs: [],
    outcome: 'open',
    startedAt: at(0),
    lastEventAt: at(0),
  }
  const whole: Required<Conversation> = {
    state: 'agent',
    unanswered: [{ id: id('m1'), at: at(1) }],
    seen: ['bot/m1'],
    unheard: { id: id('u1'), at: at(2) },
    handOverFailed: { id: id('h1'), at: at(3) },
    messagesSinceJoined: [id('m2')],
    heldUntil: at(day),
    unavailableAt: at(2),
    lastClientMessageId: id('m2'),
    clientId: id('1233'),
  }
  for (const each of [unknownConversation, whole]) assert.equal(conversationOf({ ...document, ...each }), each)
})

for (const [count, isWhole] of [
  [maxSeen - 1, true],
  [maxSeen, false],
  [maxSeen + 1, false],
] as const)
  test(`after ${count} facts it is ${isWhole ? '' : 'not '}certain that all of them are still known`, () => {
    const facts = Array.from({ length: count }, (_, i) => event('client-message', `m${i}`, i))
    assert.is(hasWholeSeen(folded(...facts)), isWhole)
  })

const joins = (id: string, ms: number) => event('joined', id, ms)
const partsOfAgents: ReadonlyArray<readonly [string, ReadonlyArray<Fact>, number, Readonly<Record<string, number>>]> = [
  ['an agent has it', [joins('j1', 0)], day - 1, {}],
  ['a day of silence', [joins('j1', 0)], day, { j1: day }],
  ['the client wrote last', [joins('j1', 0), event('client-message', 'm1', hour)], day + hour, { j1: day + hour }],
  ['the client wrote later', [joins('j1', 0), event('client-message', 'm1', 2 * day)], 2 * day, { j1: day }],
  ['no agent is available', [joins('j1', 0), event('unavailable', 'u1', hour)], 2 * hour, { j1: hour }],
  ['the chat was closed', [joins('j1', 0), event('closed', 'x1', hour)], 2 * hour, { j1: hour }],
  ['an agent joined a closed chat', [event('closed', 'x1', 0), joins('j1', hour)], 2 * hour, { j1: hour }],
  [
    'a second agent joined',
    [joins('j1', 0), joins('j2', hour), event('closed', 'x1', 2 * hour)],
    day,
    { j1: 2 * hour, j2: 2 * hour },
  ],
  ['a second agent joined when the day was over', [joins('j1', 0), joins('j2', day)], day, { j1: day }],
]
for (const [name, facts, now, ends] of partsOfAgents)
  test(`the part of an agent ends as the rule for replies says: ${name}`, () =>
    assert.equal(
      [...agentEnds(facts, at(now))],
      Object.entries(ends).map(([id, ms]) => [`bot/${id}`, at(ms)]),
    ))

/** What happens in a talk: the i-th fact, at this time. */
const happens: Readonly<Record<string, (i: number, ms: number) => Fact>> = {
  message: (i, ms) => event('client-message', `e${i}`, ms),
  'another message': (i, ms) => event('client-message', `e${i}`, ms),
  invited: (i, ms) => event('invited', `e${i}`, ms),
  joined: (i, ms) => event('joined', `e${i}`, ms),
  unavailable: (i, ms) => event('unavailable', `e${i}`, ms),
  closed: (i, ms) => event('closed', `e${i}`, ms),
  reply: (i, ms) => outcome(`c${i}`, 'delivered', ms),
  // These give the conversation to nobody.
  announced: (i, ms) => outcome(`c${i}`, 'delivered', ms, 'BotMessage', { expectsMore: true }),
  notice: (i, ms) => outcome(`c${i}`, 'delivered', ms, 'BotMessage', { because: 'agent-unavailable' }),
  suppressed: (i, ms) => outcome(`c${i}`, 'suppressed', ms),
  failed: (i, ms) => outcome(`c${i}`, 'failed', ms),
  refused: (i, ms) => ({ id: `egress/c${i}`, at: at(ms), kind: 'refused', eventId: id(`c${i}`), isHandOver: false }),
  erased: (i, ms) => ({ id: `erasures/c${i}`, at: at(ms), kind: 'erased' }),
}

const talks = fc.array(
  fc.tuple(fc.constantFrom(...Object.keys(happens)), fc.constantFrom(minute, hour, 20 * hour, day - 1, day, 3 * day)),
  { maxLength: 20 },
)
test('in any talk, a reply over an agent answers a message after the newest join, or follows a day of silence', () => {
  fc.assert(
    fc.property(talks, fc.nat(20), fc.constantFrom(0, day), (talk, answered, pause) => {
      let ms = 0
      const facts = talk.flatMap(([what, gap], i) => {
        ms += gap
        return happens[what]?.(i, ms) ?? []
      })
      const conversation = folded(...facts)
      const isAgents = takenReasonAt(conversation, at(ms + pause)) === 'agent-joined'
      const newest = facts.findLast(({ kind }) => kind === 'joined')
      const ends = agentEnds(facts, at(ms + pause))
      if (newest !== undefined) assert.is(!ends.has(newest.id), isAgents)
      const decision = decideReply(conversation, botMessage('c', { inReplyTo: `e${answered}` }), at(ms + pause))
      const afterJoin = facts.slice(facts.findLastIndex(({ kind }) => kind === 'joined') + 1)
      const isAfterJoin = afterJoin.some(({ kind, id }) => kind === 'client-message' && id === `bot/e${answered}`)
      if (conversation.state === 'agent') {
        const heldUntil = [newest, ...afterJoin].reduce((until, fact) => {
          const time = fact?.at.getTime() ?? 0
          return time < until ? time + day : until
        }, Number.POSITIVE_INFINITY)
        const isSilent = at(ms + pause).getTime() >= heldUntil
        assert.is(decision, isAfterJoin || isSilent ? 'send' : 'agent-joined')
        assert.equal(conversation.unanswered, [])
      } else assert.is(conversation.messagesSinceJoined, undefined)
      assert.is(
        conversation.heldUntil !== undefined,
        conversation.state === 'agent' || conversation.state === 'invited',
      )
    }),
    { numRuns: 2000 },
  )
})

test.run()
