import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accountGate } from '../../../../src/bridge/egress/delivery/account-gate.ts'
import type { Verdict } from '../../../../src/bridge/egress/delivery/classify.ts'
import type { Entrant, Grant } from '../../../../src/bridge/egress/delivery/gate.ts'
import { virtualTime } from '../support/time.ts'

const test = suite('the gate of an account')

const outage: Verdict = { kind: 'retry', why: 'outage' }
const delivered: Verdict = { kind: 'delivered' }
const never = new AbortController().signal
const aMinute = 60_000

const by = (chat: string, grant?: Grant): Entrant => ({ chat, isLastResort: false, grant })

const gateAt = () => {
  const time = virtualTime()
  const gate = accountGate({ monotonic: time.monotonic, sleep: time.sleep })
  const fail = (...chats: ReadonlyArray<string>) => {
    for (const chat of chats) gate.enter(by(chat))?.(outage)
  }
  const waited = async () => {
    const since = time.monotonic()
    await time.resolved(gate.open(by('any'), aMinute, never))
    return time.monotonic() - since
  }
  return { time, gate, fail, waited }
}
const tenOf = (...chats: ReadonlyArray<string>) => Array.from({ length: 10 }, (_, i) => chats[i % chats.length] ?? '')

test('ten consecutive failures of three chats open the circuit breaker for a second', async () => {
  const { gate, fail, waited } = gateAt()
  fail(...tenOf('a', 'b', 'c'))
  assert.is(gate.enter(by('d')), undefined)
  assert.is(await waited(), 1000)
  assert.ok(gate.enter(by('d')))
})

test('the state shows whether the circuit breaker is open, and the pace that limits it', () => {
  const { gate, fail } = gateAt()
  assert.equal(gate.state(), { isOpen: false })
  fail(...tenOf('a', 'b', 'c'))
  assert.equal(gate.state(), { isOpen: true, perSecond: 10 })
})

test('the state shows the number of consecutive failures while requests are still allowed', () => {
  const { gate, fail } = gateAt()
  fail('a', 'a')
  assert.equal(gate.state(), { isOpen: false, failures: 2 })
  gate.enter(by('a'))?.(delivered)
  assert.equal(gate.state(), { isOpen: false })
})

test('one chat that always fails does not open the circuit breaker', () => {
  const { gate, fail } = gateAt()
  fail(...tenOf('a'), ...tenOf('a'))
  assert.ok(gate.enter(by('b')))
})

test('an answer between the failures restarts the count', () => {
  const { gate, fail } = gateAt()
  fail(...tenOf('a', 'b', 'c').slice(1))
  gate.enter(by('d'))?.({ kind: 'rejected' })
  fail('a')
  assert.ok(gate.enter(by('d')))
})

test('attempts that time out together do not open the circuit breaker if a later attempt was answered', () => {
  const { gate, fail } = gateAt()
  const late = tenOf('a', 'b', 'c', 'd').map((chat) => gate.enter(by(chat)))
  gate.enter(by('e'))?.(delivered)
  for (const leave of late) leave?.(outage)
  assert.equal(gate.state(), { isOpen: false })
  fail(...tenOf('a', 'b', 'c'))
  assert.is(gate.state().isOpen, true)
})

test('unanswered attempts open the circuit breaker, even if an earlier attempt is answered during this time', () => {
  const { gate } = gateAt()
  const slow = gate.enter(by('e'))
  const failing = tenOf('a', 'b', 'c', 'd').map((chat) => gate.enter(by(chat)))
  slow?.(delivered)
  for (const leave of failing) leave?.(outage)
  assert.is(gate.state().isOpen, true)
})

test('after the wait one probe is allowed, and after its success all requests', async () => {
  const { time, gate, fail, waited } = gateAt()
  fail(...tenOf('a', 'b', 'c'))
  await waited()
  const leave = gate.enter(by('a'))
  assert.is(gate.enter(by('b')), undefined)
  let isOpen = false
  void gate.open(by('any'), aMinute, never).then(() => {
    isOpen = true
  })
  await time.settle()
  assert.is(isOpen, false)
  leave?.(delivered)
  await time.settle()
  assert.is(isOpen, true)
  assert.ok(gate.enter(by('b')))
})

test('a probe that fails doubles the wait, 30 s at most', async () => {
  const { fail, waited } = gateAt()
  fail(...tenOf('a', 'b', 'c'))
  const waits: number[] = []
  for (let i = 0; i < 7; i += 1) {
    waits.push(await waited())
    fail('a')
  }
  assert.equal(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('a failure of an attempt that started before the circuit breaker opened changes nothing', async () => {
  const { gate, fail, waited } = gateAt()
  const late = gate.enter(by('a'))
  fail(...tenOf('a', 'b', 'c'))
  late?.(outage)
  assert.is(await waited(), 1000)
})

test('429 pauses the account for the requested time', async () => {
  const { gate, waited } = gateAt()
  gate.enter(by('a'))?.({ kind: 'retry', why: 'throttled', retryAfterMs: 7000 })
  assert.is(gate.enter(by('b')), undefined)
  assert.is(await waited(), 7000)
  assert.ok(gate.enter(by('b')))
})

test('a 503 with Retry-After delays its own chat only', () => {
  const { gate } = gateAt()
  gate.enter(by('a'))?.({ ...outage, retryAfterMs: 7000 })
  assert.ok(gate.enter(by('b')))
})

test('waiting ends when the time is up or the signal aborts', async () => {
  const { time, gate } = gateAt()
  gate.enter(by('a'))?.({ kind: 'retry', why: 'throttled', retryAfterMs: aMinute })
  const stopping = new AbortController()
  const ended: string[] = []
  void gate.open(by('any'), 500, never).then(() => ended.push('time is up'))
  void gate.open(by('any'), aMinute, stopping.signal).then(() => ended.push('aborted'))
  await time.until(() => ended.length === 1)
  stopping.abort()
  await time.settle()
  assert.equal(ended, ['time is up', 'aborted'])
  assert.is(time.monotonic(), 500)
})

test('64 requests run at once, the others follow in their order', async () => {
  const { time, gate } = gateAt()
  const begun: number[] = []
  const release = new AbortController()
  const work = (i: number) => async () => {
    begun.push(i)
    await time.sleep(aMinute, release.signal)
  }
  const all = Array.from({ length: 70 }, (_, i) => gate.inSlot(by('any'), work(i)))
  await time.settle()
  assert.is(begun.length, 64)
  release.abort()
  await Promise.all(all)
  assert.equal(
    begun,
    Array.from({ length: 70 }, (_, i) => i),
  )
})

test('an account may start `requestsPerSecond` requests per second, and as many at once after a pause', async () => {
  const time = virtualTime()
  const gate = accountGate({ monotonic: time.monotonic, sleep: time.sleep, requestsPerSecond: 10 })
  const begun: number[] = []
  for (let i = 0; i < 35; i += 1) {
    for (let leave = gate.enter(by('a')); leave === undefined; leave = gate.enter(by('a')))
      await time.resolved(gate.open(by('any'), aMinute, never))
    begun.push(time.monotonic())
  }
  assert.equal(begun.slice(0, 12), [...Array(10).fill(0), 100, 200])
  assert.is(begun.at(-1), 2500)
})

test('retries are granted in the order of requests, ten in ten seconds without other traffic', async () => {
  const { time, gate } = gateAt()
  const granted: number[] = []
  for (let i = 0; i < 12; i += 1) void gate.grantRetry(false, aMinute, never).then(() => granted.push(i))
  await time.settle()
  assert.is(granted.length, 10)
  await time.until(() => granted.length === 12)
  assert.ok(time.monotonic() >= 9000)
  assert.equal(
    granted,
    Array.from({ length: 12 }, (_, i) => i),
  )
})

test('after an outage attempts start at ten per second, and faster with each answer', async () => {
  const { time, gate, fail, waited } = gateAt()
  fail(...tenOf('a', 'b', 'c'))
  await waited()
  const back = time.monotonic()
  for (let i = 0; i < 100; i += 1) {
    await waited()
    gate.enter(by('a'))?.(delivered)
  }
  const took = time.monotonic() - back
  assert.ok(took > 4000 && took < 7000, `100 attempts in ${took} ms`)
})

test('during failures every retry uses the budget, with any outcome', async () => {
  const { time, gate, fail } = gateAt()
  fail(...tenOf('a', 'b', 'c'))
  const granted: number[] = []
  for (let i = 0; i < 3; i += 1) void gate.grantRetry(false, aMinute, never).then(() => granted.push(time.monotonic()))
  await time.until(() => granted.length === 3)
  assert.equal(granted.slice(0, 2), [0, 0])
  assert.ok(Number(granted[2]) >= 9000)
})

test('a retry that the service answers costs nothing', async () => {
  const { time, gate } = gateAt()
  for (let i = 0; i < 50; i += 1) {
    let given: Awaited<ReturnType<typeof gate.grantRetry>>
    await time.resolved(
      gate.grantRetry(false, aMinute, never).then((grant) => {
        given = grant
      }),
    )
    gate.enter(by('a', given))?.(delivered)
  }
  assert.is(time.monotonic(), 0)
})

test('no retry is granted after the time is up or the signal aborts', async () => {
  const { time, gate } = gateAt()
  for (let i = 0; i < 10; i += 1) void gate.grantRetry(false, aMinute, never)
  const told: unknown[] = []
  void gate.grantRetry(false, 700, never).then((grant) => told.push(grant))
  await time.until(() => told.length === 1)
  assert.equal([told, time.monotonic()], [[undefined], 700])
})

test.run()
