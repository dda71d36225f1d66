import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Verdict } from '../../../../src/bridge/egress/delivery/classify.ts'
import {
  type Entrant,
  enterGate,
  type Gate,
  gateWaitMs,
  leaveGate,
  newGate,
  nextOf,
} from '../../../../src/bridge/egress/delivery/gate.ts'
import { refusedChats } from '../../../../src/bridge/egress/delivery/refused-chats.ts'

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

/** Attempts one after the other, all at this time. */
const after = (gate: Gate, now: number, ...attempts: ReadonlyArray<readonly [Entrant, Verdict]>): Gate =>
  attempts.reduce((before, [entrant, verdict]) => {
    const [entered, attempt] = enterGate(before, entrant, now)
    return leaveGate(entered, attempt, { verdict, token: 0, answer: '500' }, now)
  }, gate)

const calm = newGate(undefined, 0)
/** Ten replies of ten chats failed at once. */
const open = after(calm, 0, ...Array.from({ length: 10 }, (_, i) => [of(`c${i}`), outage] as const))
/** Chat `bad` failed three times, and each time another chat was taken after that. */
const refusing = after(
  calm,
  0,
  ...[1, 2, 3].flatMap(() => [[of('bad'), outage] as const, [of('good'), delivered] as const]),
)

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
    line: [repeated('c1', 200), repeated('c2', 100)],
    next: 'c2',
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
    name: 'an answer in the slower lane lets the next one follow',
    gate: after(refusing, 0, [of('bad'), outage], [of('bad'), { kind: 'rejected' }]),
    line: [first('bad', 0)],
    next: 'bad',
  },
  {
    name: 'a first attempt, while the budget has no retry',
    gate: after(calm, 0, ...Array.from({ length: 10 }, () => [repeated('a', 0), outage] as const)),
    line: [repeated('b', 0), first('c', 1)],
    next: 'c',
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
})

test.run()
