import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Verdict } from '../../../../src/bridge/egress/delivery/classify.ts'
import {
  type Entrant,
  enterGate,
  type Gate,
  type GateState,
  gateWaitMs,
  holdUp,
  leaveGate,
  leaveUnused,
  newGate,
  nextOf,
  stateOf,
} from '../../../../src/bridge/egress/delivery/gate.ts'
import { afterOutage } from '../../../../src/bridge/egress/delivery/pace.ts'
import { refusedChats } from '../../../../src/bridge/egress/delivery/refused-chats.ts'
import { fullLimit } from '../../../../src/bridge/egress/delivery/request-limit.ts'

const test = suite('who may try next')

const outage: Verdict = { kind: 'retry', why: 'outage' }
const throttled: Verdict = { kind: 'retry', why: 'throttled', retryAfterMs: 60_000 }
const delivered: Verdict = { kind: 'delivered' }

type Kind = Partial<Omit<Entrant, 'chat'>>
const of = (chat: string, { since = 0, isRepeated = false, isLastResort = false }: Kind = {}): Entrant => ({
  chat,
  since,
  isRepeated,
  isLastResort,
})
const first = (chat: string, since: number) => of(chat, { since })
const repeated = (chat: string, since: number) => of(chat, { since, isRepeated: true })
const lastResort = (chat: string) => of(chat, { isLastResort: true })

/** Attempts one after the other, all at this time. */
const after = (gate: Gate, now: number, ...attempts: ReadonlyArray<readonly [Entrant, Verdict, string?]>): Gate =>
  attempts.reduce((before, [entrant, verdict, answer = '500']) => {
    const [entered, attempt] = enterGate(before, entrant, now)
    return leaveGate(entered, attempt, { verdict, token: 0, answer }, now)
  }, gate)

const calm = newGate(undefined, 0)
/** Ten replies of ten chats failed at once. */
const open = after(calm, 0, ...Array.from({ length: 10 }, (_, i) => [of(`c${i}`), outage] as const))
/** These chats failed three times, and each time another chat was taken after that. */
const refusingAll = (...chats: ReadonlyArray<string>) =>
  after(
    calm,
    0,
    ...[1, 2, 3].flatMap(() => [...chats.map((chat) => [of(chat), outage] as const), [of('good'), delivered] as const]),
  )
const refusing = refusingAll('bad')
/** No retry is left. */
const spent = after(calm, 0, ...Array.from({ length: 10 }, () => [repeated('a', 0), outage] as const))

const rows: ReadonlyArray<{
  readonly name: string
  readonly gate: Gate
  readonly now?: number
  readonly line: ReadonlyArray<Entrant>
  readonly next: string | undefined
}> = [
  { name: 'nobody waits', gate: calm, line: [], next: undefined },
  { name: 'who came first', gate: calm, line: [first('b', 2), first('a', 1)], next: 'a' },
  { name: 'of two that came together, the first in line', gate: calm, line: [first('b', 1), first('a', 1)], next: 'b' },
  { name: 'who was tried before another came', gate: calm, line: [first('a', 2), repeated('b', 1)], next: 'b' },
  {
    name: 'while the breaker is open, a first attempt before a repeated one that was tried longer ago',
    gate: open,
    now: 1000,
    line: [repeated('c1', 0), first('new', 900)],
    next: 'new',
  },
  {
    name: 'while the breaker is open, of repeated ones the one that was tried longest ago',
    gate: open,
    now: 1000,
    line: [repeated('c2', 100), repeated('c1', 200)],
    next: 'c2',
  },
  {
    name: 'while the breaker is open, of first attempts the one that came first',
    gate: open,
    now: 1000,
    line: [first('b', 2), first('a', 1)],
    next: 'a',
  },
  {
    name: 'a chat of the slower lane is last, whenever it was tried',
    gate: refusing,
    now: 1000,
    line: [repeated('bad', 0), first('new', 900)],
    next: 'new',
  },
  {
    name: 'a first attempt of a chat of the slower lane is last too',
    gate: refusing,
    now: 1000,
    line: [first('bad', 0), repeated('other', 900)],
    next: 'other',
  },
  { name: 'a chat of the slower lane, if nobody else waits', gate: refusing, line: [repeated('bad', 0)], next: 'bad' },
  {
    name: 'within a second after a failure in the slower lane nobody of it',
    gate: after(refusing, 0, [of('bad'), outage]),
    now: 999,
    line: [repeated('bad', 0)],
    next: undefined,
  },
  {
    name: 'within that second nobody of it, also if another chat is taken',
    gate: after(refusing, 0, [of('bad'), outage], [of('good'), delivered]),
    now: 999,
    line: [repeated('bad', 0)],
    next: undefined,
  },
  {
    name: 'an error of the service in the slower lane is an answer too: the next one follows',
    gate: after(refusing, 0, [of('bad'), { kind: 'retry', why: 'error' }]),
    line: [repeated('bad', 0)],
    next: 'bad',
  },
  {
    name: 'an answer in the slower lane lets the next one follow',
    gate: after(refusing, 0, [of('bad'), outage], [of('bad'), { kind: 'rejected' }]),
    line: [first('bad', 0)],
    next: 'bad',
  },
  {
    name: 'a first attempt, while the budget has no retry',
    gate: spent,
    line: [repeated('b', 0), first('c', 1)],
    next: 'c',
  },
  {
    name: 'no repeated one, while the budget has no retry, also if a first attempt is delivered',
    gate: after(spent, 0, [repeated('a', 0), outage], [of('c'), delivered]),
    line: [repeated('b', 0)],
    next: undefined,
  },
]
for (const { name, gate, now = 0, line, next } of rows)
  test(`${name}: ${next}`, () => assert.is(nextOf(gate, line, now)?.chat, next))

const inSlowerLane = ({ chats }: Gate) => refusedChats(chats).map(({ chat }) => chat)
const lanes: ReadonlyArray<readonly [string, Gate, ReadonlyArray<string>]> = [
  ['a chat that fails alone', after(calm, 0, ...Array.from({ length: 9 }, () => [of('bad'), outage] as const)), []],
  ['a chat that failed three times, each time before another was taken', refusing, ['bad']],
  [
    'a chat whose failures were all before the next one was taken',
    after(calm, 0, [of('bad'), outage], [of('bad'), outage], [of('bad'), outage], [of('good'), delivered]),
    [],
  ],
  ['a chat that the service answered', after(refusing, 0, [of('bad'), { kind: 'rejected' }]), []],
  ['a chat that the service took', after(refusing, 0, [of('bad'), delivered]), []],
  ['a chat that the service only slows down', after(refusing, 0, [of('bad'), throttled]), ['bad']],
  ['in an outage of the whole service', open, []],
  ['after an outage of the whole service', after(open, 1000, [of('c0'), delivered], [of('c1'), delivered]), []],
  [
    'a chat that was refused before an outage of the whole service',
    after(refusing, 0, ...Array.from({ length: 10 }, (_, i) => [of(`c${i}`), outage] as const)),
    [],
  ],
]
for (const [name, gate, expected] of lanes)
  test(`the slower lane: ${name}: ${expected.join() || 'nobody'}`, () => assert.equal(inSlowerLane(gate), expected))

test('failures of the slower lane neither open the breaker nor use the budget for retries', () => {
  const fails = Array.from({ length: 100 }, () => [repeated('bad', 0), outage] as const)
  const gate = after(refusing, 0, ...fails)
  assert.equal(
    [gate.breaker, gate.budget, gate.pace],
    [{ ...refusing.breaker, begun: refusing.breaker.begun + 100 }, refusing.budget, refusing.pace],
  )
  assert.is(gateWaitMs(gate, repeated('other', 0), 0), 0)
  assert.is(gate.running, 0)
})

test('an answered retry of the slower lane gives back no retry of another chat', () => {
  const used = after(refusing, 0, [repeated('other', 0), outage])
  assert.equal(after(used, 0, [repeated('bad', 0), delivered]).budget, used.budget)
})

test('a failure of the slower lane in an outage of the whole service says nothing about its chat', () => {
  const [entered, attempt] = enterGate(refusing, of('bad'), 0)
  const opened = after(entered, 0, ...Array.from({ length: 10 }, (_, i) => [of(`c${i}`), outage] as const))
  const left = leaveGate(opened, attempt, { verdict: outage, token: 0, answer: '500' }, 0)
  assert.equal([left.chats, opened.running, left.running], [opened.chats, 1, 0])
})

const failedOnce = after(calm, 0, [of('a'), outage])
for (const [name, entrant, failures] of [
  ['another first attempt', of('b'), 2],
  ['a repeated one does not', repeated('a', 0), 1],
  ["the bridge's own message in the same chat does not", lastResort('a'), 1],
  ["the bridge's own message in another chat", lastResort('b'), 2],
] satisfies ReadonlyArray<readonly [string, Entrant, number]>)
  test(`after a failure, one more counts for the breaker: ${name}`, () => {
    assert.is(after(failedOnce, 0, [entrant, outage]).breaker.failures, failures)
  })

test('a first attempt that waits behind another one prolongs a pace, and begins none', () => {
  const pace = afterOutage(undefined, 0)
  assert.equal(
    [calm, { ...calm, pace }].map((gate) => holdUp(gate, 5000).pace),
    [undefined, { ...pace, heldUpAt: 5000 }],
  )
})

const busy: Gate = {
  ...refusing,
  limit: fullLimit(5, 0),
  pace: afterOutage(undefined, 0),
  pause: { until: 60_000, lastResortAt: 30_000 },
  chats: { ...refusing.chats, nextAt: 700 },
}
for (const [name, entrant, changed] of [
  ['a first one', of('a'), {}],
  ['a repeated one', repeated('a', 0), {}],
  ['the last resort', lastResort('a'), { pause: { ...busy.pause, lastResortAt: 0 } }],
  ['the slower lane', of('bad'), { chats: { ...busy.chats, nextAt: 0 } }],
] satisfies ReadonlyArray<readonly [string, Entrant, Partial<Gate>]>)
  test(`an attempt that was not made gives back what it took: ${name}`, () => {
    const [entered, attempt] = enterGate(busy, entrant, 0)
    const breaker = { ...busy.breaker, begun: busy.breaker.begun + 1 }
    assert.equal(leaveUnused(entered, attempt, 0), { ...busy, breaker, ...changed })
  })

const examplesOf = (...chats: ReadonlyArray<string>) => chats.map((chat) => ({ chat, answer: '500' }))
for (const [name, gate, refused] of [
  ['nobody', calm, undefined],
  ['one chat', refusing, { chats: 1, examples: examplesOf('bad') }],
  [
    'one chat, with its last answer',
    after(refusing, 0, [of('bad'), outage, '502']),
    { chats: 1, examples: [{ chat: 'bad', answer: '502' }] },
  ],
  [
    'more chats than the state has examples for',
    refusingAll('a', 'b', 'c', 'd', 'e', 'f'),
    { chats: 6, examples: examplesOf('a', 'b', 'c', 'd', 'e') },
  ],
] satisfies ReadonlyArray<readonly [string, Gate, GateState['refused']]>)
  test(`the state shows whom the service refuses: ${name}`, () => assert.equal(stateOf(gate).refused, refused))

test.run()
