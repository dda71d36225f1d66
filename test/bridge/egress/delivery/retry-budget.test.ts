import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  busiestSecond,
  countFirstAttempt,
  countRetry,
  giveBack,
  mayRetry,
  type RetryBudget,
  type ServiceCondition,
  uncountFirstAttempt,
  uncountRetry,
  unspentBudget,
} from '../../../../src/bridge/egress/delivery/retry-budget.ts'

const test = suite('the budget for retries')

const times = (n: number, budget: RetryBudget, next: (budget: RetryBudget) => RetryBudget): RetryBudget =>
  Array.from({ length: n }).reduce<RetryBudget>(next, budget)
/** How many retries are left. */
const left = (budget: RetryBudget, now: number, condition: ServiceCondition = 'calm'): number =>
  mayRetry(budget, condition, now) ? 1 + left(countRetry(budget, now), now, condition) : 0

test('a few retries are allowed without any first attempt', () => assert.is(left(unspentBudget, 0), 10))

test('the first attempts of the last ten seconds allow 7 % of their number as retries', () => {
  const busy = times(500, unspentBudget, (budget) => countFirstAttempt(budget, 1000))
  assert.equal([left(busy, 1000), left(busy, 10_999), left(busy, 11_000)], [45, 45, 10])
})

test('a used retry is available again after ten seconds, and at once if it was answered', () => {
  const spent = times(10, unspentBudget, (budget) => countRetry(budget, 500))
  assert.equal([left(spent, 500), left(spent, 9999), left(spent, 10_000)], [0, 0, 10])
  assert.equal([left(giveBack(spent, 500, 5000), 5000), left(giveBack(spent, 500, 15_000), 15_000)], [1, 10])
  assert.is(
    left(
      times(10, spent, (budget) => giveBack(budget, 500, 5000)),
      5000,
    ),
    10,
  )
})

test('in trouble an answered retry counts too, and only one is reserved', () => {
  const busy = times(50, unspentBudget, (budget) => countFirstAttempt(budget, 0))
  assert.equal([left(unspentBudget, 0, 'troubled'), left(busy, 0, 'troubled')], [1, 5])
  assert.is(left(giveBack(countRetry(unspentBudget, 0), 0, 0), 0, 'troubled'), 0)
})

test('the busiest of the last seconds is that with the most attempts, first ones and retries', () => {
  const first = countRetry(
    countRetry(
      times(3, unspentBudget, (budget) => countFirstAttempt(budget, 1000)),
      1000,
    ),
    1000,
  )
  const later = countFirstAttempt(first, 2000)
  assert.equal([unspentBudget, first, later].map(busiestSecond), [0, 5, 5])
  assert.is(busiestSecond(countFirstAttempt(later, 11_000)), 1)
})

for (const [name, count, uncount] of [
  ['a first attempt', countFirstAttempt, uncountFirstAttempt],
  ['a retry', countRetry, uncountRetry],
] as const)
  test(`${name} that was not made counts no more`, () => {
    const left = [3, 1].map((made) =>
      uncount(
        times(made, unspentBudget, (budget) => count(budget, 1000)),
        1000,
        2000,
      ),
    )
    assert.equal(left.map(busiestSecond), [2, 0])
  })

test('in an outage, retries stay below a tenth of the first attempts and one in ten seconds', () => {
  const attempts = fc.array(fc.tuple(fc.nat(300), fc.boolean()), { maxLength: 400 })
  fc.assert(
    fc.property(attempts, (given) => {
      let now = 0
      let budget = unspentBudget
      const firsts: number[] = []
      const retries: number[] = []
      for (const [afterMs, isFirst] of given) {
        now += afterMs
        if (isFirst) {
          budget = countFirstAttempt(budget, now)
          firsts.push(now)
        } else if (mayRetry(budget, 'troubled', now)) {
          budget = countRetry(budget, now)
          retries.push(now)
        }
        const recent = (all: ReadonlyArray<number>) => all.filter((at) => at > now - 9000).length
        const earlier = firsts.filter((at) => at > now - 20_000).length
        assert.ok(recent(retries) <= earlier * 0.07 + 2)
      }
    }),
  )
})

test.run()
