import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type AccountGate,
  type AttemptPermit,
  accountGate,
} from '../../../../src/bridge/egress/delivery/account-gate.ts'
import type { Verdict } from '../../../../src/bridge/egress/delivery/classify.ts'
import {
  type Entrant,
  enterGate,
  type Gate,
  gateAt as gateInTime,
  gateWaitMs,
  leaveGate,
  newGate,
  type Result,
} from '../../../../src/bridge/egress/delivery/gate.ts'
import { afterOutage, afterThrottling } from '../../../../src/bridge/egress/delivery/pace.ts'
import {
  fullLimit,
  giveBackToken,
  limitWaitMs,
  takeToken,
} from '../../../../src/bridge/egress/delivery/request-limit.ts'
import { countFirstAttempt, countRetry, unspentBudget } from '../../../../src/bridge/egress/delivery/retry-budget.ts'
import { virtualTime } from '../support/time.ts'

const test = suite('the gate of an account')

const of = (verdict: Verdict): Result => ({ verdict, token: 0, answer: 'any' })
const outage = of({ kind: 'retry', why: 'outage' })
const delivered = of({ kind: 'delivered' })
const never = new AbortController().signal
const aMinute = 60_000

const by = (chat: string, since = 0): Entrant => ({ chat, since, isRepeated: false, isLastResort: false })
const again = (chat: string, since = 0): Entrant => ({ ...by(chat, since), isRepeated: true })

const gateAt = (requestsPerSecond?: number) => {
  const time = virtualTime()
  const gate = accountGate({ monotonic: time.monotonic, sleep: time.sleep }, requestsPerSecond)
  /** The turn of an entrant, if it has one at once. */
  const enter = async (entrant: Entrant): Promise<AttemptPermit | undefined> => {
    const leaving = new AbortController()
    const turn = gate.enter(entrant, aMinute, leaving.signal)
    await time.settle()
    leaving.abort()
    return turn
  }
  const fail = async (...chats: ReadonlyArray<string>) => {
    for (const chat of chats) (await enter(by(chat)))?.end(outage)
  }
  /** How long an entrant waits that does not try then. */
  const waited = async () => {
    const since = time.monotonic()
    await time.resolved(gate.enter(by('any'), aMinute, never).then((turn) => turn?.end()))
    return time.monotonic() - since
  }
  return { time, gate, enter, fail, waited }
}
const tenOf = (...chats: ReadonlyArray<string>) => Array.from({ length: 10 }, (_, i) => chats[i % chats.length] ?? '')

test('ten consecutive failures of three chats open the circuit breaker for a second', async () => {
  const { enter, fail, waited } = gateAt()
  await fail(...tenOf('a', 'b', 'c'))
  assert.is(await enter(by('d')), undefined)
  assert.is(await waited(), 1000)
  assert.ok(await enter(by('d')))
})

test('the state shows whether the circuit breaker is open, and the pace that limits it', async () => {
  const { gate, fail } = gateAt()
  assert.equal(gate.state(), { isOpen: false })
  await fail(...tenOf('a', 'b', 'c'))
  assert.equal(gate.state(), { isOpen: true, perSecond: 10 })
})

test('the state shows the number of consecutive failures while requests are still allowed', async () => {
  const { gate, enter, fail } = gateAt()
  await fail('a')
  assert.equal(gate.state(), { isOpen: false, failures: 1 })
  await fail('a')
  assert.equal(gate.state(), { isOpen: false, failures: 2 })
  const turn = await enter(by('a'))
  turn?.end(delivered)
  assert.equal(gate.state(), { isOpen: false })
})

test('one chat that always fails does not open the circuit breaker', async () => {
  const { enter, fail } = gateAt()
  await fail(...tenOf('a'), ...tenOf('a'))
  assert.ok(await enter(by('b')))
})

test('an answer between the failures restarts the count', async () => {
  const { enter, fail } = gateAt()
  await fail(...tenOf('a', 'b', 'c').slice(1))
  const turn = await enter(by('d'))
  turn?.end(of({ kind: 'rejected' }))
  await fail('a')
  assert.ok(await enter(by('d')))
})

test('attempts that time out together do not open the circuit breaker if a later attempt was answered', async () => {
  const { gate, enter, fail } = gateAt()
  const late = await Promise.all(tenOf('a', 'b', 'c', 'd').map((chat) => enter(by(chat))))
  const turn = await enter(by('e'))
  turn?.end(delivered)
  for (const each of late) each?.end(outage)
  assert.equal(gate.state(), { isOpen: false })
  await fail(...tenOf('a', 'b', 'c'))
  assert.is(gate.state().isOpen, true)
})

test('unanswered attempts open the circuit breaker, even if an earlier attempt is answered during this time', async () => {
  const { gate, enter } = gateAt()
  const slow = await enter(by('e'))
  const failing = await Promise.all(tenOf('a', 'b', 'c', 'd').map((chat) => enter(by(chat))))
  slow?.end(delivered)
  for (const each of failing) each?.end(outage)
  assert.is(gate.state().isOpen, true)
})

test('after the wait one probe is allowed, and after its success all requests', async () => {
  const { time, gate, enter, fail, waited } = gateAt()
  await fail(...tenOf('a', 'b', 'c'))
  await waited()
  const probe = await enter(by('a'))
  assert.is(await enter(by('b')), undefined)
  let hasTurn = false
  void gate.enter(by('any'), aMinute, never).then(() => {
    hasTurn = true
  })
  await time.settle()
  assert.is(hasTurn, false)
  probe?.end(delivered)
  await time.pass(200)
  assert.is(hasTurn, true)
  assert.ok(await enter(by('b')))
})

test('a probe that fails doubles the wait, 30 s at most', async () => {
  const { fail, waited } = gateAt()
  await fail(...tenOf('a', 'b', 'c'))
  const waits: number[] = []
  for (let i = 0; i < 7; i += 1) {
    waits.push(await waited())
    await fail('a')
  }
  assert.equal(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('the wait for a request of three a second is a third of a second, rounded up', async () => {
  const { enter, waited } = gateAt(3)
  for (let i = 0; i < 3; i += 1) assert.ok(await enter(by('a')))
  assert.is(await waited(), 334)
  const spent = [0, 0, 0].reduce(takeToken, fullLimit(3, 0))
  assert.equal([limitWaitMs(spent, 0), limitWaitMs(spent, 333), limitWaitMs(spent, 334)], [334, 1, 0])
})

test('a request that was not made gives back its place within the limit', () => {
  const limit = fullLimit(3, 0)
  assert.equal(giveBackToken(takeToken(limit, 0)), limit)
})

test('a repeated attempt that fails again does not open the circuit breaker', async () => {
  const { gate, enter, fail } = gateAt()
  await fail('a', 'b', 'c')
  for (const chat of tenOf('a', 'b', 'c')) {
    const turn = await enter(again(chat))
    turn?.end(outage)
  }
  assert.equal(gate.state(), { isOpen: false, failures: 3 })
})

test('a probe that is a repeated attempt does not double the wait', async () => {
  const { enter, fail, waited } = gateAt()
  await fail(...tenOf('a', 'b', 'c'))
  await waited()
  const turn = await enter(again('a'))
  turn?.end(outage)
  assert.is(await waited(), 1000)
})

test('a failure of an attempt that started before the circuit breaker opened changes nothing', async () => {
  const { enter, fail, waited } = gateAt()
  const late = await enter(by('a'))
  await fail(...tenOf('a', 'b', 'c'))
  late?.end(outage)
  assert.is(await waited(), 1000)
})

test('an attempt that started before the circuit breaker opened, and is not made, admits no second probe', async () => {
  const { enter, fail, waited } = gateAt()
  const unused = await enter(by('a'))
  await fail(...tenOf('a', 'b', 'c'))
  await waited()
  assert.ok(await enter(by('b')))
  unused?.end()
  assert.is(await enter(by('c')), undefined)
})

test('a turn that is not used gives the next one its place', async () => {
  const { time, gate, enter, fail } = gateAt()
  await fail(...tenOf('a', 'b', 'c'))
  await time.pass(1000)
  const unused = await enter(by('a'))
  const next = gate.enter(by('b'), aMinute, never)
  unused?.end()
  unused?.end(outage)
  assert.ok(await next)
  assert.is(time.monotonic(), 1000)
})

test('429 pauses the account for the requested time', async () => {
  const { enter, waited } = gateAt()
  const turn = await enter(by('a'))
  turn?.end(of({ kind: 'retry', why: 'throttled', retryAfterMs: 7000 }))
  assert.is(await enter(by('b')), undefined)
  assert.is(await waited(), 7000)
  assert.ok(await enter(by('b')))
})

test('a 503 with Retry-After delays its own chat only', async () => {
  const { enter } = gateAt()
  const turn = await enter(by('a'))
  turn?.end(of({ kind: 'retry', why: 'outage', retryAfterMs: 7000 }))
  assert.ok(await enter(by('b')))
})

test('waiting ends when the time is up or the signal aborts', async () => {
  const { time, gate, enter } = gateAt()
  const turn = await enter(by('a'))
  turn?.end(of({ kind: 'retry', why: 'throttled', retryAfterMs: aMinute }))
  const stopping = new AbortController()
  const ended: string[] = []
  void gate.enter(by('any'), 500, never).then(() => ended.push('time is up'))
  void gate.enter(by('any'), aMinute, stopping.signal).then(() => ended.push('aborted'))
  await time.until(() => ended.length === 1)
  stopping.abort()
  await time.settle()
  assert.equal(ended, ['time is up', 'aborted'])
  assert.is(time.monotonic(), 500)
})

const turnsOf = (gate: AccountGate, entrants: ReadonlyArray<Entrant>) => {
  const begun: number[] = []
  const turns: AttemptPermit[] = []
  entrants.forEach((entrant, i) => {
    void gate.enter(entrant, aMinute, never).then((turn) => {
      if (turn === undefined) return
      begun.push(i)
      turns.push(turn)
    })
  })
  return { begun, turns }
}
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

test('64 requests run at once, the others follow in their order', async () => {
  const { time, gate } = gateAt()
  const { begun, turns } = turnsOf(
    gate,
    upTo(70).map(() => by('any')),
  )
  await time.settle()
  assert.is(begun.length, 64)
  for (const turn of [...turns]) turn.end(delivered)
  await time.settle()
  assert.equal(begun, upTo(70))
})

test('an account may start `requestsPerSecond` requests per second, and as many at once after a pause', async () => {
  const { time, gate } = gateAt(10)
  const begun: number[] = []
  for (const _ of upTo(35)) {
    await time.resolved(gate.enter(by('a'), aMinute, never).then((turn) => turn?.end(delivered)))
    begun.push(time.monotonic())
  }
  assert.equal(begun.slice(0, 12), [...Array(10).fill(0), 100, 200])
  assert.is(begun.at(-1), 2500)
})

test('retries are granted in the order of requests, ten in ten seconds without other traffic', async () => {
  const { time, gate } = gateAt()
  const { begun } = turnsOf(
    gate,
    upTo(12).map(() => again('a')),
  )
  await time.settle()
  assert.is(begun.length, 10)
  await time.until(() => begun.length === 12)
  assert.ok(time.monotonic() >= 9000)
  assert.equal(begun, upTo(12))
})

test('after an outage attempts start at ten per second, and faster with each answer', async () => {
  const { time, gate, fail, waited } = gateAt()
  await fail(...tenOf('a', 'b', 'c'))
  await waited()
  const back = time.monotonic()
  for (const _ of upTo(100))
    await time.resolved(gate.enter(by('a'), aMinute, never).then((turn) => turn?.end(delivered)))
  const took = time.monotonic() - back
  assert.ok(took > 4000 && took < 7000, `100 attempts in ${took} ms`)
})

test('during failures every retry uses the budget, with any outcome', async () => {
  const { time, gate, fail } = gateAt()
  await fail(...tenOf('a', 'b', 'c'))
  const begun: number[] = []
  for (const _ of upTo(3)) {
    await time.resolved(gate.enter(again('a'), aMinute, never).then((turn) => turn?.end(outage)))
    begun.push(time.monotonic())
  }
  assert.equal(begun.slice(0, 2), [1000, 2000])
  assert.ok(Number(begun[2]) >= 9000)
})

test('a retry that the service answers costs nothing', async () => {
  const { time, enter } = gateAt()
  for (const _ of upTo(50)) {
    const turn = await enter(again('a'))
    turn?.end(delivered)
    assert.ok(turn)
  }
  assert.is(time.monotonic(), 0)
})

test('no retry is granted after the time is up or the signal aborts', async () => {
  const { time, gate } = gateAt()
  turnsOf(
    gate,
    upTo(10).map(() => again('a')),
  )
  const told: unknown[] = []
  void gate.enter(again('a'), 700, never).then((turn) => told.push(turn))
  await time.until(() => told.length === 1)
  assert.equal([told, time.monotonic()], [[undefined], 700])
})

const calm = newGate(undefined, 0)
const paused = { until: aMinute, lastResortAt: 0 }
const once = countRetry(unspentBudget, 0)
const spent = Array.from({ length: 10 }).reduce<Gate['budget']>((budget) => countRetry(budget, 0), unspentBudget)
const slow = afterOutage(undefined, 0)
const opened = { ...calm.breaker, openings: 1 }

for (const [name, gate, isLastResort, waitMs] of [
  ['one after another in calm times', { ...calm, budget: once }, false, 0],
  ['one while the circuit breaker is open', { ...calm, breaker: opened }, false, 0],
  ['no second one then', { ...calm, budget: once, breaker: opened }, false, 500],
  ['no second one while a pace is limiting', { ...calm, budget: once, pace: slow }, false, 500],
  [
    'another one with a pace after a 429',
    { ...calm, budget: once, pace: afterThrottling(undefined, 0, 0, 0) },
    false,
    0,
  ],
  ['none with a spent budget', { ...calm, budget: spent }, false, 500],
  ['none of the last resort either', { ...calm, budget: spent }, true, 500],
  ['one of the last resort during a pause, from any budget', { ...calm, budget: spent, pause: paused }, true, 0],
  ['none at the end of a pause', { ...calm, budget: spent, pause: { until: 100, lastResortAt: 0 } }, false, 500],
] satisfies ReadonlyArray<readonly [string, Gate, boolean, number]>)
  test(`the budget allows retries: ${name}`, () => {
    assert.is(gateWaitMs(gate, { ...again('a'), isLastResort }, 0), waitMs)
  })

test('what begins counts as first attempt or retry, and only the last resort lets the next of them wait', () => {
  const gate = { ...calm, pause: paused }
  const begun = (entrant: Entrant) => enterGate(gate, entrant, 500)[0]
  assert.equal(begun(by('a')).budget, countFirstAttempt(unspentBudget, 500))
  assert.equal(begun(again('a')).budget, countRetry(unspentBudget, 500))
  assert.is(begun(by('a')).pause, paused)
  assert.is(begun({ ...by('a'), isLastResort: true }).pause.lastResortAt, 30_500)
})

for (const [name, verdict, failures, perSecond] of [
  ['an outage is counted, and slows', { kind: 'retry', why: 'outage' }, 1, 7.9],
  ['an error in an answer is an answer, and quickens', { kind: 'retry', why: 'error' }, 0, 10.15],
  ['a delivery quickens', { kind: 'delivered' }, 0, 10.15],
  ['a 429 is an answer, and slows', { kind: 'retry', why: 'throttled' }, 0, 7],
] satisfies ReadonlyArray<readonly [string, Verdict, number, number]>)
  test(`what an attempt says about the service: ${name}`, () => {
    const [gate, running] = enterGate({ ...calm, pace: slow }, by('a'), 1)
    const { breaker, pace } = leaveGate(gate, running, of(verdict), 1)
    assert.equal([breaker.failures, pace?.perSecond], [failures, perSecond])
  })

test('a retry is given back only if the service has answered it', () => {
  const [gate, running] = enterGate(calm, again('a'), 0)
  const unanswered = [outage, delivered].map(({ verdict }) =>
    leaveGate(gate, running, of(verdict), 0).budget.map(({ unansweredRetries }) => unansweredRetries),
  )
  assert.equal(unanswered, [[1], [0]])
})

test('a pace ends when it has delayed nothing for two minutes', () => {
  const gate = { ...calm, pace: slow }
  assert.equal([gateInTime(gate, 120_000).pace?.cause, gateInTime(gate, 120_001).pace], ['outage', undefined])
})

test.run()
