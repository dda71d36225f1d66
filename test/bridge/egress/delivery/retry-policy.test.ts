import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Verdict } from '../../../../src/bridge/egress/delivery/classify.ts'
import { nextStep, pauses, type TriedBefore } from '../../../../src/bridge/egress/delivery/retry-policy.ts'
import { backoff } from '../../../../src/bridge/shared/backoff.ts'

const test = suite('the next step of a reply')

const retry: Verdict = { kind: 'retry', why: 'outage' }
const asked = (retryAfterMs: number): Verdict => ({ kind: 'retry', why: 'throttled', retryAfterMs })
const refusedClient: TriedBefore = { kind: 'retry', why: 'outage', isOfAccount: true, isOfClient: true }
const timeout: Verdict = { kind: 'retry', why: 'outage', code: 'timeout' }
const limits = { attempts: 3, timeouts: 2, deadlineMs: 60_000 }
const half = () => 0.5

test('Retry-After never makes an invitation wait longer than `lastResortEveryMs`', () => {
  const often = { ...limits, lastResortEveryMs: 5000 }
  assert.equal(nextStep([asked(30_000)], often, 0, half), { kind: 'attempt', afterMs: 5000 })
})

test('a refusal does not end an invitation, and only a refusal makes it wait', () => {
  const often = { ...limits, lastResortEveryMs: 5000 }
  assert.equal(nextStep([retry], often, 0, half), { kind: 'attempt', afterMs: 100 })
  assert.equal(nextStep([{ kind: 'rejected' }], often, 0, half), { kind: 'attempt', afterMs: 5000 })
})

test('answers about the account do not count as attempts', () => {
  const ofAccount: Verdict = { kind: 'retry', why: 'outage', isOfAccount: true }
  const history = [ofAccount, ofAccount, ofAccount, ofAccount]
  assert.equal(nextStep(history, limits, 0, half), { kind: 'attempt', afterMs: 800 })
})

test('without a Retry-After, no wait is the shortest', () => {
  for (const history of [[retry], [{ kind: 'unauthorized' }, { kind: 'unauthorized' }]] satisfies Verdict[][])
    assert.equal(
      nextStep(history, limits, 0, () => 0),
      { kind: 'attempt', afterMs: 0 },
    )
})

const cases: ReadonlyArray<[string, ReadonlyArray<TriedBefore>, number, ReturnType<typeof nextStep>]> = [
  ['the first attempt is made at once', [], 0, { kind: 'attempt', afterMs: 0 }],
  ['a reply past its deadline is given up', [], 60_000, { kind: 'failed', reason: 'deadline' }],
  ['delivered ends the attempts', [retry, { kind: 'delivered' }], 99_999, { kind: 'delivered' }],
  ['rejected ends the attempts', [{ kind: 'rejected', code: 'x' }], 0, { kind: 'failed', reason: 'rejected' }],
  ['a retry waits with jitter', [retry], 0, { kind: 'attempt', afterMs: 100 }],
  ['a second retry waits longer', [retry, retry], 0, { kind: 'attempt', afterMs: 200 }],
  ['a timeout is repeated', [timeout, retry], 0, { kind: 'attempt', afterMs: 200 }],
  ['the limit of timeouts ends the attempts', [timeout, timeout], 0, { kind: 'failed', reason: 'attempts' }],
  ['the number of attempts is limited', [retry, retry, retry], 0, { kind: 'failed', reason: 'attempts' }],
  ['Retry-After is a minimum', [asked(30_000)], 0, { kind: 'attempt', afterMs: 30_000 }],
  ['a short Retry-After does not shorten the wait', [asked(1)], 0, { kind: 'attempt', afterMs: 100 }],
  [
    'a Retry-After beyond the deadline ends the attempts',
    [asked(30_000)],
    30_000,
    { kind: 'failed', reason: 'deadline' },
  ],
  ['a refused token is renewed at once', [{ kind: 'unauthorized' }], 0, { kind: 'attempt', afterMs: 0 }],
  ['a later outage waits', [{ kind: 'unauthorized' }, retry], 0, { kind: 'attempt', afterMs: 200 }],
  [
    'refused tokens do not count as attempts',
    [{ kind: 'unauthorized' }, { kind: 'unauthorized' }, { kind: 'unauthorized' }],
    0,
    { kind: 'attempt', afterMs: 400 },
  ],
  [
    'a client whom the service refuses again and again, while it takes others, is rejected',
    [refusedClient, refusedClient, refusedClient],
    0,
    { kind: 'failed', reason: 'rejected' },
  ],
  [
    'if the last attempt failed for another reason, it is the number of attempts',
    [refusedClient, refusedClient, retry],
    0,
    { kind: 'failed', reason: 'attempts' },
  ],
  [
    'if a new token is refused too, the next attempt waits',
    [{ kind: 'unauthorized' }, { kind: 'unauthorized' }],
    0,
    { kind: 'attempt', afterMs: 200 },
  ],
]
for (const [name, history, elapsedMs, expected] of cases)
  test(name, () => assert.equal(nextStep(history, limits, elapsedMs, half), expected))

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('full jitter stays between zero and the doubled base, at most 10 s', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fraction, (failures, random) => {
      const ms = backoff(failures, pauses, () => random)
      assert.ok(ms >= 0 && ms <= Math.min(10_000, 200 * 2 ** (failures - 1)))
    }),
  )
})

test('there are never more attempts than allowed, none at or after the deadline, none before Retry-After', () => {
  const verdict = fc.oneof(fc.constant(retry), fc.nat(100_000).map(asked))
  fc.assert(
    fc.property(fc.array(verdict, { maxLength: 5 }), fc.nat(70_000), fraction, (history, elapsedMs, random) => {
      const step = nextStep(history, limits, elapsedMs, () => random)
      if (step.kind !== 'attempt') return
      const last = history.at(-1)
      assert.ok(history.length < limits.attempts)
      assert.ok(elapsedMs + step.afterMs < limits.deadlineMs)
      assert.ok(step.afterMs >= (last?.kind === 'retry' ? (last.retryAfterMs ?? 0) : 0))
    }),
  )
})

test.run()
